import path from "node:path";
import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import { describe, expect, test } from "vitest";
import { writeFileTool } from "./change-files.js";
import { readFileTool } from "./read-file.js";

describe("write_file", () => {
	test("does not overwrite a key with its mask", async () => {
		const before = `const key = "${`ghp_${"aB3dE5fG7hJ9".repeat(3)}`}"\nlog(1)\n`;
		const box = await ToolFixture.draw({ "a.ts": before });
		const read = await box.call(readFileTool, { path: "a.ts" });
		const content = read.replace(/^\d+\t/gm, "").replace("log(1)", "log(2)");
		expect(await box.call(writeFileTool, { path: "a.ts", content })).toMatch(
			/^refused: REDACTED_SECRET_ replaces a key/,
		);
		expect(await box.call(writeFileTool, { path: "b.ts", content })).toMatch(
			/^refused: REDACTED_SECRET_ replaces a key/,
		);
		expect(await box.text("a.ts")).toBe(before);
	});

	test("shows a new file, and then creates it with its parent folders", async () => {
		const box = await ToolFixture.draw({});
		const action = await box.prepare(writeFileTool, { path: "src/deep/a.ts", content: "one\r\n" });
		const file = path.join(box.root, "src/deep/a.ts");
		expect(action).toMatchObject({
			title: "Create src/deep/a.ts",
			diffs: [{ path: file, before: undefined, after: "one\r\n" }],
			permissions: [{ kind: "edit", subject: "src/deep/a.ts" }],
		});
		await expect(box.text("src/deep/a.ts")).rejects.toThrow("ENOENT");
		expect((await action.run(box.calling.signal, () => {})).output).toBe("Created src/deep/a.ts.");
		expect(await box.text("src/deep/a.ts")).toBe("one\r\n");
	});

	test.each([
		["its line endings and byte order mark", "\ufeffone\r\ntwo\r\n", "1\n2\n", "\ufeff1\r\n2\r\n"],
		["the line endings of the new content if the file had none", "one", "1\n2\n", "1\n2\n"],
	])("replaces a file that was read, and keeps %s", async (_what, before, content, after) => {
		const box = await ToolFixture.draw({ "a.ts": before });
		await box.call(readFileTool, { path: "a.ts" });
		expect(await box.call(writeFileTool, { path: "a.ts", content })).toBe("Edited a.ts.");
		expect(await box.text("a.ts")).toBe(after);
	});

	test.each([
		["refuses a file that was read only partially", [[1, 2]], "refused: You have read only part of a.ts."],
		[
			"refuses a file that was read with gaps",
			[
				[1, 1],
				[3, 9],
			],
			"refused: You have read only part",
		],
		[
			"replaces a file that was read in several parts",
			[
				[1, 2],
				[2, 9],
			],
			"Edited a.ts.",
		],
	])("%s", async (_what, parts, output) => {
		const box = await ToolFixture.draw({ "a.ts": "1\n2\n3\n4\n" });
		for (const [first_line, line_count] of parts)
			await box.call(readFileTool, { path: "a.ts", first_line, line_count });
		expect(await box.call(writeFileTool, { path: "a.ts", content: "new" })).toContain(output);
	});

	test("refuses a file with a line that was truncated", async () => {
		const box = await ToolFixture.draw({ "a.ts": "x".repeat(3000) });
		await box.call(readFileTool, { path: "a.ts" });
		expect(await box.call(writeFileTool, { path: "a.ts", content: "new" })).toContain(
			"refused: You have read only part",
		);
	});

	test.each([
		["a NUL", "a.ts", "\0", "refused: The text contains a NUL or an unpaired surrogate"],
		["unchanged content", "known.ts", "known", "refused: known.ts already has this content, so nothing would change."],
		[
			"a path below a file",
			"known.ts/a.ts",
			"",
			'refused: "known.ts/a.ts": a part of the path is a file, not a folder.',
		],
	])("refuses %s", async (_what, name, content, message) => {
		const box = await ToolFixture.draw({ "known.ts": "known" });
		await box.call(readFileTool, { path: "known.ts" });
		expect(await box.call(writeFileTool, { path: name, content })).toContain(message);
	});
});
