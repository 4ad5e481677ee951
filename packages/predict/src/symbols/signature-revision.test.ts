import { readPicture } from "@segue/story";
import { Change, Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import { examplesOf, History } from "../index.js";
import { revisionsIn } from "./signature-revision.js";

/** Returns the functions that the drawn edits revise: name, kind of change and current parameters. */
function revisedIn(drawn: string, languageId = "typescript"): string[] {
	const { before, edits } = readPicture(drawn);
	const document = { uri: "a", languageId, version: 0, text: Text.of(before) };
	const change = Change.of(edits, before.length);
	const history = History.empty.changed(document, change, { atMs: 0, isAccepted: false });
	return revisionsIn(examplesOf(history)).map(({ signature: { name, parameters }, kind }) => {
		return `${name} ${kind} (${parameters.map((one) => one.name).join(", ")})`;
	});
}

describe("a function is revised if", () => {
	test.each([
		["a parameter is added", "function load(a: A‹→, b: B›) {}\n", "typescript", "load added (a, b)"],
		["a first parameter is added", "func load(‹→ctx Context, ›a A) {}\n", "go", "load added (ctx, a)"],
		["a parameter is removed", "def load(a‹, b→›):\n    pass\n", "python", "load removed (a)"],
		["its only parameter is removed", "fn load(‹a: A→›) {}\n", "rust", "load removed ()"],
		["its parameters are reordered", "function load(‹a, b→b, a›) {}\n", "javascript", "load moved (b, a)"],
		[
			"a parameter is added on a separate line",
			"function load(\n  a: A,\n‹→  b: B,\n›) {}\n",
			"typescript",
			"load added (a, b)",
		],
		[
			"a required and an optional parameter are added",
			"def load(a‹→, b, c=1›):\n    pass\n",
			"python",
			"load added (a, b, c)",
		],
	])("%s", (_, drawn, languageId, expected) => expect(revisedIn(drawn, languageId)).toEqual([expected]));

	test("a parameter is added while another function loses one", () => {
		const drawn = "function load(a‹→, b›) {}\n\n\nfunction save(a‹, b→›) {}\n";
		expect(revisedIn(drawn)).toEqual(["load added (a, b)", "save removed (a)"]);
	});
});

describe("a function is not revised if", () => {
	test.each([
		["only an optional parameter is added", "def load(a‹→, b=1›):\n    pass\n", "python"],
		["a parameter is renamed", "function load(‹a→b›: A) {}\n", "typescript"],
		["the type of a parameter is changed", "function load(a: ‹A→B›) {}\n", "typescript"],
		["only its body is changed", "function load(a: A) {\n  return ‹a→b›\n}\n", "typescript"],
		["it is new", "a()\n‹→function load(a: A) {}\n›", "typescript"],
		["it is deleted", "a()\n‹function load(a: A) {}\n→›b()\n", "typescript"],
		[
			"there are two functions with its name",
			"function load(a: A‹→, b: B›) {}\nfunction load(c: C) {}\n",
			"typescript",
		],
		["parameters are both added and removed", "function load(‹a, b→b, c, d›) {}\n", "typescript"],
		["the text is not code", "function load(a‹→, b›) {}\n", "plaintext"],
	])("%s", (_, drawn, languageId) => expect(revisedIn(drawn, languageId)).toEqual([]));
});
