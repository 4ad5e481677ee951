import { GRAMMARS } from "./grammars.js";
import { Outliner, type OutlineWorker } from "./outliner.js";
import { Parsers } from "./parser.js";
import { serveOutlines } from "./serve.js";

/**
 * Makes outlines right here, each before the document's next event: for whoever wants the same result in every run, and has
 * time to wait.
 */
export async function outlineHere(): Promise<Outliner> {
	const parsers = new Parsers();
	for (const languageId of GRAMMARS.keys()) await parsers.load(languageId);
	const fail = (why: string) => {
		throw new Error(why);
	};
	return new Outliner(() => workHere(parsers), fail);
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
