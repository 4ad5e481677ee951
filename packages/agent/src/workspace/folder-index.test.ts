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
import { pathToFileURL } from "node:url";
import { wantedOf } from "@segue/predict/words";
import { expect, onTestFinished, test } from "vitest";
import { FolderIndex, type IndexState } from "./folder-index.js";

/** A folder on disk with an index. */
class Project {
	readonly root = realpathSync(mkdtempSync(path.join(tmpdir(), "segue-index-")));
	readonly states: IndexState[] = [];
	nowMs = 0;
	/** Run before each part of the work. */
	beforeWork: () => void = () => {};
	readonly index = new FolderIndex({
		folder: this.root,
		rest: async () => this.beforeWork(),
		now: () => this.nowMs,
		report: (state) => this.states.push(state),
	});

	constructor(files: Readonly<Record<string, string | Uint8Array>> = {}) {
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
		const { hash } = wantedOf(word);
		const { words, files } = await this.index.find({
			hashes: [hash],
			near: this.uriOf(near),
			uris: [],
			known,
			open: new Set(),
		});
		return { files, ...words[0] };
	}

	/** The names of the files that have a word. */
	async having(word: string): Promise<string[]> {
		const { uris = [] } = await this.ask(word);
		return uris.map((uri) => decodeURIComponent(uri.slice(this.uriOf("").length + 1))).sort();
	}

	get state(): IndexState | undefined {
		return this.states.at(-1);
	}
}

test("finds the files that have a word, and reads them", async () => {
	const project = new Project({ "a.ts": "const apple = 1;", "src/b c.py": "apple = pear", "src/d.ts": "pear()" });
	await project.index.refresh();
	expect(await project.having("apple")).toEqual(["a.ts", "src/b c.py"]);
	expect(await project.having("pear")).toEqual(["src/b c.py", "src/d.ts"]);
	expect(await project.having("ap")).toEqual([]);
	expect((await project.ask("apple")).files.map(({ text }) => text)).toEqual(["const apple = 1;", "apple = pear"]);
	expect(project.state).toEqual({ files: 3, isComplete: true, note: undefined });
});

test("leaves out what is ignored, secret, linked, of other tools, no source, no text, a key or too large", async () => {
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

test("names files below a folder that is a link by the link", async () => {
	const project = new Project({ "real/a.ts": "word" });
	symlinkSync(project.pathOf("real"), project.pathOf("link"));
	const folder = project.pathOf("link");
	const index = new FolderIndex({ folder, rest: async () => {}, now: () => 0, report: () => {} });
	await index.refresh();
	const question = { hashes: [wantedOf("word").hash], near: "", uris: [], known: new Map(), open: new Set<string>() };
	expect((await index.find(question)).files).toMatchObject([{ uri: project.uriOf("link/a.ts"), text: "word" }]);
});

test("follows files that are saved, created, deleted or ignored", async () => {
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

test("looks at the times of all files when it is asked after a while, and reads only those that were written", async () => {
	const project = new Project({ "a.ts": "word", "b.ts": "word", "old/c.ts": "word" });
	await project.index.refresh();
	project.write("a.ts", "other");
	project.write("new/d.ts", "word");
	rmSync(project.pathOf("old"), { recursive: true });
	project.nowMs = 29_000;
	expect(await project.having("word")).toEqual(["a.ts", "b.ts", "old/c.ts"]);
	project.nowMs = 31_000;
	await project.having("word");
	await project.index.refresh();
	expect(await project.having("word")).toEqual(["b.ts", "new/d.ts"]);
});

test("reads what is found again, and says nothing of a text that the asker has", async () => {
	const project = new Project({ "a.ts": "word", "b.ts": "word" });
	await project.index.refresh();
	const { files } = await project.ask("word");
	const known = new Map(files.map(({ uri, stamp }) => [uri, stamp]));
	project.write("b.ts", "longer word");
	expect((await project.ask("word", { known })).files.map(({ text }) => text)).toEqual([undefined, "longer word"]);
	// The time that programs can set does not hide a change.
	project.write("b.ts", "LONGER word");
	utimesSync(project.pathOf("b.ts"), 1, 1);
	expect((await project.ask("word", { known })).files[1]?.text).toBe("LONGER word");
	project.write(".gitignore", "b.ts");
	await project.index.changed([project.uriOf(".gitignore")]);
	const { hash } = wantedOf("absent");
	const asked = await project.index.find({
		hashes: [hash],
		near: "",
		uris: [project.uriOf("b.ts")],
		known,
		open: new Set(),
	});
	expect(asked.files).toEqual([]);
});

test("finds those of many that are nearest, and says that there are more", async () => {
	const project = new Project();
	for (let i = 0; i < 40; i++) project.write(`far/${i}.ts`, "word");
	for (let i = 0; i < 4; i++) project.write(`src/near/${i}.ts`, "word rare");
	await project.index.refresh();
	const { uris = [], isAll } = await project.ask("word", { near: "src/near/x.ts" });
	expect([uris.length, isAll]).toEqual([24, false]);
	expect(uris.slice(0, 4)).toEqual([0, 1, 2, 3].map((i) => project.uriOf(`src/near/${i}.ts`)));
	expect((await project.ask("rare")).isAll).toBe(true);
});

test("finds no files for a word that is in more than a thousand", async () => {
	const project = new Project();
	for (let i = 0; i < 1001; i++) project.write(`${i % 10}/${i}.ts`, "common");
	await project.index.refresh();
	expect(await project.ask("common")).toMatchObject({ uris: [], isAll: false, files: [] });
	rmSync(project.pathOf("0/0.ts"));
	await project.index.changed([project.uriOf("0/0.ts")]);
	expect((await project.ask("common")).uris).toHaveLength(24);
});

test("costs a line in the log where a folder is hostile", async () => {
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
	if (!isRoot) expect(project.state?.note).toBe(`${project.root}: 1 folder could not be read`);
});

test("reads nothing outside when a folder is swapped with a link at any moment", async () => {
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
	// The top, its file, the folder, its file.
	expect(await swapAt(0)).toEqual({ moments: 4, found: ["a.ts", "deep/b.ts"] });
	for (let moment = 1; moment <= 4; moment++) expect((await swapAt(moment)).found).not.toContain("deep/b.ts");
});

test("stops when it is closed, and indexes nothing that is gone", async () => {
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
	expect(gone.state).toEqual({ files: 0, isComplete: false, note: undefined });
});
