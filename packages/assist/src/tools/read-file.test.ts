import { Buffer } from "node:buffer";
import { open } from "node:fs/promises";
import path from "node:path";
import { someText } from "@segue/testing/arbitrary";
import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editFileTool } from "./change-files.js";
import { excerptOf } from "./excerpt.js";
import { readFileTool } from "./read-file.js";

// Split so that secret scanners don't report them.
const TOKEN = `ghp_${"aB3dE5fG7hJ9".repeat(3)}`;
const BEGIN = ["-----BEGIN RSA", "PRIVATE", "KEY-----"].join(" ");
const BODY = "MIIEpAIBAAKCAQEA7xYz9Qw0".repeat(3).slice(0, 64);
const PEM = [BEGIN, BODY, BODY, BEGIN.replace("BEGIN", "END")].join("\n");
const MASK = "REDACTED_SECRET_REDACTED_SECRET_REDACTED";

describe("read_file", () => {
	test("masks keys, even if only part of one is read", async () => {
		const box = await ToolFixture.draw({ "a.ts": `const key = "${TOKEN}"\nconst pem = \`${PEM}\`\n` });
		expect(await box.call(readFileTool, { path: "a.ts" })).toContain(`1\tconst key = "${MASK}"`);
		const part = await box.call(readFileTool, { path: "a.ts", first_line: 4, line_count: 1 });
		expect(part).toMatch(/^4\tREDACTED_SECRET_\w{48}\n/);
	});

	test("masks keys in a file that is too large to read at once", async () => {
		const box = await ToolFixture.draw({
			"a.ts": `const key = "${TOKEN}"\n${"x".repeat(1000).concat("\n").repeat(9000)}`,
		});
		const first = await box.call(readFileTool, { path: "a.ts", line_count: 1 });
		expect(first).toContain(`1\tconst key = "${MASK}"`);
	});

	test("does not read a private key, whatever the file's name", async () => {
		const box = await ToolFixture.draw({ "notes.txt": `\n${PEM}\n` });
		expect(await box.call(readFileTool, { path: "notes.txt" })).toBe(
			"refused: notes.txt is a private key, which tools may not read. Continue without it.",
		);
	});

	test.each<readonly [string, string | Uint8Array, object, string]>([
		["numbers the lines", "one\ntwo\n", {}, "1\tone\n2\ttwo"],
		["reads a last line without a line ending", "one\ntwo", {}, "1\tone\n2\ttwo"],
		["hides carriage returns and the byte order mark", "\ufeffone\r\ntwo\r\n", {}, "1\tone\n2\ttwo"],
		[
			"reads a range of lines",
			"1\n2\n3\n4\n",
			{ first_line: 2, line_count: 2 },
			"2\t2\n3\t3\n\n(More lines follow. Continue with first_line 4.)",
		],
		["reads the last lines", "1\n2\n3\n", { first_line: 2, line_count: 9 }, "2\t2\n3\t3"],
		["reports an empty file", "", {}, "a.txt is empty."],
		[
			"reports the number of lines if the range starts after the end",
			"1\n2\n",
			{ first_line: 3 },
			"refused: a.txt has only 2 lines.",
		],
		["shows empty lines", "\n\n", {}, "1\t\n2\t"],
		["refuses binary data", Buffer.from([0x89, 0x50, 0x4e, 0xff]), {}, NO_TEXT()],
		["refuses UTF-16", Buffer.from("plain", "utf16le"), {}, NO_TEXT()],
		["refuses Latin-1", Buffer.from("caf\xe9", "latin1"), {}, NO_TEXT()],
	])("%s", async (_title, content, lines, output) => {
		const box = await ToolFixture.draw({ "a.txt": content });
		expect(await box.call(readFileTool, { path: "a.txt", ...lines })).toBe(output);
	});

	function NO_TEXT(): string {
		return "refused: a.txt is not UTF-8 text. It is binary or has another encoding.";
	}

	test("suggests find_files if a file does not exist", async () => {
		const box = await ToolFixture.draw({});
		expect(await box.call(readFileTool, { path: "a.txt" })).toBe(
			"refused: a.txt does not exist. Use find_files to find files by name.",
		);
	});

	test("returns at most 2000 lines and the number of the next one", async () => {
		const box = await ToolFixture.draw({ "a.txt": "x\n".repeat(5000) });
		const output = await box.call(readFileTool, { path: "a.txt", first_line: 11, line_count: 4000 });
		expect(output.split("\n")).toHaveLength(2000 + 2);
		expect(output).toMatch(/\n2010\tx\n\n\(More lines follow\. Continue with first_line 2011\.\)$/);
	});

	test("truncates long lines and returns fewer lines", async () => {
		const box = await ToolFixture.draw({ "a.txt": `${"x".repeat(3000)}\r\n`.repeat(100) });
		const output = await box.call(readFileTool, { path: "a.txt" });
		expect(output).toContain(`1\t${"x".repeat(2000)}… (1000 more characters in this line)\n2\t`);
		expect(output.length).toBeLessThan(90_000);
		expect(output).toMatch(/Continue with first_line \d\d\.\)$/);
	});

	test("does not split surrogate pairs", async () => {
		const box = await ToolFixture.draw({ "a.txt": `x${"😀".repeat(1000)}` });
		expect(await box.call(readFileTool, { path: "a.txt" })).toBe(
			`1\tx${"😀".repeat(999)}… (1 more characters in this line)`,
		);
	});

	test("reports the lines read, for storage in the thread", async () => {
		const box = await ToolFixture.draw({ "src/a.txt": "1\r\n2\r\n3\r\n" });
		const action = await box.prepare(readFileTool, { path: "src/a.txt", first_line: 2, line_count: 2 });
		expect(action).toMatchObject({ title: "Read src/a.txt, lines 2–3", diffs: [], permissions: [] });
		const file = path.join(box.root, "src/a.txt");
		expect(action.locations).toEqual([{ path: file, line: 2 }]);
		expect((await action.run(box.calling.signal, () => {})).read).toEqual([{ path: file, content: "2\n3" }]);
	});

	test("reads part of a file that is too large to edit", async () => {
		const box = await ToolFixture.draw({});
		const handle = await open(path.join(box.root, "log"), "w");
		const block = "a line of é and 漢\n".repeat(50_000);
		for (let i = 0; i < 10; i++) await handle.write(block);
		await handle.close();
		expect(await box.call(readFileTool, { path: "log", first_line: 499_999 })).toBe(
			"499999\ta line of é and 漢\n500000\ta line of é and 漢",
		);
		expect(await box.call(editFileTool, { path: "log", old_text: "a", new_text: "b" })).toMatch(
			/^refused: log has \d+ bytes\. Only files up to 8388608 bytes can be read at once\.$/,
		);
	});

	test("stops reading a large file when the turn is cancelled", async () => {
		const box = await ToolFixture.draw({ log: "x\n".repeat(5 * 2 ** 20) });
		const action = await box.prepare(readFileTool, { path: "log", first_line: 5 * 2 ** 20 });
		box.calling.abort();
		await expect(action.run(box.calling.signal, () => {})).rejects.toThrow(/aborted/);
	});

	test("returns any range of lines from any text", async () => {
		await fc.assert(
			fc.asyncProperty(
				someText(),
				fc.integer({ min: 1, max: 6 }),
				fc.integer({ min: 1, max: 6 }),
				async (text, first, count) => {
					const { lines, seen, hasMore } = await excerptOf([text], first, count);
					const all = linesOf(text);
					expect(lines).toEqual(all.slice(first - 1, first - 1 + count));
					expect(hasMore).toBe(all.length > first - 1 + count);
					expect(seen).toBe(hasMore ? first - 1 + count : all.length);
				},
			),
		);
	});

	test("returns the same lines if the text arrives in chunks", async () => {
		const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "\r", "\n", "\r\n", "😀"), maxLength: 4 }));
		await fc.assert(
			fc.asyncProperty(pieces, fc.integer({ min: 1, max: 4 }), async (chunks, first) => {
				expect(await excerptOf(chunks, first, 3)).toEqual(await excerptOf([chunks.join("")], first, 3));
			}),
		);
	});
});

/** The reference implementation. */
function linesOf(text: string): string[] {
	const lines = text.replace(/^\ufeff/, "").split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines.map((line) => line.replace(/\r$/, ""));
}
