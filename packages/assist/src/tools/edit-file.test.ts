import path from "node:path";
import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editFileTool } from "./change-files.js";
import { readFileTool } from "./read-file.js";
import { replaceExactly } from "./replacement.js";

// In parts, so that scanners of repositories don't take them for real ones.
const TOKEN = `ghp_${"aB3dE5fG7hJ9".repeat(3)}`;
const MASK = "REDACTED_SECRET_REDACTED_SECRET_REDACTED";

async function edited(
	content: string | Uint8Array,
	old_text: string,
	new_text: string,
	all?: boolean,
): Promise<string> {
	const box = await ToolFixture.draw({ "a.ts": content });
	await box.call(readFileTool, { path: "a.ts" });
	const said = await box.call(editFileTool, { path: "a.ts", old_text, new_text, all });
	return said === "Edited a.ts." ? box.text("a.ts") : said;
}

describe("edit_file", () => {
	test.each([
		["replaces what is there once", "one two\n", "two", "2", "one 2\n"],
		["keeps a missing line end at the end", "one\ntwo", "two", "2", "one\n2"],
		["keeps a byte order mark", "\ufeffone\n", "one", "1", "\ufeff1\n"],
		["keeps CRLF", "one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2", "1\r\n2\r\nthree\r\n"],
		["takes CRLF for a line end", "one\ntwo\n", "one\r\ntwo", "1\r\n2", "1\n2\n"],
		["writes CRLF where most lines have it", "one\r\ntwo\r\nthree\n", "two", "2\n2", "one\r\n2\r\n2\r\nthree\n"],
		["takes dollars for dollars", "price", "price", "$& $1 $$", "$& $1 $$"],
		["deletes", "one two", " two", "", "one"],
	])("%s", async (_title, content, old, now, result) => {
		expect(await edited(content, old, now)).toBe(result);
	});

	test.each([
		["that nothing was sought", "one", "", "two", "refused: old_text is empty. To make a new file, use write_file."],
		[
			"that nothing would change",
			"one",
			"one",
			"one",
			"refused: old_text and new_text are the same: nothing would change.",
		],
		[
			"where a text is that is there several times",
			"a\nb\na\n".repeat(6),
			"a",
			"b",
			"refused: old_text is in the file 12 times, at the lines 1, 3, 4, 6, 7, 9, 10, 12, 13, 15 and more. " +
				"Take in more lines around it so that it is there once, or set all to replace each.",
		],
		[
			"which lines are nearest when a text is not there",
			"import a\n\nfunction area(width, height) {\n\treturn width * height;\n}\n",
			"function area(width,height) {\n  return width * height;",
			"",
			"refused: old_text is not in the file. It has to be there to the letter, with spaces and line ends. The nearest lines are:\n" +
				"1\timport a\n2\t\n3\tfunction area(width, height) {\n4\t\treturn width * height;\n5\t}\n6\t",
		],
		[
			"that nothing is similar",
			"one\n",
			"something else",
			"",
			"refused: old_text is not in the file. Nothing in it is similar; read the file again.",
		],
		[
			"that half a character makes no text",
			"one",
			"one",
			"\ud83d",
			"refused: The text holds a NUL or half a character, and would make a binary file. Write it without.",
		],
	])("says %s", async (_title, content, old, now, said) => {
		expect(await edited(content, old, now)).toBe(said);
	});

	test.each([
		["a line with a mask", `const key = "${MASK}"`, 'const key = "x"'],
		["a line by one with a mask", "const a = 1", `const a = "${MASK}"`],
		["a line by one with a part of a mask", "const a = 1", "const a = REDACTED_SECRET"],
	])("does not replace %s", async (_title, old, now) => {
		const said = await edited(`const key = "${TOKEN}"\nconst a = 1\n`, old, now);
		expect(said).toMatch(/^refused: REDACTED_SECRET_ stands for a key or password in a\.ts that you are not shown/);
	});

	test("edits around a key, on the same line too", async () => {
		const text = `const key = "${TOKEN}"\nconst a = 1\n`;
		expect(await edited(text, "const key =", "export const key =")).toBe(`export ${text}`);
	});

	test("does not say whether a guessed key is right", async () => {
		const text = `const key = "${TOKEN}"\nconst a = 1\n`;
		const wrong = `${TOKEN.slice(0, -1)}${TOKEN.endsWith("a") ? "b" : "a"}`;
		for (const write of [(guess: string) => guess, () => "x"]) {
			const said = await edited(text, wrong, write(wrong));
			expect(said).toMatch(/^refused: old_text is not in the file/);
			expect(await edited(text, TOKEN, write(TOKEN))).toBe(said);
		}
		expect(await edited(text, TOKEN.slice(0, 8), "x")).toMatch(/^refused: old_text is not in the file/);
	});

	test("does not replace a part of a key by a part of its mask", async () => {
		const said = await edited(`const key = "${TOKEN}"\nconst a = 1\n`, 'key = "REDACTED', 'key = "x');
		expect(said).toMatch(/^refused: old_text is not in the file/);
	});

	test("edits a file that holds the mask itself", async () => {
		expect(await edited("log(REDACTED_SECRET)\n", "log(REDACTED_SECRET)", "print(REDACTED_SECRET)")).toBe(
			"print(REDACTED_SECRET)\n",
		);
	});

	test("shows no key in the nearest lines", async () => {
		const said = await edited(
			`const key = "${TOKEN}"\nfunction area(width, height) {\n`,
			"function area(width,height) {",
			"",
		);
		expect(said).toContain(`1\tconst key = "${MASK}"\n2\tfunction area`);
	});

	test("replaces all where it is told to", async () => {
		expect(await edited("a\r\nb\r\na\r\nb\r\n", "a\nb\n", "c\n", true)).toBe("c\r\nc\r\n");
	});

	test("refuses what is no text", async () => {
		expect(await edited(Buffer.from("caf\xe9", "latin1"), "caf", "")).toMatch(/^refused: a\.ts is not text in UTF-8/);
	});

	test("shows what it would do before it does it", async () => {
		const box = await ToolFixture.draw({ "src/a.ts": "one\ntwo\n" });
		await box.call(readFileTool, { path: "src/a.ts" });
		const action = await box.prepare(editFileTool, { path: "src/a.ts", old_text: "two", new_text: "2" });
		const file = path.join(box.root, "src/a.ts");
		expect(action).toMatchObject({
			title: "Edit src/a.ts",
			locations: [{ path: file, line: 2 }],
			diffs: [{ path: file, before: "one\ntwo\n", after: "one\n2\n" }],
			permissions: [{ kind: "edit", subject: "src/a.ts" }],
		});
		expect(await box.text("src/a.ts")).toBe("one\ntwo\n");
	});

	const words = fc.string({ unit: fc.constantFrom("a", "b", "\n", "$", "é"), maxLength: 20 });

	test("does what String.replace does", () => {
		fc.assert(
			fc.property(
				words,
				fc.string({ unit: fc.constantFrom("a", "b", "\n"), minLength: 1, maxLength: 2 }),
				words,
				(text, old, now) => {
					const count = text.split(old).length - 1;
					fc.pre(count > 0 && old !== now);
					expect(replaceExactly(text, old, now, true)).toBe(text.replaceAll(old, () => now));
					if (count === 1) expect(replaceExactly(text, old, now, false)).toBe(text.replace(old, () => now));
					else expect(() => replaceExactly(text, old, now, false)).toThrow(`${count} times`);
				},
			),
		);
	});

	test("does the same in a text with CRLF as in one with LF", () => {
		const crlf = (text: string) => text.replaceAll("\n", "\r\n");
		fc.assert(
			fc.property(
				words,
				fc.string({ unit: fc.constantFrom("a", "\n"), minLength: 1, maxLength: 3 }),
				words,
				(text, old, now) => {
					fc.pre(text.includes(old) && text.includes("\n") && old !== now);
					expect(replaceExactly(crlf(text), old, now, true)).toBe(crlf(replaceExactly(text, old, now, true)));
				},
			),
		);
	});
});
