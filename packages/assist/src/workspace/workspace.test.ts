import * as fs from "node:fs/promises";
import { chmod, chown, open, readdir, stat, utimes, writeFile as writeOnDisk } from "node:fs/promises";
import path from "node:path";
import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import { describe, expect, test, vi } from "vitest";
import type { Buffers } from "../client.js";
import { deleteFileTool, editFileTool, writeFileTool } from "../tools/change-files.js";
import { findFilesTool } from "../tools/find-files.js";
import { listDirectoryTool } from "../tools/list-directory.js";
import { readFileTool } from "../tools/read-file.js";
import { searchTool } from "../tools/search.js";
import type { FileSystem } from "./disk.js";
import { ThreadWorkspace } from "./workspace.js";

const EDIT = { path: "a.ts", old_text: "one", new_text: "two" };

async function drawRead(picture: Parameters<typeof ToolFixture.draw>[0]): Promise<ToolFixture> {
	const box = await ToolFixture.draw(picture);
	await box.call(readFileTool, { path: "a.ts" });
	return box;
}

describe("a file", () => {
	test("must be read before it is edited or overwritten", async () => {
		const box = await ToolFixture.draw({ "a.ts": "one" });
		expect(await box.call(editFileTool, EDIT)).toBe("refused: Read a.ts before you change it.");
		expect(await box.call(writeFileTool, { path: "a.ts", content: "" })).toBe(
			"refused: Read a.ts before you change it.",
		);
		expect(await box.text("a.ts")).toBe("one");
	});

	test("must be read again after it changes, even if its time and size are the same", async () => {
		const box = await drawRead({ "a.ts": "one 1" });
		const file = path.join(box.root, "a.ts");
		const { atime, mtime } = await stat(file);
		await writeOnDisk(file, "one 2");
		await utimes(file, atime, mtime);
		const message = "refused: a.ts has changed since you read it. Read it again before you change it.";
		expect(await box.call(editFileTool, EDIT)).toBe(message);
		expect(await box.call(writeFileTool, { path: "a.ts", content: "" })).toBe(message);
		expect(await box.text("a.ts")).toBe("one 2");
	});

	test("can be edited again without reading, even through a link", async () => {
		const box = await drawRead({ "a.ts": "one", "link.ts": "→ a.ts" });
		expect(await box.call(editFileTool, EDIT)).toBe("Edited a.ts.");
		expect(await box.call(editFileTool, { path: "link.ts", old_text: "two", new_text: "three" })).toBe(
			"Edited link.ts.",
		);
		expect(await box.text("a.ts")).toBe("three");
	});

	test("is not edited if it changes while the edit awaits approval", async () => {
		const box = await drawRead({ "a.ts": "one" });
		const edit = await box.prepare(editFileTool, EDIT);
		const creation = await box.prepare(writeFileTool, { path: "b.ts", content: "mine" });
		const deletion = await box.prepare(deleteFileTool, { path: "a.ts" });
		await box.add({ "a.ts": "one more", "b.ts": "theirs" });
		for (const action of [edit, creation, deletion]) {
			await expect(action.run(box.calling.signal, () => {})).rejects.toThrow(
				/changed while .* awaiting approval\. Nothing was/,
			);
		}
		expect([await box.text("a.ts"), await box.text("b.ts")]).toEqual(["one more", "theirs"]);
	});

	test("is not written after the turn is cancelled", async () => {
		const box = await drawRead({ "a.ts": "one" });
		const edit = await box.prepare(editFileTool, EDIT);
		box.calling.abort();
		await expect(edit.run(box.calling.signal, () => {})).rejects.toThrow(/aborted/);
		expect(await box.text("a.ts")).toBe("one");
	});

	test("must be read again if the model deletes it and it is created again", async () => {
		const box = await drawRead({ "a.ts": "one" });
		expect(await box.call(deleteFileTool, { path: "a.ts" })).toBe("Deleted a.ts.");
		expect(await box.call(editFileTool, EDIT)).toBe("refused: a.ts does not exist. To create it, use write_file.");
		await box.add({ "a.ts": "one" });
		expect(await box.call(editFileTool, EDIT)).toBe("refused: Read a.ts before you change it.");
	});
});

describe("a write", () => {
	test("keeps its mode and owner, and no temporary file is left", async () => {
		const box = await drawRead({ "a.ts": "one" });
		const file = path.join(box.root, "a.ts");
		await chmod(file, 0o750);
		// Only root can change the owner.
		if (process.getuid?.() === 0) await chown(file, 1234, 4321);
		const before = await stat(file);
		expect(await box.call(editFileTool, EDIT)).toBe("Edited a.ts.");
		const { mode, uid, gid, ino } = await stat(file);
		expect({ mode, uid, gid }).toEqual({ mode: before.mode, uid: before.uid, gid: before.gid });
		expect(ino).not.toBe(before.ino);
		expect(await readdir(box.root)).toEqual(["a.ts"]);
	});

	test("follows a link to its target", async () => {
		const box = await ToolFixture.draw({ "real/a.ts": "one", "a.ts": "→ real/a.ts" });
		await box.call(readFileTool, { path: "a.ts" });
		expect(await box.call(editFileTool, EDIT)).toBe("Edited a.ts.");
		expect(await box.text("real/a.ts")).toBe("two");
		expect(await readdir(box.root)).toEqual(["a.ts", "real"]);
		expect(await readdir(path.join(box.root, "real"))).toEqual(["a.ts"]);
	});

	test("has a private temporary file if it is private itself", async () => {
		const box = await ToolFixture.draw({ "a.ts": "one" });
		await chmod(path.join(box.root, "a.ts"), 0o600);
		const modes: number[] = [];
		const recordMode = async (file: string) => void modes.push((await stat(file)).mode & 0o777);
		box.workspace = new ThreadWorkspace([box.root], { isPrivate: () => false }, runningAfterWrite(recordMode));
		await box.call(readFileTool, { path: "a.ts" });
		expect(await box.call(editFileTool, EDIT)).toBe("Edited a.ts.");
		expect(modes).toEqual([0o600]);
	});

	test("does not overwrite a file that another process creates in the meantime", async () => {
		const box = await ToolFixture.draw({});
		const create = () => box.add({ "a.ts": "theirs" });
		box.workspace = new ThreadWorkspace([box.root], { isPrivate: () => false }, runningAfterWrite(create));
		expect(await box.call(writeFileTool, { path: "a.ts", content: "ours" })).toMatch(
			/^refused: a\.ts: another process/,
		);
		expect(await box.text("a.ts")).toBe("theirs");
		expect(await readdir(box.root)).toEqual(["a.ts"]);
	});

	test.each([
		["ENOSPC", "a.ts: the disk is full, and nothing was written."],
		["EDQUOT", "a.ts: the disk quota is exceeded, and nothing was written."],
		["EROFS", "a.ts: the disk is read-only."],
		["EACCES", "a.ts: permission denied."],
		["EIO", "a.ts: the operation failed (EIO)."],
	])("reports %s, leaving the file unchanged and no temporary file behind", async (code, message) => {
		const box = await ToolFixture.draw({ "a.ts": "one" });
		box.workspace = new ThreadWorkspace([box.root], { isPrivate: () => false }, failingWith(code));
		await box.call(readFileTool, { path: "a.ts" });
		expect(await box.call(editFileTool, EDIT)).toBe(`refused: ${message}`);
		expect(await box.text("a.ts")).toBe("one");
		expect(await readdir(box.root)).toEqual(["a.ts"]);
	});
});

/** A disk on which files cannot be created, or on which only the first letter is written. */
function failingWith(code: string): FileSystem {
	return openingFiles(async (...how) => {
		if (code === "EROFS" || code === "EACCES") throw Object.assign(new Error(code), { code });
		const handle = await open(...how);
		handle.writeFile = async (text) => {
			await handle.write(String(text).slice(0, 1));
			throw Object.assign(new Error(code), { code });
		};
		return handle;
	});
}

/** A disk that uses `openNew` to open new files. */
function openingFiles(openNew: FileSystem["open"]): FileSystem {
	return { ...fs, open: (file, flags, mode) => (flags === "wx" ? openNew : open)(file, flags, mode) };
}

/** A disk that calls a function right after each write. */
function runningAfterWrite(callback: (file: string) => Promise<void>): FileSystem {
	return openingFiles(async (file, ...how) => {
		const handle = await open(file, ...how);
		const writeAll = handle.writeFile.bind(handle);
		handle.writeFile = async (text) => {
			await writeAll(text);
			await callback(String(file));
		};
		return handle;
	});
}

describe("an open buffer", () => {
	async function drawOpen(isTaken: boolean): Promise<{ box: ToolFixture; buffers: Buffers & { text: string } }> {
		const box = await ToolFixture.draw({ "a.ts": "one on disk" });
		const buffers = {
			text: "one, unsaved",
			read: vi.fn(async (file: string) => (file === path.join(box.root, "a.ts") ? buffers.text : undefined)),
			write: vi.fn(async (_file: string, text: string) => {
				if (isTaken) buffers.text = text;
				return isTaken;
			}),
		};
		box.client = { ...box.client, buffers };
		return { box, buffers };
	}

	test("takes precedence over the file on disk for reading and writing", async () => {
		const { box, buffers } = await drawOpen(true);
		expect(await box.call(readFileTool, { path: "a.ts" })).toBe("1\tone, unsaved");
		expect(await box.call(editFileTool, EDIT)).toBe("Edited a.ts.");
		expect(buffers.text).toBe("two, unsaved");
		expect(await box.text("a.ts")).toBe("one on disk");
	});

	test("is written to disk if the editor declines the write", async () => {
		const { box } = await drawOpen(false);
		await box.call(readFileTool, { path: "a.ts" });
		expect(await box.call(editFileTool, EDIT)).toBe("Edited a.ts.");
		expect(await box.text("a.ts")).toBe("two, unsaved");
	});

	test("is not edited if the user types while the edit awaits approval", async () => {
		const { box, buffers } = await drawOpen(true);
		await box.call(readFileTool, { path: "a.ts" });
		const edit = await box.prepare(editFileTool, EDIT);
		buffers.text += "!";
		await expect(edit.run(box.calling.signal, () => {})).rejects.toThrow(/changed while/);
		expect(await box.call(editFileTool, EDIT)).toMatch(/has changed since you read it/);
		expect(buffers.text).toBe("one, unsaved!");
	});

	test("can be written for a new file by an editor that does not create folders", async () => {
		const box = await ToolFixture.draw({});
		const write = async (file: string, text: string) => {
			await writeOnDisk(file, text);
			return true;
		};
		box.client = { ...box.client, buffers: { read: async () => undefined, write } };
		expect(await box.call(writeFileTool, { path: "new/deep/a.ts", content: "one" })).toBe("Created new/deep/a.ts.");
		expect(await box.text("new/deep/a.ts")).toBe("one");
	});

	test("is not requested for a secret file", async () => {
		const { box, buffers } = await drawOpen(true);
		expect(await box.call(readFileTool, { path: ".env" })).toMatch(/^refused: /);
		expect(buffers.read).not.toHaveBeenCalled();
	});
});

test("reading an ignored file by name needs permission", async () => {
	const box = await ToolFixture.draw({ ".ignored": "dist/\n", "dist/a.js": "built", ".git/HEAD": "main", "a.ts": "" });
	const permissions = async (path: string) => (await box.prepare(readFileTool, { path })).permissions;
	expect(await permissions("dist/a.js")).toEqual([{ kind: "read-ignored", subject: "dist/a.js" }]);
	expect(await permissions(".git/HEAD")).toEqual([{ kind: "read-ignored", subject: ".git/HEAD" }]);
	expect(await permissions("a.ts")).toEqual([]);
	expect(await box.call(readFileTool, { path: "dist/a.js" })).toBe("1\tbuilt");
});

test("tools report why everything in a folder counts as ignored", async () => {
	const box = await ToolFixture.draw({ "a.ts": "one" });
	const problem = "Everything is private.";
	const isPrivate = (uri: string) => uri.endsWith("a.ts");
	box.workspace = new ThreadWorkspace([box.root], { isPrivate, problem: () => problem });
	expect(await box.call(listDirectoryTool, {})).toBe(`(1 skipped: ignored, secret or unusable)\n(${problem})`);
	expect(await box.call(findFilesTool(1e6), { pattern: "*" })).toBe(`No file matches. ${problem}`);
	expect(await box.call(searchTool(1e6), { pattern: "one" })).toBe(`No line matches.\n(${problem})`);
});
