import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentLike, fileLinesOf } from "./file-content.js";

/** Any content, with mixed line endings and byte order marks. */
const content = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "\r\n", "\r", "\ufeff") });
/** Lines in an editor. */
const lines = fc.array(fc.string({ unit: fc.constantFrom("a", "b", " ") }), { minLength: 1 });

describe("saving a file", () => {
	test("changes nothing if nothing was edited", () => {
		fc.assert(
			fc.property(content, (before) => {
				expect(contentLike(before, fileLinesOf(before))).toBe(before);
			}),
		);
	});

	test("writes the editor's lines", () => {
		fc.assert(
			fc.property(content, lines, (before, now) => {
				expect(fileLinesOf(contentLike(before, now))).toEqual(now);
			}),
		);
	});

	test.each(["\n", "\r\n"])("uses only %j in a file that used no other line ending", (end) => {
		fc.assert(
			fc.property(lines, lines, (before, now) => {
				fc.pre(before.length > 1);
				expect(contentLike(before.join(end), now)).toBe(now.join(end));
			}),
		);
	});

	test.each<[string, string, string[], string]>([
		["keeps the byte order mark", "\ufeffa\n", ["b", ""], "\ufeffb\n"],
		["keeps the ending of each line", "a\r\nb\nc\r\n", ["a", "b", "c", "d"], "a\r\nb\nc\r\nd"],
		["keeps the endings of edited lines", "a\r\nb\nc", ["a", "bb", "c"], "a\r\nbb\nc"],
		["keeps the line endings after deleted lines", "a\r\nb\nc\r\nd\n", ["a", "d", ""], "a\r\nd\n"],
		["ends a new line like the line before it", "a\nb\r\nc\n", ["a", "b", "new", "c", ""], "a\nb\r\nnew\r\nc\n"],
		["ends a new first line like the old one", "a\r\nb\n", ["new", "a", "b", ""], "new\r\na\r\nb\n"],
		["uses LF in a file without line endings", "a", ["a", ""], "a\n"],
		["writes to an empty file", "", ["a", ""], "a\n"],
	])("%s", (_, before, now, after) => {
		expect(contentLike(before, now)).toBe(after);
	});
});
