import { execFileSync } from "node:child_process";
import {
	chmodSync,
	mkdirSync,
	mkdtempSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
	truncateSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { wordQueryOf } from "@segue/predict/words";
import { expect, onTestFinished, test, vi } from "vitest";
import { FolderIndex, type IndexOptions, type IndexState } from "./folder-index.js";
import { FolderWalk, WALK_LIMITS } from "./folder-walk.js";

/** A folder on disk with an index. */
class Project {
	readonly root = realpathSync(mkdtempSync(path.join(tmpdir(), "segue-index-")));
	readonly states: IndexState[] = [];
	nowMs = 0;
	/** Called before each step of indexing. */
	beforeWork: () => unknown = () => {};
	readonly index: FolderIndex;

	constructor(files: Readonly<Record<string, string | Uint8Array>> = {}, options: Partial<IndexOptions> = {}) {
		this.index = new FolderIndex({
			folder: this.root,
			rest: async () => void (await this.beforeWork()),
			now: () => this.nowMs,
			report: (state) => this.states.push(state),
			...options,
		});
		onTestFinished(() => rmSync(this.root, { recursive: true, force: true }));
		for (const [name, text] of Object.entries(files)) this.write(name, text);
	}

	pathOf(name: string): string {
		return path.join(this.root, name);
	}

	uriOf(name: string): string {
		return pathToFileURL(this.pathOf(name)).href;
	}

	write(name: string, text: string | Uint8Array): void {
		mkdirSync(path.dirname(this.pathOf(name)), { recursive: true });
		writeFileSync(this.pathOf(name), text);
	}

	async ask(word: string, { near = "", known = new Map<string, string>() } = {}) {
		const { hash } = wordQueryOf(word);
		const { words, files } = await this.index.find({
			hashes: [hash],
			near: this.uriOf(near),
			uris: [],
			known,
			open: new Set(),
		});
		return { files, ...words[0] };
	}

	/** Returns the names of the files that contain a word. */
	async having(word: string): Promise<string[]> {
		const { uris = [] } = await this.ask(word);
		return uris.map((uri) => decodeURIComponent(uri.slice(this.uriOf("").length + 1))).sort();
	}

	get state(): IndexState | undefined {
		return this.states.at(-1);
	}
}

test("finds and reads the files that contain a word", async () => {
	const project = new Project({ "a.ts": "const apple = 1;", "src/b c.py": "apple = pear", "src/d.ts": "pear()" });
	await project.index.refresh();
	expect(await project.having("apple")).toEqual(["a.ts", "src/b c.py"]);
	expect(await project.having("pear")).toEqual(["src/b c.py", "src/d.ts"]);
	expect(await project.having("ap")).toEqual([]);
	expect((await project.ask("apple")).files.map(({ text }) => text)).toEqual(["const apple = 1;", "apple = pear"]);
	expect(project.state).toEqual({ files: 3, isComplete: true, notes: [] });
});

test("skips ignored, secret, linked, non-source, binary and oversized files, dependencies and keys", async () => {
	const project = new Project({
		".gitignore": "generated\n*.gen.ts",
		"sub/.ignore": "mine.ts",
		"generated/a.ts": "word",
		"b.gen.ts": "word",
		"sub/mine.ts": "word",
		".env.ts": "word",
		"node_modules/lib/index.js": "word",
		".git/hooks/a.py": "word",
		"notes.bin": "word",
		"latin1.ts": Uint8Array.of(0xe9, 0x20, 0x77),
		"zero.ts": "word\0",
		"key.ts": "-----BEGIN RSA PRIVATE KEY-----\nword\n-----END RSA PRIVATE KEY-----\n",
		"large.ts": `word ${" ".repeat(2 ** 20)}`,
		"c.ts": "word",
	});
	symlinkSync(project.pathOf("c.ts"), project.pathOf("link.ts"));
	symlinkSync(project.pathOf("sub"), project.pathOf("folder"));
	await project.index.refresh();
	expect(await project.having("word")).toEqual(["c.ts"]);
	expect(project.state?.files).toBe(1);
});

test("uses the path of a linked folder for its files", async () => {
	const project = new Project({ "real/a.ts": "word" });
	symlinkSync(project.pathOf("real"), project.pathOf("link"));
	const folder = project.pathOf("link");
	const index = new FolderIndex({ folder, rest: async () => {}, now: () => 0, report: () => {} });
	await index.refresh();
	const question = {
		hashes: [wordQueryOf("word").hash],
		near: "",
		uris: [],
		known: new Map(),
		open: new Set<string>(),
	};
	expect((await index.find(question)).files).toMatchObject([{ uri: project.uriOf("link/a.ts"), text: "word" }]);
});

test("updates files that are saved, created, deleted or ignored", async () => {
	const project = new Project({ "a.ts": "word", "b.ts": "word" });
	await project.index.refresh();
	project.write("a.ts", "other");
	project.write("c.ts", "word");
	rmSync(project.pathOf("b.ts"));
	await project.index.changed(["a.ts", "b.ts", "c.ts"].map((name) => project.uriOf(name)));
	expect([await project.having("word"), await project.having("other")]).toEqual([["c.ts"], ["a.ts"]]);
	project.write(".gitignore", "c.ts");
	await project.index.changed([project.uriOf(".gitignore")]);
	expect(await project.having("word")).toEqual([]);
	await project.index.changed([project.uriOf("c.ts"), "untitled:x", pathToFileURL("/elsewhere/c.ts").href]);
	expect(await project.having("word")).toEqual([]);
	expect(project.state?.files).toBe(1);
});

test("checks the times of all files after a while, and reads only changed files", async () => {
	const project = new Project({ "a.ts": "word", "b.ts": "word", "old/c.ts": "word" });
	await project.index.refresh();
	project.write("a.ts", "other");
	project.write("new/d.ts", "word");
	rmSync(project.pathOf("old"), { recursive: true });
	project.nowMs = 29_000;
	expect(await project.having("word")).toEqual(["a.ts", "b.ts", "old/c.ts"]);
	project.nowMs = 31_000;
	for (let i = 0; i < 10_000 && (await project.having("word")).includes("old/c.ts"); i++) await setImmediate();
	expect(await project.having("word")).toEqual(["b.ts", "new/d.ts"]);
});

test("reads found files again, and omits texts that the caller has", async () => {
	const project = new Project({ "a.ts": "word", "b.ts": "word" });
	await project.index.refresh();
	const { files } = await project.ask("word");
	const known = new Map(files.map(({ uri, stamp }) => [uri, stamp]));
	project.write("b.ts", "longer word");
	expect((await project.ask("word", { known })).files.map(({ text }) => text)).toEqual([undefined, "longer word"]);
	// A program that sets mtime does not hide a change.
	project.write("b.ts", "LONGER word");
	utimesSync(project.pathOf("b.ts"), 1, 1);
	expect((await project.ask("word", { known })).files[1]?.text).toBe("LONGER word");
	project.write(".gitignore", "b.ts");
	await project.index.changed([project.uriOf(".gitignore")]);
	const { hash } = wordQueryOf("absent");
	const result = await project.index.find({
		hashes: [hash],
		near: "",
		uris: [project.uriOf("b.ts")],
		known,
		open: new Set(),
	});
	expect(result.files).toEqual([]);
});

test("finds the nearest of many files, and reports that more exist", async () => {
	const project = new Project();
	for (let i = 0; i < 40; i++) project.write(`far/${i}.ts`, "word");
	for (let i = 0; i < 4; i++) project.write(`src/near/${i}.ts`, "word rare");
	await project.index.refresh();
	const { uris = [], isAll } = await project.ask("word", { near: "src/near/x.ts" });
	expect([uris.length, isAll]).toEqual([24, false]);
	expect(uris.slice(0, 4)).toEqual([0, 1, 2, 3].map((i) => project.uriOf(`src/near/${i}.ts`)));
	expect((await project.ask("rare")).isAll).toBe(true);
});

test("finds no files for a word that occurs in more than a thousand files", async () => {
	const project = new Project();
	for (let i = 0; i < 1001; i++) project.write(`${i % 10}/${i}.ts`, "common");
	await project.index.refresh();
	expect(await project.ask("common")).toMatchObject({ uris: [], isAll: false, files: [] });
	rmSync(project.pathOf("0/0.ts"));
	await project.index.changed([project.uriOf("0/0.ts")]);
	expect((await project.ask("common")).uris).toHaveLength(24);
});

test("logs one line for a malicious folder", async () => {
	const project = new Project({ "a.ts": "word", "deep/b.ts": "word", "closed/c.ts": "word" });
	const outside = new Project({ "secret.ts": "word hidden" });
	execFileSync("sh", ["-c", 'mkfifo "$0" "$1"', project.pathOf("pipe.ts"), project.pathOf(".gitignore")]);
	symlinkSync("/dev/zero", project.pathOf("zero.ts"));
	symlinkSync("loop.ts", project.pathOf("loop.ts"));
	symlinkSync("..", project.pathOf("deep/up"));
	symlinkSync(outside.root, project.pathOf("out"));
	project.write("sparse.ts", "word");
	truncateSync(project.pathOf("sparse.ts"), 10 * 2 ** 30);
	chmodSync(project.pathOf("closed"), 0);
	await project.index.refresh();
	chmodSync(project.pathOf("closed"), 0o700);
	expect(await project.having("hidden")).toEqual([]);
	expect((await project.having("word")).filter((name) => !/^(?:deep|closed)\//.test(name))).toEqual(["a.ts"]);
	const isRoot = process.getuid?.() === 0;
	if (!isRoot) expect(project.state?.notes).toEqual([`${project.root}: some folders could not be read`]);
});

test("keeps a file that is created during a refresh", async () => {
	const project = new Project({ "a.ts": "word", "sub/b.ts": "word" });
	await project.index.refresh();
	let works = 0;
	project.beforeWork = async () => {
		// The folder of the new file is already listed.
		if (++works !== 3) return;
		project.write("new.ts", "fresh");
		project.write("sub/b.ts", "fresh");
		await project.index.changed([project.uriOf("new.ts"), project.uriOf("sub/b.ts")]);
	};
	await project.index.refresh();
	expect(await project.having("fresh")).toEqual(["new.ts", "sub/b.ts"]);
	expect((await project.ask("fresh")).isAll).toBe(true);
});

test("a search does not wait for many changes, and reports that there may be more files", async () => {
	const names = Array.from({ length: 20 }, (_, i) => `${i}.ts`);
	const project = new Project({ "a.ts": "word" });
	await project.index.refresh();
	for (const name of names) project.write(name, "word");
	const changed = names.map((name) => project.index.changed([project.uriOf(name)]));
	const early = await project.ask("word");
	expect([early.uris?.length, early.isAll]).toEqual([1, false]);
	await Promise.all(changed);
	const late = await project.ask("word");
	expect([late.uris?.length, late.isAll]).toEqual([21, true]);
});

test("reads a file once if it is saved repeatedly, and checks all files after too many changes", async () => {
	const reads: string[] = [];
	const read = async (file: string) => {
		reads.push(path.basename(file));
		return { stamp: `${reads.length}`, bytes: 4, text: "word" };
	};
	const project = new Project({ "a.ts": "word" }, { read, limits: { changes: 10 } });
	await project.index.refresh();
	reads.length = 0;
	await Promise.all(Array.from({ length: 50 }, () => project.index.changed([project.uriOf("a.ts")])));
	expect(reads).toEqual(["a.ts"]);
	const names = Array.from({ length: 11 }, (_, i) => `new${i}.ts`);
	for (const name of names) project.write(name, "word");
	await project.index.changed(names.map((name) => project.uriOf(name)));
	expect(project.state).toMatchObject({ files: 12, isComplete: true });
});

test("yields to searches while listing a large folder, and stops when it is closed", async () => {
	const project = new Project();
	for (let i = 0; i < 600; i++) project.write(`${i}.ts`, "");
	const walk = new FolderWalk(project.root, WALK_LIMITS);
	const left = { unreadable: 0, isCut: false, isSlow: false };
	let isFree = false;
	const frees: boolean[] = [];
	const rest = async () => {
		frees.push(isFree);
		isFree = false;
		void setImmediate().then(() => {
			isFree = true;
		});
	};
	const listed: number[] = [];
	for await (const files of walk.folders(rest, left, () => false)) listed.push(files.length);
	expect([listed, frees]).toEqual([[600], [false, true, true]]);
	for await (const _ of walk.folders(rest, left, () => frees.length === 5)) expect.fail("not closed");
	expect(frees).toHaveLength(5);
});

test("stops reading if a disk hangs", async () => {
	let reads = 0;
	const read = () => {
		reads++;
		return new Promise<undefined>(() => {});
	};
	const project = new Project({ "a.ts": "word", "b.ts": "word", "c.ts": "word" }, { read, limits: { readMs: 1 } });
	await project.index.refresh();
	const started = reads;
	expect(started).toBeLessThanOrEqual(2);
	const reason = "reading a file takes too long, so not all files are searched";
	expect(project.state).toEqual({ files: 0, isComplete: false, notes: [`${project.root}: ${reason}`] });
	await project.index.refresh();
	await project.index.changed([project.uriOf("c.ts")]);
	await project.ask("word");
	expect(reads).toBe(started);
});

test("reports incomplete results after a read of a saved file has timed out", async () => {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	onTestFinished(() => void vi.useRealTimers());
	let hang: (() => void) | undefined;
	const read = (): Promise<{ stamp: string; bytes: number; text: string }> => {
		hang?.();
		return hang ? new Promise(() => {}) : Promise.resolve({ stamp: "1", bytes: 4, text: "word" });
	};
	const project = new Project({ "a.ts": "word" }, { read });
	await project.index.refresh();
	expect((await project.ask("absent")).isAll).toBe(true);
	const hanging = new Promise<void>((resolve) => {
		hang = resolve;
	});
	const changed = project.index.changed([project.uriOf("a.ts")]);
	await hanging;
	await vi.advanceTimersByTimeAsync(5_000);
	await changed;
	expect((await project.ask("absent")).isAll).toBe(false);
});

test("stops reading files that a saved ignore file lists, even during a refresh", async () => {
	const project = new Project({ "a.ts": "word", "b.ts": "word" });
	await project.index.refresh();
	await project.ask("word");
	let resume = () => {};
	let refreshed = Promise.resolve();
	await new Promise<void>((started) => {
		project.beforeWork = () => {
			started();
			return new Promise<void>((resolve) => {
				resume = resolve;
			});
		};
		refreshed = project.index.refresh();
	});
	project.write(".gitignore", "b.ts");
	const changed = project.index.changed([project.uriOf(".gitignore")]);
	const { files, isAll } = await project.ask("word");
	expect([files.map(({ uri }) => path.basename(uri)), isAll]).toEqual([["a.ts"], false]);
	project.beforeWork = () => {};
	resume();
	await Promise.all([refreshed, changed]);
	expect(await project.having("word")).toEqual(["a.ts"]);
});

test("updates folders that are moved, created and deleted", async () => {
	const project = new Project({ "a.ts": "word", "sub/b.ts": "word" });
	await project.index.refresh();
	renameSync(project.pathOf("sub"), project.pathOf("moved.js"));
	await project.index.changed([project.uriOf("sub"), project.uriOf("moved.js")]);
	// A refresh is running.
	expect((await project.ask("word")).isAll).toBe(false);
	await project.index.refresh();
	expect(await project.having("word")).toEqual(["a.ts", "moved.js/b.ts"]);
	rmSync(project.pathOf("moved.js"), { recursive: true });
	await project.index.changed([project.uriOf("moved.js")]);
	expect((await project.ask("word")).isAll).toBe(false);
	await project.index.refresh();
	expect(await project.having("word")).toEqual(["a.ts"]);
});

test.for([
	["files", { files: 3 }, 3],
	["bytes of text", { textBytes: 12 }, 3],
	["files in all folders", { filesInAll: 3 }, 3],
	["bytes of text in all folders", { textBytesInAll: 12 }, 3],
	["entries", { entries: 4 }, 3],
	["folders", { folders: 2 }, 4],
	["nested folders", { depth: 1 }, 4],
] as const)("indexes only part of a folder with too many %s, and reports that", async ([, limits, files]) => {
	const project = new Project(
		{ "a.ts": "word", "b.ts": "word", "c.ts": "word", "one/d.ts": "word", "one/two/e.ts": "word" },
		{ limits },
	);
	await project.index.refresh();
	const reason = "too many or too large files, so only some of them are searched";
	expect(project.state).toEqual({ files, isComplete: false, notes: [`${project.root}: ${reason}`] });
	expect((await project.ask("word")).isAll).toBe(false);
});

test("applies its limits to saved files, and frees its share of the total when closed", async () => {
	const total = { files: 0, textBytes: 0 };
	const project = new Project({ "a.ts": "word" }, { total, limits: { textBytes: 10 } });
	await project.index.refresh();
	project.write("b.ts", "a longer word");
	await project.index.changed([project.uriOf("b.ts")]);
	expect(project.state).toMatchObject({ files: 1, isComplete: false });
	expect(total).toEqual({ files: 1, textBytes: 4 });
	project.index.close();
	expect(total).toEqual({ files: 0, textBytes: 0 });
});

test("reports incomplete results if a file in the same language could not be read", async () => {
	const project = new Project({ "a.ts": "word", "large.json": " ".repeat(2 ** 20 + 1) });
	await project.index.refresh();
	expect((await project.ask("word", { near: "a.ts" })).isAll).toBe(true);
	project.write("large.js", " ".repeat(2 ** 20 + 1));
	await project.index.changed([project.uriOf("large.js")]);
	expect((await project.ask("word", { near: "a.ts" })).isAll).toBe(false);
	project.write("large.js", "");
	await project.index.changed([project.uriOf("large.js")]);
	expect((await project.ask("word", { near: "a.ts" })).isAll).toBe(true);
});

test("logs each folder name on a single line", async () => {
	const project = new Project({ "odd\nname/a.ts": "word" });
	const states: IndexState[] = [];
	const report = (state: IndexState) => states.push(state);
	const folder = project.pathOf("odd\nname");
	const index = new FolderIndex({ folder, rest: async () => {}, now: () => 0, report, limits: { files: 0 } });
	await index.refresh();
	expect(states.at(-1)?.notes).toEqual([expect.stringContaining("odd name: ")]);
});

test("reads nothing outside the folder, no matter when a subfolder is replaced by a link", async () => {
	const outside = new Project({ "b.ts": "hidden" });
	const swapAt = async (moment: number) => {
		const project = new Project({ "a.ts": "word", "deep/b.ts": "word" });
		let moments = 0;
		project.beforeWork = () => {
			if (++moments !== moment) return;
			renameSync(project.pathOf("deep"), project.pathOf("away"));
			symlinkSync(outside.root, project.pathOf("deep"));
		};
		await project.index.refresh();
		expect([moment, await project.having("hidden")]).toEqual([moment, []]);
		return { moments, found: await project.having("word") };
	};
	// The four steps: the root, the file in it, the subfolder, and the file in that.
	expect(await swapAt(0)).toEqual({ moments: 4, found: ["a.ts", "deep/b.ts"] });
	for (let moment = 1; moment <= 4; moment++) expect((await swapAt(moment)).found).not.toContain("deep/b.ts");
});

test("stops when it is closed, and indexes nothing in a missing folder", async () => {
	const project = new Project({ "a.ts": "word", "b/c.ts": "word" });
	let works = 0;
	project.beforeWork = () => {
		if (++works === 2) project.index.close();
	};
	await project.index.refresh();
	expect(project.states).toEqual([]);
	const gone = new Project();
	rmSync(gone.root, { recursive: true });
	await gone.index.refresh();
	expect(gone.state).toEqual({ files: 0, isComplete: false, notes: [] });
});
