import { expect, test } from "vitest";
import { installedGrammars } from "../node/grammar-files.js";
import { type OutlineReply, type OutlineTask, serveOutlines } from "./outline-tasks.js";
import { Parsers } from "./parser.js";

/** Gives tasks to a worker whose parsers are still to be loaded, and waits for as many answers. */
function answersTo(tasks: readonly OutlineTask[], count: number): Promise<string[]> {
	return new Promise((resolve) => {
		const answers: string[] = [];
		const perform = serveOutlines(new Parsers(installedGrammars), (answer) => {
			answers.push(said(answer));
			if (answers.length === count) resolve(answers);
		});
		for (const task of tasks) perform(task);
	});
}

function said(answer: OutlineReply): string {
	return "data" in answer ? `${answer.id} declares ${answer.data.words.join(" ")}` : `${answer.id} ${answer.failure}`;
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

test("a worker answers in order, though it has to load a grammar first", async () => {
	const tasks = [open(1, "a = 1"), change(1, 0, 1, "b"), open(2, "let c", "javascript"), change(1, 0, 1, "d")];
	expect(await answersTo(tasks, 4)).toEqual(["1 declares a", "1 declares b", "2 declares c", "1 declares d"]);
});

test("a worker says what it cannot parse, and goes on", async () => {
	const tasks: OutlineTask[] = [
		open(1, "a", "plaintext"),
		change(1, 0, 1, "b"),
		open(2, "c = 1"),
		{ kind: "close", id: 2 },
		{ kind: "close", id: 3 },
		change(2, 0, 1, "d"),
		open(2, "e = 1"),
	];
	expect(await answersTo(tasks, 5)).toEqual([
		"1 Error: there is no grammar for plaintext",
		"1 the text was never opened",
		"2 declares c",
		"2 the text was never opened",
		"2 declares e",
	]);
});
