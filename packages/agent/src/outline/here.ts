import { GRAMMARS } from "./grammars.js";
import { Outliner, type OutlineWorker } from "./outliner.js";
import { Parsers } from "./parser.js";
import { serveOutlines } from "./serve.js";
import { SyntaxChecker } from "./syntax-checker.js";

/**
 * Makes outlines in this thread, each before the document's next event, with all grammars loaded. For callers that need the
 * same result in every run and have time to wait.
 */
export async function outlineHere(): Promise<Outliner> {
	const parsers = new Parsers();
	for (const languageId of GRAMMARS.keys()) await parsers.load(languageId);
	const fail = (why: string) => {
		throw new Error(why);
	};
	return new Outliner(() => workHere(parsers), fail, new SyntaxChecker(parsers, fail));
}

function workHere(parsers: Parsers): OutlineWorker {
	let listener: Parameters<OutlineWorker["receive"]>[0] = () => {};
	const perform = serveOutlines(parsers, (answer) => listener(answer));
	return {
		post: perform,
		receive: (own) => {
			listener = own;
		},
		stop: () => {},
	};
}
