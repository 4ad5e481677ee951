import { access } from "node:fs/promises";
import path from "node:path";
import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import { describe, expect, test } from "vitest";
import { deleteFileTool } from "./change-files.js";

describe("delete_file", () => {
	test("shows the content of a file before deleting it", async () => {
		const box = await ToolFixture.draw({ "src/a.ts": "one" });
		const action = await box.prepare(deleteFileTool, { path: "src/a.ts" });
		const file = path.join(box.root, "src/a.ts");
		expect(action).toMatchObject({
			title: "Delete src/a.ts",
			diffs: [{ path: file, before: "one", after: undefined }],
			permissions: [{ kind: "delete", subject: "src/a.ts" }],
		});
		await access(file);
		await action.run(box.calling.signal, () => {});
		await expect(access(file)).rejects.toThrow("ENOENT");
	});

	test("deletes a binary file without a diff", async () => {
		const box = await ToolFixture.draw({ "a.png": Buffer.from([0xff]) });
		expect((await box.prepare(deleteFileTool, { path: "a.png" })).diffs).toEqual([]);
		expect(await box.call(deleteFileTool, { path: "a.png" })).toBe("Deleted a.png.");
	});

	test.each([
		["a folder", "src", "refused: src is a folder. Use list_directory to list it."],
		["a missing file", "b.ts", "refused: b.ts does not exist. Use find_files to find files by name."],
		["a link", "link", "refused: link is a link. Pass the file that it points to, or leave the link to the user."],
	])("refuses %s", async (_what, name, message) => {
		const box = await ToolFixture.draw({ "src/a.ts": "one", link: "→ src/a.ts" });
		expect(await box.call(deleteFileTool, { path: name })).toBe(message);
		expect(await box.text("src/a.ts")).toBe("one");
	});
});
