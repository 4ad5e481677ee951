import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import { describe, expect, test } from "vitest";
import { listDirectoryTool } from "./list-directory.js";

describe("list_directory", () => {
	const TREE = {
		".ignored": "dist/\nlog.txt\n",
		"README.md": "",
		"src/b.ts": "",
		"src/a.ts": "",
		"src/deep/c.ts": "",
		"src/to-deep": "→ deep",
		"src/out": "→ /etc",
		"dist/a.js": "",
		"dist/.env": "",
		"log.txt": "",
		"empty/": "",
		".env": "",
	};

	test.each([
		["the workspace", {}, ".ignored\nREADME.md\nempty/\nsrc/\n(3 skipped: ignored, secret or unusable)"],
		[
			"a folder, with links that stay inside",
			{ path: "src" },
			"a.ts\nb.ts\ndeep/\nto-deep/\n(1 skipped: ignored, secret or unusable)",
		],
		["an empty folder", { path: "empty/" }, "empty is empty."],
		[
			"an ignored folder if it is named, but not its secret files",
			{ path: "dist" },
			"a.js\n(1 skipped: ignored, secret or unusable)",
		],
	])("lists %s", async (_what, input, output) => {
		const box = await ToolFixture.draw(TREE);
		expect(await box.call(listDirectoryTool, input)).toBe(output);
	});

	test.each([
		["a file", { path: "README.md" }, "refused: README.md is not a folder."],
		["a missing folder", { path: "lib" }, "refused: The folder lib does not exist."],
	])("refuses %s", async (_what, input, output) => {
		const box = await ToolFixture.draw(TREE);
		expect(await box.call(listDirectoryTool, input)).toBe(output);
	});

	test("needs permission for an ignored folder", async () => {
		const box = await ToolFixture.draw(TREE);
		const { permissions } = await box.prepare(listDirectoryTool, { path: "dist" });
		expect(permissions).toEqual([{ kind: "read-ignored", subject: "dist" }]);
	});

	test("skips names that are not allowed in a path", async () => {
		const box = await ToolFixture.draw({ "a…": "", "a\u200bb": "", "a\nb": "", "~a": "", b: "" });
		expect(await box.call(listDirectoryTool, {})).toBe("b\n(4 skipped: ignored, secret or unusable)");
	});

	test("lists at most 1000 entries", async () => {
		const box = await ToolFixture.draw(Object.fromEntries(Array.from({ length: 1003 }, (_, i) => [`${i}`, ""])));
		const lines = (await box.call(listDirectoryTool, {})).split("\n");
		expect(lines).toHaveLength(1001);
		expect(lines.at(-1)).toBe("(3 more not listed. Use find_files with a pattern.)");
	});
});
