import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentLike, fileLinesOf } from "./file-content.js";

/** A file that may have come from anywhere. */
const content = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "\r\n", "\r", "\ufeff") });
/** What an editor holds of one. */
const lines = fc.array(fc.string({ unit: fc.constantFrom("a", "b", " ") }), { minLength: 1 });

describe("a file that is saved", () => {
	test("is the same as before where nothing was edited", () => {
		fc.assert(
			fc.property(content, (before) => {
				expect(contentLike(before, fileLinesOf(before))).toBe(before);
			}),
		);
	});

	test("has the lines that are in the editor, whatever it had before", () => {
		fc.assert(
			fc.property(content, lines, (before, now) => {
				expect(fileLinesOf(contentLike(before, now))).toEqual(now);
			}),
		);
	});

	test.each(["\n", "\r\n"])("with nothing but %j at the ends of its lines has nothing else afterwards", (end) => {
		fc.assert(
			fc.property(lines, lines, (before, now) => {
				fc.pre(before.length > 1);
				expect(contentLike(before.join(end), now)).toBe(now.join(end));
			}),
		);
	});

	test.each<[string, string, string[], string]>([
		["keeps its byte order mark", "\ufeffa\n", ["b", ""], "\ufeffb\n"],
		["keeps the end of each line", "a\r\nb\nc\r\n", ["a", "b", "c", "d"], "a\r\nb\nc\r\nd"],
		["keeps the ends of lines that were edited", "a\r\nb\nc", ["a", "bb", "c"], "a\r\nbb\nc"],
		["keeps the ends of lines behind those that are gone", "a\r\nb\nc\r\nd\n", ["a", "d", ""], "a\r\nd\n"],
		["ends a new line as the one before it", "a\nb\r\nc\n", ["a", "b", "new", "c", ""], "a\nb\r\nnew\r\nc\n"],
		["ends a new line at the top as the first", "a\r\nb\n", ["new", "a", "b", ""], "new\r\na\r\nb\n"],
		["gets plain line ends where it had none", "a", ["a", ""], "a\n"],
		["may have been empty", "", ["a", ""], "a\n"],
	])("%s", (_, before, now, after) => {
		expect(contentLike(before, now)).toBe(after);
	});
});
