import type { OutlineData } from "@segue/predict";
import type { Edit } from "@segue/text";
import type { ParsedText, Parsers } from "./parser.js";

/** A message to a worker. */
export type OutlineTask =
	| { readonly kind: "open"; readonly id: number; readonly languageId: string; readonly source: string }
	| { readonly kind: "change"; readonly id: number; readonly edit: Edit }
	| { readonly kind: "close"; readonly id: number };

/** The reply to each opened document and each change: an outline, or the reason why there is none. */
export type OutlineReply =
	| { readonly id: number; readonly data: OutlineData }
	| { readonly id: number; readonly failure: string };

/** Returns a handler that replies to tasks in order. If all grammars are loaded, it replies synchronously. */
export function serveOutlines(parsers: Parsers, reply: (reply: OutlineReply) => void): (task: OutlineTask) => void {
	const texts = new Map<number, ParsedText>();
	const waiting: OutlineTask[] = [];
	let isLoading = false;

	const perform = (task: OutlineTask) => {
		const { id } = task;
		if (task.kind === "close") {
			texts.get(id)?.free();
			texts.delete(id);
			return;
		}
		try {
			if (task.kind === "open") texts.set(id, parsers.parse(task.languageId, task.source));
			const text = texts.get(id);
			if (task.kind === "change") text?.change([task.edit]);
			reply(text === undefined ? { id, failure: "the document was never opened" } : { id, data: text.outline() });
		} catch (error) {
			texts.get(id)?.free();
			texts.delete(id);
			reply({ id, failure: String(error) });
		}
	};

	const performWaiting = () => {
		for (let task = waiting[0]; task !== undefined; task = waiting[0]) {
			if (task.kind === "open" && !parsers.isLoaded(task.languageId)) {
				isLoading = true;
				const { id, languageId } = task;
				const fail = (error: unknown) => {
					waiting.shift();
					reply({ id, failure: String(error) });
				};
				void parsers
					.load(languageId)
					.catch(fail)
					.then(() => {
						isLoading = false;
						performWaiting();
					});
				return;
			}
			waiting.shift();
			perform(task);
		}
	};

	return (task) => {
		waiting.push(task);
		if (!isLoading) performWaiting();
	};
}
