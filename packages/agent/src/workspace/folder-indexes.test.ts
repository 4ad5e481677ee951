import { homedir } from "node:os";
import { pathToFileURL } from "node:url";
import { wordQueryOf } from "@segue/predict/words";
import { InlineFolderIndexes, TestFolder } from "@segue/testing/process/indexed-folder";
import { expect, test } from "vitest";
import type { FolderFiles } from "../next-edit/folder-files.js";
import { FolderIndexes, type IndexWorker, startIndexWorker } from "./folder-indexes.js";
import { type IndexTask, restWhile } from "./index-tasks.js";

function questionOf(word: string) {
	return { hashes: [wordQueryOf(word).hash], near: "", uris: [], known: new Map(), open: new Set<string>() };
}

async function texts(files: FolderFiles, word: string): Promise<(string | undefined)[]> {
	return (await files.find(questionOf(word))).files.map(({ text }) => text);
}

test("shares the index of a folder, and closes it with the last session", async () => {
	const folder = new TestFolder({ "a.ts": "word" });
	let stopIdle = () => {};
	const after = (delayMs: number, run: () => void) => {
		if (delayMs > 1000) stopIdle = run;
		return () => {};
	};
	const indexes = new InlineFolderIndexes({ after });
	const one = indexes.acquire([{ uri: folder.uri }]);
	const other = indexes.acquire([{ uri: `${folder.uri}/` }]);
	await indexes.indexed();
	expect([one.state, other.state]).toEqual([
		{ files: 1, isComplete: true },
		{ files: 1, isComplete: true },
	]);
	one.release();
	one.release();
	expect(await texts(one, "word")).toEqual([]);
	expect(await texts(other, "word")).toEqual(["word"]);
	const late = other.find(questionOf("word"));
	other.release();
	expect((await late).files).toEqual([]);
	expect(indexes.workers).toEqual({ started: 1, running: 1 });
	stopIdle();
	expect(indexes.workers.running).toBe(0);
	const third = indexes.acquire([{ uri: folder.uri }]);
	await indexes.indexed(2);
	expect(await texts(third, "word")).toEqual(["word"]);
});

test("searches several folders, and returns each file only once", async () => {
	const folder = new TestFolder({ "a.ts": "word", "sub/b.ts": "word rare" });
	const indexes = new InlineFolderIndexes();
	const files = indexes.acquire([{ uri: folder.uri }, { uri: folder.uriOf("sub") }]);
	await indexes.indexed(2);
	expect(files.state).toEqual({ files: 2, isComplete: true });
	expect(await texts(files, "word")).toEqual(["word", "word rare"]);
	expect((await files.find(questionOf("rare"))).words).toEqual([
		{ hash: wordQueryOf("rare").hash, uris: [folder.uriOf("sub/b.ts")], isAll: true },
	]);
});

test("does not index folders that are forbidden, remote, or a whole home folder or disk", () => {
	const folder = new TestFolder({ "a.ts": "word" });
	const indexes = new InlineFolderIndexes({ isAllowed: (uri) => uri !== folder.uri });
	const uris = [folder.uri, pathToFileURL(homedir()).href, "file:///", "vscode-remote://host/src", "untitled:a", ""];
	const files = indexes.acquire(uris.map((uri) => ({ uri })));
	expect([indexes.workers.started, files.state]).toEqual([0, { files: 0, isComplete: false }]);
});

/** Indexes with a fake worker. */
function stage() {
	const logged: string[] = [];
	const timers: { readonly delayMs: number; readonly run: () => void }[] = [];
	const tasks: IndexTask[] = [];
	const listeners: Parameters<IndexWorker["receive"]>[0][] = [];
	let busy: Int32Array = new Int32Array();
	const indexes = new FolderIndexes({
		start: (counter) => {
			busy = counter;
			return { post: (task) => tasks.push(task), receive: (one) => listeners.push(one), stop: () => {} };
		},
		after: (delayMs, run) => {
			timers.push({ delayMs, run });
			return () => {};
		},
		log: (line) => logged.push(line),
	});
	return { indexes, logged, timers, tasks, listeners, busy: () => busy[0] };
}

test("finds nothing if a disk hangs, and does not search again for a while", async () => {
	const folder = new TestFolder({});
	const { indexes, timers, tasks } = stage();
	const files = indexes.acquire([{ uri: folder.uri }]);
	const slow = files.find(questionOf("word"));
	timers[0]?.run();
	expect((await slow).files).toEqual([]);
	expect((await files.find(questionOf("word"))).files).toEqual([]);
	expect(tasks.map(({ kind }) => kind)).toEqual(["open", "find"]);
	timers[1]?.run();
	void files.find(questionOf("word"));
	expect(tasks.map(({ kind }) => kind)).toEqual(["open", "find", "find"]);
});

test("restarts a crashed thread once, with all folders", async () => {
	const folders = [new TestFolder({}), new TestFolder({})];
	const { indexes, logged, tasks, listeners } = stage();
	const files = indexes.acquire(folders);
	const lost = files.find(questionOf("word"));
	listeners[0]?.(new Error("out of memory"));
	expect((await lost).files).toEqual([]);
	expect(tasks.filter(({ kind }) => kind === "open").map(({ id }) => id)).toEqual([1, 2, 1, 2]);
	// The first worker reports its exit after its error.
	listeners[0]?.(new Error("exit code 1"));
	expect(logged).toEqual(["the file index crashed and was restarted: out of memory"]);
	listeners[1]?.(new Error("out of memory"));
	expect(logged[1]).toBe("the file index crashed again; only open files are searched: out of memory");
	expect((await files.find(questionOf("word"))).files).toEqual([]);
	indexes.acquire(folders).release();
	expect(listeners).toHaveLength(2);
});

test("logs each reason for skipped files once", () => {
	const { indexes, logged, listeners } = stage();
	const folder = new TestFolder({});
	indexes.acquire([folder]);
	const reply = (files: number, ...notes: string[]) => {
		listeners[0]?.({ kind: "state", id: 1, state: { files, isComplete: false, notes } });
	};
	reply(1, "too large");
	reply(2, "too large", "unreadable");
	reply(3, "unreadable");
	reply(4, "too large");
	expect(logged).toEqual(["too large", "unreadable"]);
});

test("counts requests in flight", () => {
	const { indexes, busy } = stage();
	const files = indexes.acquire([new TestFolder({})]);
	const resumes = [files.pause(), files.pause()];
	expect(busy()).toBe(2);
	for (const resume of resumes) resume();
	expect(busy()).toBe(0);
});

test("indexing pauses during requests, but not until a slow model has responded", async () => {
	const busy = Int32Array.of(1);
	const waits: number[] = [];
	let isAnswered = false;
	const rest = restWhile(busy, async (delayMs) => {
		waits.push(delayMs);
		if (isAnswered) busy[0] = 0;
	});
	await rest();
	const waitedMs = waits.reduce((sum, one) => sum + one, 0);
	expect(waitedMs).toBe(100);
	waits.length = 0;
	isAnswered = true;
	await rest();
	expect(waits).toHaveLength(1);
	await rest();
	expect(waits).toHaveLength(1);
});

test("a worker thread indexes a folder", async () => {
	const folder = new TestFolder({ "a.ts": "word" });
	const logged: string[] = [];
	const indexes = new FolderIndexes({
		start: startIndexWorker,
		log: (line) => logged.push(line),
		after: () => () => {},
	});
	const files = indexes.acquire([{ uri: folder.uri }]);
	let found: (string | undefined)[] = [];
	while (found.length === 0) found = await texts(files, "word");
	expect(found).toEqual(["word"]);
	indexes.stop();
	expect(await texts(files, "word")).toEqual([]);
	expect(logged).toEqual([]);
});
