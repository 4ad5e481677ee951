import fc from "fast-check";
import { expect, test } from "vitest";
import { codeBlock, errorText, maskSecrets, sanitize, sanitizeLine } from "./sanitize.js";

test.each([
	["plain text", "plain text"],
	["a\tb\nc", "a\tb\nc"],
	["a\r\nb\r\n", "a\nb\n"],
	["10%\r20%", "10%␍20%"],
	["\x1b[31mred\x1b[0m", "␛[31mred␛[0m"],
	["\x1b]0;title\x07", "␛]0;title␇"],
	["\x1b]52;c;ZXZpbA==\x1b\\", "␛]52;c;ZXZpbA==␛\\"],
	["\x9b2J", "\\u{9b}2J"],
	["a\x08b\x7f", "a␈b␡"],
	["rm \u202etxt.a", "rm \\u{202e}txt.a"],
	["naïve 日本 🎉", "naïve 日本 🎉"],
])("shows %j as %j", (text, shown) => {
	expect(sanitize(text)).toBe(shown);
});

test("keeps a title on one line", () => {
	expect(sanitizeLine("  run\n  this\tnow\r\n\x1b[2J ")).toBe("run this now ␛[2J");
});

test("removes all terminal control characters, wherever the text is split", () => {
	const nasty = fc.string({
		unit: fc.constantFrom("\x1b", "[", "2", "J", "\r", "\n", "\x9b", "\x07", "a", "\u202e", "\x00"),
	});
	fc.assert(
		fc.property(nasty, nasty, (before, after) => {
			const shown = sanitize(before) + sanitize(after);
			// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are to be matched
			expect(shown).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
		}),
	);
});

test.each([
	["ls", "```sh\nls\n```"],
	["ls\n", "```sh\nls\n```"],
	["a\n  ```\nrm", "````sh\na\n  ```\nrm\n````"],
	["`````", "``````sh\n`````\n``````"],
])("text cannot close its code block: %j", (text, block) => {
	expect(codeBlock("sh", text)).toBe(block);
});

test("masks the longest secret first, and skips short ones", () => {
	expect(maskSecrets("key-123 key-123-long key", ["key", "key-123", "key-123-long"], 4)).toBe("*** *** key");
});

test.each([
	[new Error("no such file"), "no such file"],
	["a string", "a string"],
	[undefined, "undefined"],
])("returns the message of %s", (thrown, text) => {
	expect(errorText(thrown)).toBe(text);
});
