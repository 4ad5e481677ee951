import { GRAMMARS } from "../outline/grammars.js";
import { serveOutlines } from "../outline/outline-tasks.js";
import { Outliner, type OutlineWorker } from "../outline/outliner.js";
import { Parsers } from "../outline/parser.js";
import { SyntaxChecker } from "../outline/syntax-checker.js";
import { installedGrammars } from "./grammar-files.js";

/**
 * Creates an outliner that parses in this thread and has all grammars loaded. Each outline is ready before the
 * document's next event. Intended for callers that need deterministic results and can wait.
 */
export async function inProcessOutliner(): Promise<Outliner> {
	const parsers = new Parsers(installedGrammars);
	for (const languageId of GRAMMARS.keys()) await parsers.load(languageId);
	const fail = (why: string) => {
		throw new Error(why);
	};
	return new Outliner(() => inProcessWorker(parsers), fail, new SyntaxChecker(parsers, fail));
}

function inProcessWorker(parsers: Parsers): OutlineWorker {
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
