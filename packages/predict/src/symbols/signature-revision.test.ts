import { readPicture } from "@segue/story";
import { Change, Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import { examplesOf, History } from "../index.js";
import { revisionsIn } from "./signature-revision.js";

/** What happened to the functions that the edits of a picture change: the name, what it was, and the parameters by now. */
function revisedIn(drawn: string, languageId = "typescript"): string[] {
	const { before, edits } = readPicture(drawn);
	const document = { uri: "a", languageId, version: 0, text: Text.of(before) };
	const change = Change.of(edits, before.length);
	const history = History.empty.changed(document, change, { atMs: 0, isAccepted: false });
	return revisionsIn(examplesOf(history)).map(({ signature: { name, parameters }, kind }) => {
		return `${name} ${kind} (${parameters.map((one) => one.name).join(", ")})`;
	});
}

describe("a function is revised", () => {
	test.each([
		["that takes something more", "function load(a: A‹→, b: B›) {}\n", "typescript", "load added (a, b)"],
		["that takes something first", "func load(‹→ctx Context, ›a A) {}\n", "go", "load added (ctx, a)"],
		["that takes less", "def load(a‹, b→›):\n    pass\n", "python", "load removed (a)"],
		["that takes nothing any more", "fn load(‹a: A→›) {}\n", "rust", "load removed ()"],
		["whose parameters changed places", "function load(‹a, b→b, a›) {}\n", "javascript", "load moved (b, a)"],
		[
			"whose parameters stand on lines of their own",
			"function load(\n  a: A,\n‹→  b: B,\n›) {}\n",
			"typescript",
			"load added (a, b)",
		],
		[
			"that must be given what it takes more, beside what it need not",
			"def load(a‹→, b, c=1›):\n    pass\n",
			"python",
			"load added (a, b, c)",
		],
	])("%s", (_, drawn, languageId, expected) => expect(revisedIn(drawn, languageId)).toEqual([expected]));

	test("beside another that is, too", () => {
		const drawn = "function load(a‹→, b›) {}\n\n\nfunction save(a‹, b→›) {}\n";
		expect(revisedIn(drawn)).toEqual(["load added (a, b)", "save removed (a)"]);
	});
});

describe("a function is not revised", () => {
	test.each([
		["that need not be given what it takes more", "def load(a‹→, b=1›):\n    pass\n", "python"],
		["whose parameter has another name", "function load(‹a→b›: A) {}\n", "typescript"],
		["whose parameter is of another type", "function load(a: ‹A→B›) {}\n", "typescript"],
		["whose body was changed", "function load(a: A) {\n  return ‹a→b›\n}\n", "typescript"],
		["that is new", "a()\n‹→function load(a: A) {}\n›", "typescript"],
		["that was taken away", "a()\n‹function load(a: A) {}\n→›b()\n", "typescript"],
		[
			"that has two of its name, of which either may be meant",
			"function load(a: A‹→, b: B›) {}\nfunction load(c: C) {}\n",
			"typescript",
		],
		["that gained and lost something", "function load(‹a, b→b, c, d›) {}\n", "typescript"],
		["in a text that is no program", "function load(a‹→, b›) {}\n", "plaintext"],
	])("%s", (_, drawn, languageId) => expect(revisedIn(drawn, languageId)).toEqual([]));
});
