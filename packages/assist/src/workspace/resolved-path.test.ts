import { execFile } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import { readdir, readFile as readOnDisk, rename, rm, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { type FolderPicture, ToolFixture } from "@segue/testing/chat/tool-fixture";
import { inTier, runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { deleteFileTool, editFileTool, writeFileTool } from "../tools/change-files.js";
import { editorTools } from "../tools/editor.js";
import { findFilesTool } from "../tools/find-files.js";
import { listDirectoryTool } from "../tools/list-directory.js";
import { readFileTool } from "../tools/read-file.js";
import { searchTool } from "../tools/search.js";
import type { Tool } from "../tools/tool.js";
import type { FileSystem } from "./disk.js";
import { ThreadWorkspace } from "./workspace.js";

const LONG_MS = 2 ** 30;
const [diagnostics] = editorTools({ diagnostics: async (path = "") => [{ path, text: "OUTSIDE" }] });

/** Every tool that takes a path, each with a call that reads or changes as much as possible. */
const CALLS: Readonly<Record<string, (box: ToolFixture, path: string) => Promise<string>>> = {
	read_file: (box, path) => box.call(readFileTool, { path }),
	search: (box, path) => box.call(searchTool(LONG_MS), { path, pattern: "." }),
	edit_file: (box, path) => box.call(editFileTool, { path, old_text: "OUTSIDE", new_text: "harm" }),
	write_file: (box, path) => box.call(writeFileTool, { path, content: "harm" }),
	delete_file: (box, path) => box.call(deleteFileTool, { path }),
	list_directory: (box, path) => box.call(listDirectoryTool, { path }),
	find_files: (box, path) => box.call(findFilesTool(LONG_MS), { path, pattern: "**" }),
	diagnostics: (box, path) => box.call(diagnostics as Tool, { path }),
};
const OF_FILES = ["read_file", "search", "edit_file", "write_file", "delete_file", "diagnostics"];
const WRITING = ["edit_file", "write_file", "delete_file"];

const TREE: FolderPicture = {
	"src/app.ts": "inside\n",
	"../outside/notes.txt": "OUTSIDE\n",
	"../outside/.ssh/id_rsa": "OUTSIDE\n",
	"../workspace-two/notes.txt": "OUTSIDE\n",
	".env": "OUTSIDE\n",
	".env.local": "OUTSIDE\n",
	"certs/server.pem": "OUTSIDE\n",
	"home/.ssh/config": "OUTSIDE\n",
	"home/.aws/credentials": "OUTSIDE\n",
	".git/config": "OUTSIDE\n",
	".git/hooks/": "",
	"link-to-file": "→ ../outside/notes.txt",
	"link-to-folder": "→ ../outside",
	"chain-1": "→ chain-2",
	"chain-2": "→ src/chain-3",
	"src/chain-3": "→ ../chain-4",
	"chain-4": "→ ../outside",
	"src/up": "→ ../..",
	"src/dots": "→ ./../link-to-folder/./",
	"loop-a": "→ loop-b",
	"loop-b": "→ loop-a",
	self: "→ self",
	dangling: "→ ../outside/new.txt",
	"dangling-folder": "→ ../outside/new",
	absolute: "→ /etc/passwd",
	process: "→ /proc/self/root",
	device: "→ /dev/zero",
	"readme.txt": "→ .env",
	".env.example": "→ src/app.ts",
	"notes.txt": "→ ../outside/.ssh/id_rsa",
	"by-another-name": "→ .git",
};

const OUTSIDE = "is outside the workspace";
const INVISIBLE = "an invisible character";
const ALIKE = "only look like a dot";
const WINDOWS = "reserved or invalid on Windows";
const SECRET = "has the name of a secret file";
const GIT = "belongs to Git, so tools may not write to it";

/** Paths, each with part of the expected error. ROOT is replaced with the path of the workspace. */
const ESCAPES: readonly (readonly [path: string, because: string])[] = [
	["../outside/notes.txt", OUTSIDE],
	["../outside/new.txt", OUTSIDE],
	["./../outside/notes.txt", OUTSIDE],
	["src/../../outside/notes.txt", OUTSIDE],
	["src/./.././../outside/./notes.txt", OUTSIDE],
	["nowhere/../../outside/notes.txt", OUTSIDE],
	["../workspace-two/notes.txt", OUTSIDE],
	["..", OUTSIDE],
	["../", OUTSIDE],
	["/", OUTSIDE],
	["/etc/passwd", OUTSIDE],
	["/proc/self/root/etc/passwd", OUTSIDE],
	["/proc/self/environ", OUTSIDE],
	["/dev/zero", OUTSIDE],
	["/dev/fd/0", OUTSIDE],
	["ROOT/../outside/notes.txt", OUTSIDE],
	["ROOT-two/notes.txt", OUTSIDE],
	["/proc/self/rootROOT/src/app.ts", OUTSIDE],
	["link-to-file", OUTSIDE],
	["link-to-folder", OUTSIDE],
	["link-to-folder/notes.txt", OUTSIDE],
	["link-to-folder/new/new.txt", OUTSIDE],
	["chain-1/notes.txt", OUTSIDE],
	["src/chain-3", OUTSIDE],
	["src/up/outside/notes.txt", OUTSIDE],
	["src/dots/notes.txt", OUTSIDE],
	["absolute", OUTSIDE],
	["process/etc/passwd", OUTSIDE],
	["processROOT/../outside/notes.txt", OUTSIDE],
	["device", OUTSIDE],
	["notes.txt", OUTSIDE],
	["loop-a", "its links form a loop"],
	["loop-b/app.ts", "its links form a loop"],
	["self", "its links form a loop"],
	["dangling", "a broken link"],
	["dangling-folder/new.txt", "a broken link"],
	["~", "starts with ~"],
	["~/.bashrc", "starts with ~"],
	["~root/.bashrc", "starts with ~"],
	["file:///etc/passwd", "is a URL"],
	["FILE:/etc/passwd", "is a URL"],
	["file://ROOT/src/app.ts", "is a URL"],
	["https://example.com/notes.txt", "is a URL"],
	["", "is an empty path"],
	["  ", "is an empty path"],
	["src/app.ts\0.png", INVISIBLE],
	["\0", INVISIBLE],
	["..\n/outside/notes.txt", INVISIBLE],
	["src/app\u200b.ts", INVISIBLE],
	["src/\u202est.ppa", INVISIBLE],
	["src/\ud800.ts", INVISIBLE],
	[".gi\u200ct/config", INVISIBLE],
	["．．/outside/notes.txt", ALIKE],
	["‥/outside/notes.txt", ALIKE],
	["․․/outside/notes.txt", ALIKE],
	["..／outside／notes.txt", ALIKE],
	["..∕outside∕notes.txt", ALIKE],
	["src/app.ts：stream", ALIKE],
	["//server/share/notes.txt", "refers to another machine"],
	["//ROOT/../outside/notes.txt", "refers to another machine"],
	["\\\\server\\share\\notes.txt", "refers to another machine"],
	["\\\\?\\C:\\notes.txt", "refers to another machine"],
	["..\\outside\\notes.txt", "a backslash"],
	["src\\..\\..\\outside\\notes.txt", "a backslash"],
	["C:\\Windows\\win.ini", "a drive letter"],
	["C:/Windows/win.ini", "a drive letter"],
	["c:notes.txt", "a drive letter"],
	["src/app.ts:stream", WINDOWS],
	["src/app.ts::$DATA", WINDOWS],
	["src/NUL", WINDOWS],
	["con.txt", WINDOWS],
	["new/aux/new.ts", WINDOWS],
	["COM1.log", WINDOWS],
	["lpt².txt", WINDOWS],
	["src/app.ts.", WINDOWS],
	["src/new.ts ", WINDOWS],
	["src.../app.ts", WINDOWS],
	["src/app.ts/inside", "a part of the path is a file"],
	["a/".repeat(2500), "longer than 4096"],
	[`src/${"a".repeat(300)}`, "the name is too long"],
];

const SECRETS: typeof ESCAPES = [
	[".env", SECRET],
	["./src/../.env", SECRET],
	["ROOT/.env", SECRET],
	[".ENV", SECRET],
	[".env.local", SECRET],
	[".env.of-tomorrow", SECRET],
	["certs/server.pem", SECRET],
	["home/.ssh/config", SECRET],
	["home/.aws/credentials", SECRET],
	["src/id_rsa", SECRET],
	["readme.txt", SECRET],
	[".env.example", SECRET],
	[".git/config", SECRET],
	["src/.git/config", SECRET],
	["by-another-name/config", SECRET],
];

const GITS: typeof ESCAPES = [
	[".git/HEAD", GIT],
	[".git/hooks/pre-commit", GIT],
	[".GIT/hooks/pre-commit", GIT],
	["src/.git/HEAD", GIT],
	["git~1/config", GIT],
	["by-another-name/HEAD", GIT],
	["by-another-name/hooks/pre-commit", GIT],
];

describe.each([
	["leaves the workspace", ESCAPES, Object.keys(CALLS)],
	["names a secret file", SECRETS, OF_FILES],
	["belongs to git", GITS, WRITING],
])("a path that %s", (_what, paths, tools) => {
	test.each(paths)("is refused by every tool: %j", async (written, because) => {
		const box = await ToolFixture.draw(TREE);
		const before = await filesIn(path.dirname(box.root));
		for (const tool of tools) {
			const output = (await CALLS[tool]?.(box, written.replaceAll("ROOT", box.root))) ?? "";
			expect(output, tool).toMatch(/^refused: .*\.$/su);
			expect(output, tool).toContain(because);
			// The folder's random name can look like an error code.
			expect(output.replaceAll(path.dirname(box.root), ""), tool).not.toMatch(/OUTSIDE|E[A-Z]{4,}/);
		}
		expect(await filesIn(path.dirname(box.root))).toEqual(before);
	});
});

/** Returns every file below a folder with its content; links and folders have empty content. */
async function filesIn(folder: string): Promise<Record<string, string>> {
	const files: Record<string, string> = {};
	for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
		const file = path.join(entry.parentPath, entry.name);
		files[file] = entry.isFile() ? await readOnDisk(file, "utf8") : "";
	}
	return files;
}

test("secret files, ignored files and git's files are not found, listed or searched", async () => {
	const box = await ToolFixture.draw({
		...TREE,
		".ignored": "dist/\nnotes.md\n",
		"dist/a.js": "OUTSIDE",
		"notes.md": "OUTSIDE",
	});
	expect(await box.call(findFilesTool(LONG_MS), { pattern: "**" })).toBe(".ignored\nsrc/app.ts");
	expect(await box.call(searchTool(LONG_MS), { pattern: "OUTSIDE|inside" })).toBe("src/app.ts:1: inside");
	expect(await box.call(listDirectoryTool, { path: "home/.ssh" })).toBe("(1 skipped: ignored, secret or unusable)");
	expect(await box.call(listDirectoryTool, {})).toBe(
		".ignored\ncerts/\nhome/\nsrc/\n(22 skipped: ignored, secret or unusable)",
	);
});

describe("a path to something other than a regular file", () => {
	test.each(["pipe", "socket", "src"])("is refused without blocking: %s", async (name) => {
		const box = await ToolFixture.draw(TREE);
		await promisify(execFile)("mkfifo", [path.join(box.root, "pipe")]);
		const server = createServer().listen(path.join(box.root, "socket"));
		onTestFinished(() => void server.close());
		await once(server, "listening");
		for (const tool of ["read_file", "edit_file", "write_file", "delete_file"]) {
			expect(await CALLS[tool]?.(box, name), tool).toMatch(/^refused: .* is (?:a folder|not a regular file)/);
		}
	});
});

describe("a link that replaces a folder after it was checked", () => {
	async function swapped(prepare: (box: ToolFixture) => ReturnType<ToolFixture["prepare"]>): Promise<string> {
		const box = await ToolFixture.draw({ "src/notes.txt": "inside\n", "../outside/notes.txt": "OUTSIDE\n" });
		await box.call(readFileTool, { path: "src/notes.txt" });
		const action = await prepare(box);
		await rename(path.join(box.root, "src"), path.join(box.root, "old"));
		await symlink("../outside", path.join(box.root, "src"));
		const output = await action
			.run(box.calling.signal, () => {})
			.then(
				({ output }) => output,
				(error: Error) => `refused: ${error.message}`,
			);
		expect(await filesIn(path.join(box.root, "../outside"))).toEqual({
			[path.join(box.root, "../outside/notes.txt")]: "OUTSIDE\n",
		});
		return output;
	}

	test.each<
		readonly [tool: string, path: string, (box: ToolFixture, path: string) => ReturnType<ToolFixture["prepare"]>]
	>([
		["read_file", "src/notes.txt", (box, path) => box.prepare(readFileTool, { path })],
		[
			"edit_file",
			"src/notes.txt",
			(box, path) => box.prepare(editFileTool, { path, old_text: "in", new_text: "harm" }),
		],
		["write_file", "src/notes.txt", (box, path) => box.prepare(writeFileTool, { path, content: "harm" })],
		["write_file with a new file", "src/new.txt", (box, path) => box.prepare(writeFileTool, { path, content: "harm" })],
		[
			"write_file in a new folder",
			"src/new/new.txt",
			(box, path) => box.prepare(writeFileTool, { path, content: "harm" }),
		],
		["delete_file", "src/notes.txt", (box, path) => box.prepare(deleteFileTool, { path })],
		["list_directory", "src", (box, path) => box.prepare(listDirectoryTool, { path })],
		["search", "src", (box, path) => box.prepare(searchTool(LONG_MS), { path, pattern: "." })],
		["find_files", "src", (box, path) => box.prepare(findFilesTool(LONG_MS), { path, pattern: "**" })],
	])("does not let %s leave the workspace", async (_tool, path, prepare) => {
		expect(await swapped((box) => prepare(box, path))).toBe(
			`refused: ${path} was moved or replaced after it was checked. Nothing was done; try again.`,
		);
	});

	test.each<readonly [tool: string, (box: ToolFixture) => ReturnType<ToolFixture["prepare"]>]>([
		["read_file", (box) => box.prepare(readFileTool, { path: "a.txt" })],
		["edit_file", (box) => box.prepare(editFileTool, { path: "a.txt", old_text: "inside", new_text: "harm" })],
		["delete_file", (box) => box.prepare(deleteFileTool, { path: "a.txt" })],
	])("does not let %s leave the workspace if the link replaces the file itself", async (_tool, prepare) => {
		const box = await ToolFixture.draw({ "a.txt": "inside\n", "../outside/a.txt": "inside\n" });
		await box.call(readFileTool, { path: "a.txt" });
		const action = await prepare(box);
		await rm(path.join(box.root, "a.txt"));
		await symlink("../outside/a.txt", path.join(box.root, "a.txt"));
		await expect(action.run(box.calling.signal, () => {})).rejects.toThrow(
			"a.txt is not a regular file: it is a pipe, socket, device or link.",
		);
		expect(await box.text("../outside/a.txt")).toBe("inside\n");
	});

	test.each<readonly [tool: string, (box: ToolFixture, path: string) => ReturnType<ToolFixture["prepare"]>]>([
		["read_file", (box, path) => box.prepare(readFileTool, { path })],
		["search", (box, path) => box.prepare(searchTool(LONG_MS), { path, pattern: "." })],
		["edit_file", (box, path) => box.prepare(editFileTool, { path, old_text: "inside", new_text: "harm" })],
	])("does not let %s leave the workspace through an editor that follows links", async (_tool, prepare) => {
		const buffers = { read: async () => "inside\n", write: vi.fn(async () => true) };
		const output = await swapped(async (box) => {
			box.client = { ...box.client, buffers };
			return prepare(box, "src/notes.txt");
		});
		expect(output).toMatch(/^refused: .* is outside the workspace/);
		expect(buffers.write).not.toHaveBeenCalled();
	});

	test("does not let an editor write outside the workspace if the file is not open", async () => {
		const box = await ToolFixture.draw({ "src/a.txt": "inside\n", link: "→ src", "../outside/a.txt": "inside\n" });
		const buffers = { read: async () => undefined, write: vi.fn(async () => true) };
		box.client = { ...box.client, buffers };
		await box.call(readFileTool, { path: "link/a.txt" });
		const action = await box.prepare(editFileTool, { path: "link/a.txt", old_text: "inside", new_text: "harm" });
		await rm(path.join(box.root, "link"));
		await symlink("../outside", path.join(box.root, "link"));
		await expect(action.run(box.calling.signal, () => {})).rejects.toThrow("is outside the workspace");
		expect(buffers.write).not.toHaveBeenCalled();
	});

	test("does not redirect a write that is in progress", async () => {
		const box = await ToolFixture.draw({ "src/a.txt": "inside\n", "../outside/": "" });
		let opened: string | undefined;
		const open: FileSystem["open"] = async (file, flags, mode) => {
			if (flags === "wx") {
				opened = String(file);
				await rename(path.join(box.root, "src"), path.join(box.root, "old"));
				await symlink("../outside", path.join(box.root, "src"));
			}
			return fs.open(file, flags, mode);
		};
		box.workspace = new ThreadWorkspace([box.root], { isPrivate: () => false }, { ...fs, open });
		await box.call(readFileTool, { path: "src/a.txt" });
		expect(await box.call(editFileTool, { path: "src/a.txt", old_text: "inside", new_text: "harm" })).toBe(
			"refused: src/a.txt was moved or replaced after it was checked. Nothing was done; try again.",
		);
		expect(opened).toMatch(/\/\.segue-[\da-f]+\.tmp$/);
		expect(await filesIn(path.join(box.root, "../outside"))).toEqual({});
		expect(await box.text("old/a.txt")).toBe("inside\n");
	});
});

/**
 * A workspace whose folder `src` is swapped with a link to a folder outside before each file system call that `swaps`
 * marks.
 */
async function drawSwapping(swaps: readonly boolean[], changed: Partial<FileSystem> = {}): Promise<ToolFixture> {
	const box = await ToolFixture.draw({
		"src/notes.txt": "inside\n",
		"src/sub/notes.txt": "inside\n",
		link: "→ ../outside",
		"../outside/notes.txt": "OUTSIDE\n",
		"../outside/theirs.txt": "",
		"../outside/sub/notes.txt": "OUTSIDE\n",
	});
	const [folder, link, free] = ["src", "link", "free"].map((name) => path.join(box.root, name)) as [
		string,
		string,
		string,
	];
	let calls = 0;
	const disk = new Proxy(
		{ ...fs, ...changed },
		{
			get:
				(target, method: keyof FileSystem) =>
				async (...how: never[]) => {
					if (swaps[calls++] === true) {
						await rename(folder, free);
						await rename(link, folder);
						await rename(free, link);
					}
					return (target[method] as (...how: never[]) => unknown)(...how);
				},
		},
	);
	box.workspace = new ThreadWorkspace([box.root], { isPrivate: () => false }, disk);
	return box;
}

const never = new AbortController().signal;

describe.runIf(process.platform === "linux")("a folder that is swapped with a link between any two calls", () => {
	async function expectOutsideIntact(box: ToolFixture): Promise<void> {
		const outside = path.join(box.root, "../outside");
		expect(await filesIn(outside)).toEqual({
			[path.join(outside, "notes.txt")]: "OUTSIDE\n",
			[path.join(outside, "theirs.txt")]: "",
			[path.join(outside, "sub")]: "",
			[path.join(outside, "sub/notes.txt")]: "OUTSIDE\n",
		});
	}

	// In `src/sub`, the swapped folder is a parent of the opened one, so opening it without following links is not
	// enough.
	const FOLDERS = ["src", "src/sub"];

	test.each(FOLDERS)("does not redirect a read in %s", async (folder) => {
		let read = 0;
		for (let bits = 0; bits < 2 ** 7; bits += inTier(3, 1)) {
			const box = await drawSwapping(Array.from({ length: 7 }, (_, i) => (bits & (1 << i)) !== 0));
			const resolved = await box.workspace.resolve(`${folder}/notes.txt`);
			const text = await box.workspace.textOf(resolved, undefined, never).catch((error: Error) => error.message);
			expect([bits, text]).toEqual([bits, expect.stringMatching(/^inside\n$|was moved or replaced/)]);
			if (text === "inside\n") read++;
		}
		expect(read).toBeGreaterThan(0);
	});

	const SWAPS = fc.array(fc.boolean(), { minLength: 30, maxLength: 30 });
	const ACTS: readonly (readonly [string, (box: ToolFixture, folder: string) => Promise<unknown>])[] = [
		[
			"a write",
			async ({ workspace }, folder) =>
				workspace.write(await workspace.resolve(`${folder}/notes.txt`), "inside\n", "new", undefined, never),
		],
		[
			"a new file",
			async ({ workspace }, folder) =>
				workspace.write(await workspace.resolve(`${folder}/new.txt`), undefined, "new", undefined, never),
		],
		[
			"a file in a new folder",
			async ({ workspace }, folder) =>
				workspace.write(await workspace.resolve(`${folder}/a/b/new.txt`), undefined, "new", undefined, never),
		],
		[
			"a deletion",
			async ({ workspace }, folder) => {
				const resolved = await workspace.resolve(`${folder}/notes.txt`);
				await workspace.delete(resolved, (await workspace.readToDelete(resolved, never)).version);
			},
		],
		[
			"a listing",
			async ({ workspace }, folder) => {
				const { entries } = await workspace.list(await workspace.resolve(folder), true);
				const names = entries.map(({ name }) => name).filter((name) => name !== "src/sub");
				expect(names).toEqual([`${folder}/notes.txt`]);
			},
		],
	];
	test.each(FOLDERS.flatMap((folder) => ACTS.map(([title, act]) => [title, folder, act] as const)))(
		"does not redirect %s in %s",
		async (_, folder, act) => {
			let done = 0;
			await fc.assert(
				fc.asyncProperty(SWAPS, async (swaps) => {
					const box = await drawSwapping(swaps);
					const refused = await act(box, folder).then(
						() => undefined,
						(error: Error) => error,
					);
					if (refused === undefined) done++;
					else expect(refused.name).toBe("ToolError");
					await expectOutsideIntact(box);
					expect(Object.keys(await filesIn(box.root)).filter((file) => file.endsWith(".tmp"))).toEqual([]);
				}),
				{ numRuns: runs(200), examples: [[[]]] },
			);
			expect(done).toBeGreaterThan(0);
		},
	);

	test.each(FOLDERS)("is not written to after it was moved: %s", async (moved) => {
		for (const file of ["src/sub/notes.txt", "src/sub/new.txt"]) {
			const box = await ToolFixture.draw({ "src/sub/notes.txt": "inside\n" });
			const open: FileSystem["open"] = async (opened, flags, mode) => {
				if (flags === "wx") await rename(path.join(box.root, moved), path.join(box.root, "old"));
				return fs.open(opened, flags, mode);
			};
			box.workspace = new ThreadWorkspace([box.root], { isPrivate: () => false }, { ...fs, open });
			const before = file.endsWith("new.txt") ? undefined : "inside\n";
			const write = box.workspace.write(await box.workspace.resolve(file), before, "new", undefined, never);
			await expect(write).rejects.toThrow(`${file} was moved or replaced after it was checked.`);
			const notes = path.join(box.root, "old", path.relative(moved, "src/sub/notes.txt"));
			const texts = Object.entries(await filesIn(box.root)).filter(([, text]) => text !== "");
			expect(texts).toEqual([[notes, "inside\n"]]);
		}
	});

	test("is accepted if the system spells its path differently", async () => {
		const readlink = (async () => "/elsewhere") as unknown as FileSystem["readlink"];
		const box = await drawSwapping([], { readlink });
		const resolved = await box.workspace.resolve("src/notes.txt");
		expect(await box.workspace.textOf(resolved, undefined, never)).toBe("inside\n");
	});

	test.each([
		["open and lstat see", [true, false, true, true, true, true]],
		["open sees", [false, false, true, true]],
	])("is detected without /proc if only %s the link", async (_, swaps) => {
		const readlink = () => Promise.reject(Object.assign(new Error("ENOENT"), { code: "ENOENT" }));
		for (let shift = 0; shift < 8; shift++) {
			const box = await drawSwapping([...Array(shift).fill(false), ...swaps], { readlink });
			const resolved = await box.workspace.resolve("src/notes.txt");
			const text = await box.workspace.textOf(resolved, undefined, never).catch((error: Error) => error.message);
			expect(text).toMatch(/^inside\n$|was moved or replaced/);
		}
	});
});

describe("a path", () => {
	test.each([
		["src/app.ts", "src/app.ts"],
		["./src//app.ts", "src/app.ts"],
		["src/../src/app.ts", "src/app.ts"],
		["ROOT/src/app.ts", "src/app.ts"],
		[".", "."],
		["ROOT", "."],
		["inner-link/app.ts", "inner-link/app.ts"],
		["src/[id]/page (1).tsx", "src/[id]/page (1).tsx"],
		["…", undefined],
		["aux.c", "aux.c"],
		["part:two", "part:two"],
		["..hidden", "..hidden"],
		["%2e%2e/new.txt", "%2e%2e/new.txt"],
	])("is resolved if it is inside the workspace: %j", async (written, name) => {
		const box = await ToolFixture.draw({ "src/app.ts": "", "inner-link": "→ src", "aux.c": "", "part:two": "" });
		const found = await box.workspace.resolve(written.replace("ROOT", box.root)).catch(() => undefined);
		expect(found?.name).toBe(name);
	});

	test("can be in an additional folder, even through a link", async () => {
		const box = await ToolFixture.draw({ "../second/a.ts": "second", link: "→ ../second/a.ts" });
		const second = path.join(box.root, "../second");
		box.workspace = new ThreadWorkspace([box.root, second], { isPrivate: () => false });
		expect(await box.call(readFileTool, { path: `${second}/a.ts` })).toBe("1\tsecond");
		expect(await box.call(readFileTool, { path: "link" })).toBe("1\tsecond");
		expect((await box.workspace.resolve(`${second}/a.ts`)).name).toBe(`${second}/a.ts`);
	});

	test("can use the real path of a workspace whose path is a link", async () => {
		const box = await ToolFixture.draw({ "src/app.ts": "inside", "../given": "→ workspace" });
		const given = path.join(box.root, "../given");
		const workspace = new ThreadWorkspace([given], { isPrivate: () => false });
		expect(await workspace.resolve(`${box.root}/src/app.ts`)).toMatchObject({
			path: `${given}/src/app.ts`,
			real: `${box.root}/src/app.ts`,
			name: "src/app.ts",
		});
	});

	test("is refused with a readable error if the workspace was deleted", async () => {
		const box = await ToolFixture.draw({});
		await rm(box.root, { recursive: true });
		expect(await box.call(readFileTool, { path: "a.ts" })).toBe(`refused: ${box.root}: no such file or folder.`);
	});
});
