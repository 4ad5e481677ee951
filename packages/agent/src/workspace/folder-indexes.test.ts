import { homedir } from "node:os";
import { pathToFileURL } from "node:url";
import { wantedOf } from "@segue/predict/words";
import { IndexesHere, TestFolder } from "@segue/testing/indexed-folder";
import { expect, test } from "vitest";
import type { FolderFiles } from "../next-edit/folder-files.js";
import { FolderIndexes, type IndexWorker, startIndexWorker } from "./folder-indexes.js";

function questionOf(word: string) {
	return { hashes: [wantedOf(word).hash], near: "", uris: [], known: new Map(), open: new Set<string>() };
}

async function texts(files: FolderFiles, word: string): Promise<(string | undefined)[]> {
	return (await files.find(questionOf(word))).files.map(({ text }) => text);
}

test("shares the index of a folder, and cancels it with the last session", async () => {
	const folder = new TestFolder({ "a.ts": "word" });
	let stopIdle = () => {};
	const after = (delayMs: number, run: () => void) => {
		if (delayMs > 1000) stopIdle = run;
		return () => {};
	};
	const indexes = new IndexesHere({ after });
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

test("answers for several folders, each file once", async () => {
	const folder = new TestFolder({ "a.ts": "word", "sub/b.ts": "word rare" });
	const indexes = new IndexesHere();
	const files = indexes.acquire([{ uri: folder.uri }, { uri: folder.uriOf("sub") }]);
	await indexes.indexed(2);
	expect(await texts(files, "word")).toEqual(["word", "word rare"]);
	expect((await files.find(questionOf("rare"))).words).toEqual([
		{ hash: wantedOf("rare").hash, uris: [folder.uriOf("sub/b.ts")], isAll: true },
	]);
});

test("indexes no folder that is not allowed, a whole home or disk, or on another machine", () => {
	const folder = new TestFolder({ "a.ts": "word" });
	const indexes = new IndexesHere({ isAllowed: (uri) => uri !== folder.uri });
	const uris = [folder.uri, pathToFileURL(homedir()).href, "file:///", "vscode-remote://host/src", "untitled:a", ""];
	const files = indexes.acquire(uris.map((uri) => ({ uri })));
	expect([indexes.workers.started, files.state]).toEqual([0, { files: 0, isComplete: false }]);
});

test("finds nothing where a disk does not answer, and says once that the thread has ended", async () => {
	const folder = new TestFolder({});
	const told: string[] = [];
	let end: Parameters<IndexWorker["receive"]>[0] = () => {};
	const start = (): IndexWorker => {
		return {
			post: () => {},
			receive: (listener) => {
				end = listener;
			},
			stop: () => {},
		};
	};
	let giveUp = () => {};
	const after = (_ms: number, run: () => void) => {
		giveUp = run;
		return () => {};
	};
	const indexes = new FolderIndexes({ start, after, tell: (line) => told.push(line) });
	const files = indexes.acquire([{ uri: folder.uri }]);
	const slow = files.find(questionOf("word"));
	giveUp();
	expect((await slow).files).toEqual([]);
	const lost = files.find(questionOf("word"));
	end(new Error("out of memory"));
	expect((await lost).files).toEqual([]);
	expect(told).toEqual(["files that are not open are not searched any more: out of memory"]);
	indexes.acquire([{ uri: folder.uri }]).release();
});

test("a thread indexes a folder, and pauses while a request is under way", async () => {
	const folder = new TestFolder({ "a.ts": "word" });
	const told: string[] = [];
	const indexes = new FolderIndexes({
		start: startIndexWorker,
		tell: (line) => told.push(line),
		after: () => () => {},
	});
	const files = indexes.acquire([{ uri: folder.uri }]);
	const resume = files.pause();
	let found = await texts(files, "word");
	resume();
	while (found.length === 0) found = await texts(files, "word");
	expect(found).toEqual(["word"]);
	indexes.stop();
	expect(await texts(files, "word")).toEqual([]);
	expect(told).toEqual([]);
});
