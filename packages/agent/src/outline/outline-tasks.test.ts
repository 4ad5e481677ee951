import { expect, test } from "vitest";
import { installedGrammars } from "../node/grammar-files.js";
import { type OutlineReply, type OutlineTask, serveOutlines } from "./outline-tasks.js";
import { Parsers } from "./parser.js";

/** Posts tasks to a worker without loaded grammars, and waits for `count` replies. */
function repliesTo(tasks: readonly OutlineTask[], count: number): Promise<string[]> {
	return new Promise((resolve) => {
		const replies: string[] = [];
		const perform = serveOutlines(new Parsers(installedGrammars), (reply) => {
			replies.push(textOf(reply));
			if (replies.length === count) resolve(replies);
		});
		for (const task of tasks) perform(task);
	});
}

function textOf(reply: OutlineReply): string {
	return "data" in reply ? `${reply.id} declares ${reply.data.words.join(" ")}` : `${reply.id} ${reply.failure}`;
}

const open = (id: number, source: string, languageId = "python"): OutlineTask => ({
	kind: "open",
	id,
	languageId,
	source,
});
const change = (id: number, from: number, to: number, insert: string): OutlineTask => {
	return { kind: "change", id, edit: { from, to, insert } };
};

test("replies in order even if a grammar has to be loaded first", async () => {
	const tasks = [open(1, "a = 1"), change(1, 0, 1, "b"), open(2, "let c", "javascript"), change(1, 0, 1, "d")];
	expect(await repliesTo(tasks, 4)).toEqual(["1 declares a", "1 declares b", "2 declares c", "1 declares d"]);
});

test("reports documents that cannot be parsed, and continues", async () => {
	const tasks: OutlineTask[] = [
		open(1, "a", "plaintext"),
		change(1, 0, 1, "b"),
		open(2, "c = 1"),
		{ kind: "close", id: 2 },
		{ kind: "close", id: 3 },
		change(2, 0, 1, "d"),
		open(2, "e = 1"),
	];
	expect(await repliesTo(tasks, 5)).toEqual([
		"1 Error: there is no grammar for plaintext",
		"1 the document was never opened",
		"2 declares c",
		"2 the document was never opened",
		"2 declares e",
	]);
});
