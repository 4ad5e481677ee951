import { access } from "node:fs/promises";
import path from "node:path";
import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import { describe, expect, test } from "vitest";
import { deleteFileTool } from "./change-files.js";

describe("delete_file", () => {
	test("deletes a file, after showing what is in it", async () => {
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

	test("deletes a binary file, of which there is nothing to show", async () => {
		const box = await ToolFixture.draw({ "a.png": Buffer.from([0xff]) });
		expect((await box.prepare(deleteFileTool, { path: "a.png" })).diffs).toEqual([]);
		expect(await box.call(deleteFileTool, { path: "a.png" })).toBe("Deleted a.png.");
	});

	test.each([
		["a folder", "src", "refused: src is a folder. list_directory shows what is in it."],
		["what is not there", "b.ts", "refused: There is no file b.ts. find_files finds files by their names."],
		["a link", "link", "refused: link is a link. Name the file that it leads to, or leave the link to the user."],
	])("refuses %s", async (_what, name, said) => {
		const box = await ToolFixture.draw({ "src/a.ts": "one", link: "→ src/a.ts" });
		expect(await box.call(deleteFileTool, { path: name })).toBe(said);
		expect(await box.text("src/a.ts")).toBe("one");
	});
});
