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

// In parts, so that scanners of repositories don't take them for real ones.
const TOKEN = `ghp_${"aB3dE5fG7hJ9".repeat(3)}`;
const BEGIN = ["-----BEGIN RSA", "PRIVATE", "KEY-----"].join(" ");
const BODY = "MIIEpAIBAAKCAQEA7xYz9Qw0".repeat(3).slice(0, 64);
const PEM = [BEGIN, BODY, BODY, BEGIN.replace("BEGIN", "END")].join("\n");
const MASK = "REDACTED_SECRET_REDACTED_SECRET_REDACTED";

describe("read_file", () => {
	test("masks keys, also where only a part of one is read", async () => {
		const box = await ToolFixture.draw({ "a.ts": `const key = "${TOKEN}"\nconst pem = \`${PEM}\`\n` });
		expect(await box.call(readFileTool, { path: "a.ts" })).toContain(`1\tconst key = "${MASK}"`);
		const part = await box.call(readFileTool, { path: "a.ts", first_line: 4, line_count: 1 });
		expect(part).toMatch(/^4\tREDACTED_SECRET_\w{48}\n/);
	});

	test("masks keys in a file that is too large to be read whole", async () => {
		const box = await ToolFixture.draw({
			"a.ts": `const key = "${TOKEN}"\n${"x".repeat(1000).concat("\n").repeat(9000)}`,
		});
		const first = await box.call(readFileTool, { path: "a.ts", line_count: 1 });
		expect(first).toContain(`1\tconst key = "${MASK}"`);
	});

	test("does not read a private key, whatever its name", async () => {
		const box = await ToolFixture.draw({ "notes.txt": `\n${PEM}\n` });
		expect(await box.call(readFileTool, { path: "notes.txt" })).toBe(
			"refused: notes.txt is a private key, and no tool reads it. Do without it.",
		);
	});

	test.each<readonly [string, string | Uint8Array, object, string]>([
		["numbers the lines", "one\ntwo\n", {}, "1\tone\n2\ttwo"],
		["reads a last line without an end", "one\ntwo", {}, "1\tone\n2\ttwo"],
		["shows neither carriage returns nor a byte order mark", "\ufeffone\r\ntwo\r\n", {}, "1\tone\n2\ttwo"],
		[
			"reads some lines",
			"1\n2\n3\n4\n",
			{ first_line: 2, line_count: 2 },
			"2\t2\n3\t3\n\n(There is more. Go on with first_line 4.)",
		],
		["reads the last lines", "1\n2\n3\n", { first_line: 2, line_count: 9 }, "2\t2\n3\t3"],
		["says that a file is empty", "", {}, "a.txt is empty."],
		["says how many lines there are", "1\n2\n", { first_line: 3 }, "refused: a.txt has only 2 lines."],
		["shows empty lines", "\n\n", {}, "1\t\n2\t"],
		["takes no bytes for text", Buffer.from([0x89, 0x50, 0x4e, 0xff]), {}, NO_TEXT()],
		["takes no UTF-16 for text", Buffer.from("plain", "utf16le"), {}, NO_TEXT()],
		["takes no Latin-1 for text", Buffer.from("caf\xe9", "latin1"), {}, NO_TEXT()],
	])("%s", async (_title, content, lines, output) => {
		const box = await ToolFixture.draw({ "a.txt": content });
		expect(await box.call(readFileTool, { path: "a.txt", ...lines })).toBe(output);
	});

	function NO_TEXT(): string {
		return "refused: a.txt is not text in UTF-8: a binary file, or one in another encoding.";
	}

	test("says that there is no file, and how to find it", async () => {
		const box = await ToolFixture.draw({});
		expect(await box.call(readFileTool, { path: "a.txt" })).toBe(
			"refused: There is no file a.txt. find_files finds files by their names.",
		);
	});

	test("shows at most 2000 lines, whatever is asked for, and how to go on", async () => {
		const box = await ToolFixture.draw({ "a.txt": "x\n".repeat(5000) });
		const output = await box.call(readFileTool, { path: "a.txt", first_line: 11, line_count: 4000 });
		expect(output.split("\n")).toHaveLength(2000 + 2);
		expect(output).toMatch(/\n2010\tx\n\n\(There is more\. Go on with first_line 2011\.\)$/);
	});

	test("shows the start of long lines, and fewer of them", async () => {
		const box = await ToolFixture.draw({ "a.txt": `${"x".repeat(3000)}\r\n`.repeat(100) });
		const output = await box.call(readFileTool, { path: "a.txt" });
		expect(output).toContain(`1\t${"x".repeat(2000)}… (1000 more characters in this line)\n2\t`);
		expect(output.length).toBeLessThan(90_000);
		expect(output).toMatch(/Go on with first_line \d\d\.\)$/);
	});

	test("cuts no character in half", async () => {
		const box = await ToolFixture.draw({ "a.txt": `x${"😀".repeat(1000)}` });
		expect(await box.call(readFileTool, { path: "a.txt" })).toBe(
			`1\tx${"😀".repeat(999)}… (1 more characters in this line)`,
		);
	});

	test("tells what was read, for the thread", async () => {
		const box = await ToolFixture.draw({ "src/a.txt": "1\r\n2\r\n3\r\n" });
		const action = await box.prepare(readFileTool, { path: "src/a.txt", first_line: 2, line_count: 2 });
		expect(action).toMatchObject({ title: "Read src/a.txt, lines 2–3", diffs: [], permissions: [] });
		const file = path.join(box.root, "src/a.txt");
		expect(action.locations).toEqual([{ path: file, line: 2 }]);
		expect((await action.run(box.calling.signal, () => {})).read).toEqual([{ path: file, content: "2\n3" }]);
	});

	test("reads a part of a file that is far too large, and lets nobody edit it", async () => {
		const box = await ToolFixture.draw({});
		const handle = await open(path.join(box.root, "log"), "w");
		const block = "a line of é and 漢\n".repeat(50_000);
		for (let i = 0; i < 10; i++) await handle.write(block);
		await handle.close();
		expect(await box.call(readFileTool, { path: "log", first_line: 499_999 })).toBe(
			"499999\ta line of é and 漢\n500000\ta line of é and 漢",
		);
		expect(await box.call(editFileTool, { path: "log", old_text: "a", new_text: "b" })).toMatch(
			/^refused: log has \d+ bytes, more than the 8388608 that are read at once\.$/,
		);
	});

	test("stops reading a large file when the turn is cancelled", async () => {
		const box = await ToolFixture.draw({ log: "x\n".repeat(5 * 2 ** 20) });
		const action = await box.prepare(readFileTool, { path: "log", first_line: 5 * 2 ** 20 });
		box.calling.abort();
		await expect(action.run(box.calling.signal, () => {})).rejects.toThrow(/aborted/);
	});

	test("shows the lines of any text, by any range", async () => {
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

	test("shows the same lines of a text that comes in pieces", async () => {
		const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "\r", "\n", "\r\n", "😀"), maxLength: 4 }));
		await fc.assert(
			fc.asyncProperty(pieces, fc.integer({ min: 1, max: 4 }), async (chunks, first) => {
				expect(await excerptOf(chunks, first, 3)).toEqual(await excerptOf([chunks.join("")], first, 3));
			}),
		);
	});
});

/** The dumbest way. */
function linesOf(text: string): string[] {
	const lines = text.replace(/^\ufeff/, "").split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines.map((line) => line.replace(/\r$/, ""));
}
