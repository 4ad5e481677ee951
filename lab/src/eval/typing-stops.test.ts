import { expect, test } from "vitest";
import type { Case } from "./cases.js";
import { typingStopsOf } from "./typing-stops.js";

/** A commit that changes a line in one file, adds three lines to it, and removes a line from another file. */
const CASE: Case = {
	id: "some@commit",
	language: "typescript",
	files: { "a.ts": "let sum = 0\nlog(sum)\n", "b.ts": "old()\nkept()\n" },
	context: { "c.ts": "let rest = 0\n" },
	steps: [
		{ path: "a.ts", oldStart: 0, oldLines: ["let sum = 0"], newLines: ["let total = 0"] },
		{ path: "a.ts", oldStart: 1, oldLines: [], newLines: ["add(total, one)", "}", "add(total, two)"] },
		{ path: "b.ts", oldStart: 0, oldLines: ["old()"], newLines: [] },
	],
	stepOrder: [1, 2, 0],
	stepEvalAt: [],
};

test("stops after a third and two thirds of each written line, in commit order", () => {
	const stops = Array.from(typingStopsOf(CASE), ({ scene: { document, cursor }, rest, isNew, where }) => {
		const { line, start } = document.text.locate(cursor);
		expect(cursor).toBe(document.text.lineEnd(line));
		return [document.text.slice(start, cursor), rest, isNew, where];
	});
	expect(stops).toEqual([
		["add(", "total, one)", true, "after a third"],
		["add(total,", " one)", true, "after two thirds"],
		["add(", "total, two)", true, "after a third"],
		["add(total,", " two)", true, "after two thirds"],
		["let", " total = 0", false, "after a third"],
		["let total =", " 0", false, "after two thirds"],
	]);
});

test("puts only the text typed so far into the document", () => {
	const texts = Array.from(typingStopsOf(CASE), ({ scene }) => scene.document.text.toString());
	expect(texts[2]).toBe("let sum = 0\nadd(total, one)\n}\nadd(\nlog(sum)\n");
	expect(texts.at(-1)).toBe("let total =\nadd(total, one)\n}\nadd(total, two)\nlog(sum)\n");
});

test("also stops inside long words", () => {
	const steps = [{ path: "a.ts", oldStart: 0, oldLines: [], newLines: ["return create(store)", "a.b.c"] }];
	const stops = Array.from(typingStopsOf({ ...CASE, steps, stepOrder: [0] }), ({ rest, where }) => [rest, where]);
	expect(stops).toEqual([
		["(store)", "after a third"],
		["store)", "after two thirds"],
		["re)", "in a word"],
		["b.c", "after a third"],
		[".c", "after two thirds"],
	]);
});

test("types only the first lines of a long step", () => {
	const newLines = Array.from({ length: 30 }, (_, i) => `call(${i})`);
	const steps = [{ path: "a.ts", oldStart: 0, oldLines: [], newLines }];
	const stops = [...typingStopsOf({ ...CASE, steps, stepOrder: [0] })];
	expect(stops).toHaveLength(20);
});
