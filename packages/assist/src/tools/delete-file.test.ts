import { access } from "node:fs/promises";
import path from "node:path";
import { Toolbox } from "@segue/testing/toolbox";
import { describe, expect, test } from "vitest";
import { deleteFile } from "./delete-file.js";

describe("delete_file", () => {
	test("deletes a file, after showing what is in it", async () => {
		const box = await Toolbox.draw({ "src/a.ts": "one" });
		const action = await box.prepare(deleteFile, { path: "src/a.ts" });
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
		const box = await Toolbox.draw({ "a.png": Buffer.from([0xff]) });
		expect((await box.prepare(deleteFile, { path: "a.png" })).diffs).toEqual([]);
		expect(await box.call(deleteFile, { path: "a.png" })).toBe("Deleted a.png.");
	});

	test.each([
		["a folder", "src", "refused: src is a folder. list_directory shows what is in it."],
		["what is not there", "b.ts", "refused: There is no file b.ts. find_files finds files by their names."],
		["a link", "link", "refused: link is a link. Name the file that it leads to, or leave the link to the user."],
	])("refuses %s", async (_what, name, said) => {
		const box = await Toolbox.draw({ "src/a.ts": "one", link: "→ src/a.ts" });
		expect(await box.call(deleteFile, { path: name })).toBe(said);
		expect(await box.text("src/a.ts")).toBe("one");
	});
});
