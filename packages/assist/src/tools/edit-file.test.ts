import path from "node:path";
import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editFileTool } from "./change-files.js";
import { readFileTool } from "./read-file.js";
import { replaceExactly } from "./replacement.js";

// Split so that secret scanners don't report them.
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
	const output = await box.call(editFileTool, { path: "a.ts", old_text, new_text, all });
	return output === "Edited a.ts." ? box.text("a.ts") : output;
}

describe("edit_file", () => {
	test.each([
		["replaces text that is unique", "one two\n", "two", "2", "one 2\n"],
		["adds no line ending at the end of the file", "one\ntwo", "two", "2", "one\n2"],
		["keeps a byte order mark", "\ufeffone\n", "one", "1", "\ufeff1\n"],
		["keeps CRLF", "one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2", "1\r\n2\r\nthree\r\n"],
		["matches CRLF in old_text", "one\ntwo\n", "one\r\ntwo", "1\r\n2", "1\n2\n"],
		["inserts CRLF if most lines use it", "one\r\ntwo\r\nthree\n", "two", "2\n2", "one\r\n2\r\n2\r\nthree\n"],
		["inserts dollar signs literally", "price", "price", "$& $1 $$", "$& $1 $$"],
		["deletes text", "one two", " two", "", "one"],
	])("%s", async (_title, content, old, now, result) => {
		expect(await edited(content, old, now)).toBe(result);
	});

	test.each([
		["an empty old_text", "one", "", "two", "refused: old_text is empty. To create a file, use write_file."],
		[
			"a replacement that changes nothing",
			"one",
			"one",
			"one",
			"refused: old_text and new_text are the same, so nothing would change.",
		],
		[
			"ambiguous text and reports its lines",
			"a\nb\na\n".repeat(6),
			"a",
			"b",
			"refused: old_text occurs 12 times, on lines 1, 3, 4, 6, 7, 9, 10, 12, 13, 15 and more. " +
				"Include more surrounding lines to make it unique, or set all to replace every occurrence.",
		],
		[
			"text that is missing and shows the nearest lines",
			"import a\n\nfunction area(width, height) {\n\treturn width * height;\n}\n",
			"function area(width,height) {\n  return width * height;",
			"",
			"refused: old_text is not in the file. It must match exactly, including whitespace and line breaks. The nearest lines are:\n" +
				"1\timport a\n2\t\n3\tfunction area(width, height) {\n4\t\treturn width * height;\n5\t}\n6\t",
		],
		[
			"text that is not similar to any line",
			"one\n",
			"something else",
			"",
			"refused: old_text is not in the file. No similar line found; read the file again.",
		],
		[
			"an unpaired surrogate",
			"one",
			"one",
			"\ud83d",
			"refused: The text contains a NUL or an unpaired surrogate, which is not allowed. Remove it.",
		],
	])("refuses %s", async (_title, content, old, now, message) => {
		expect(await edited(content, old, now)).toBe(message);
	});

	test.each([
		["a line that contains a mask", `const key = "${MASK}"`, 'const key = "x"'],
		["a line with a line that contains a mask", "const a = 1", `const a = "${MASK}"`],
		["a line with a line that contains part of a mask", "const a = 1", "const a = REDACTED_SECRET"],
	])("does not replace %s", async (_title, old, now) => {
		const output = await edited(`const key = "${TOKEN}"\nconst a = 1\n`, old, now);
		expect(output).toMatch(/^refused: REDACTED_SECRET_ replaces a key or password in a\.ts that is hidden from you/);
	});

	test("edits the text around a key on the same line", async () => {
		const text = `const key = "${TOKEN}"\nconst a = 1\n`;
		expect(await edited(text, "const key =", "export const key =")).toBe(`export ${text}`);
	});

	test("does not reveal whether a guessed key is right", async () => {
		const text = `const key = "${TOKEN}"\nconst a = 1\n`;
		const wrong = `${TOKEN.slice(0, -1)}${TOKEN.endsWith("a") ? "b" : "a"}`;
		for (const write of [(guess: string) => guess, () => "x"]) {
			const output = await edited(text, wrong, write(wrong));
			expect(output).toMatch(/^refused: old_text is not in the file/);
			expect(await edited(text, TOKEN, write(TOKEN))).toBe(output);
		}
		expect(await edited(text, TOKEN.slice(0, 8), "x")).toMatch(/^refused: old_text is not in the file/);
	});

	test("does not replace part of a key with part of its mask", async () => {
		const output = await edited(`const key = "${TOKEN}"\nconst a = 1\n`, 'key = "REDACTED', 'key = "x');
		expect(output).toMatch(/^refused: old_text is not in the file/);
	});

	test("edits a file that literally contains a mask", async () => {
		expect(await edited("log(REDACTED_SECRET)\n", "log(REDACTED_SECRET)", "print(REDACTED_SECRET)")).toBe(
			"print(REDACTED_SECRET)\n",
		);
	});

	test("masks keys in the nearest lines", async () => {
		const output = await edited(
			`const key = "${TOKEN}"\nfunction area(width, height) {\n`,
			"function area(width,height) {",
			"",
		);
		expect(output).toContain(`1\tconst key = "${MASK}"\n2\tfunction area`);
	});

	test("replaces every occurrence if all is set", async () => {
		expect(await edited("a\r\nb\r\na\r\nb\r\n", "a\nb\n", "c\n", true)).toBe("c\r\nc\r\n");
	});

	test("refuses a file that is not text", async () => {
		expect(await edited(Buffer.from("caf\xe9", "latin1"), "caf", "")).toMatch(/^refused: a\.ts is not UTF-8 text/);
	});

	test("shows the change before making it", async () => {
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

	test("replaces text in the same way as String.replace", () => {
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

	test("makes the same replacements with CRLF line endings as with LF", () => {
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
