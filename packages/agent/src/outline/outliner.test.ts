import { type Document, Text } from "@segue/text";
import { expect, test } from "vitest";
import type { OutlineReply, OutlineTask } from "./outline-tasks.js";
import { Outliner, type OutlineWorker } from "./outliner.js";

const NOTHING = {
	words: [],
	scopes: Int32Array.of(0, 1, -1, 0),
	declarations: new Int32Array(),
	names: new Int32Array(),
	isSequential: false,
	isBroken: false,
};

/** An outliner with a fake worker. Records tasks and reports. */
function outlinerOn() {
	const tasks: OutlineTask[] = [];
	const reported: string[] = [];
	const worker = { reply: (_reply: OutlineReply | Error) => {}, started: 0, isStopped: false };
	const start = (): OutlineWorker => {
		worker.started++;
		return {
			post: (task) => tasks.push(task),
			receive: (listener) => {
				worker.reply = listener;
			},
			stop: () => {
				worker.isStopped = true;
			},
		};
	};
	const outliner = new Outliner(start, (why) => reported.push(why));
	return { outliner, outlines: outliner.outlines(), tasks, reported, worker };
}

function document(uri: string, text: string | Text, languageId = "typescript"): Document {
	return { uri, languageId, version: 1, text: typeof text === "string" ? Text.of(text) : text };
}

test("starts its worker for the first document in a supported language", () => {
	const { outlines, worker, tasks } = outlinerOn();
	outlines.update(document("a.txt", "a", "plaintext"));
	expect(worker.started).toBe(0);
	outlines.update(document("a.ts", "a"));
	outlines.update(document("b.ts", "b"));
	expect(worker.started).toBe(1);
	expect(tasks).toEqual([
		{ kind: "open", id: 1, languageId: "typescript", source: "a" },
		{ kind: "open", id: 2, languageId: "typescript", source: "b" },
	]);
});

test("parses one version of a document at a time, then the newest", async () => {
	const { outliner, outlines, worker, tasks } = outlinerOn();
	const first = document("a.ts", "one two");
	outlines.update(first);
	outlines.update(document("a.ts", first.text.replace(3, 3, "s")));
	const third = document("a.ts", first.text.replace(0, 3, "three"));
	outlines.update(third);
	expect(tasks).toHaveLength(1);
	expect(outlines.now().size).toBe(0);

	const settled = outliner.settled();
	worker.reply({ id: 1, data: NOTHING });
	expect(tasks.slice(1)).toEqual([{ kind: "change", id: 1, edit: { from: 0, to: 2, insert: "thre" } }]);
	expect(outlines.now().get("a.ts")?.text).toBe(first.text);
	const before = outlines.now();
	worker.reply({ id: 1, data: NOTHING });
	await settled;
	expect(outlines.now().get("a.ts")?.text).toBe(third.text);
	// Snapshots don't change.
	expect(before.get("a.ts")?.text).toBe(first.text);
});

test("drops closed documents and ignores replies for them", () => {
	const { outlines, worker, tasks } = outlinerOn();
	outlines.update(document("a.ts", "a"));
	outlines.forget("a.ts");
	outlines.forget("never.ts");
	worker.reply({ id: 1, data: NOTHING });
	expect(outlines.now().size).toBe(0);
	expect(tasks.at(-1)).toEqual({ kind: "close", id: 1 });
	// Opening the document again, or in another language, gives it a new id.
	outlines.update(document("a.ts", "a"));
	outlines.update(document("a.ts", "a", "python"));
	outlines.update(document("b.ts", "b"));
	outlines.forgetAll();
	expect(tasks.slice(2).map(({ kind, id }) => `${kind} ${id}`)).toEqual([
		"open 2",
		"close 2",
		"open 3",
		"open 4",
		"close 3",
		"close 4",
	]);
});

test("keeps the documents of two sessions separate", () => {
	const { outliner, outlines, worker } = outlinerOn();
	const others = outliner.outlines();
	outlines.update(document("a.ts", "a"));
	others.update(document("a.ts", "b"));
	worker.reply({ id: 2, data: NOTHING });
	expect(outlines.now().size).toBe(0);
	expect(others.now().get("a.ts")?.text.toString()).toBe("b");
});

test("drops all outlines if its worker crashes, and reports it once", async () => {
	const { outliner, outlines, worker, tasks, reported } = outlinerOn();
	outlines.update(document("a.ts", "a"));
	worker.reply({ id: 1, data: NOTHING });
	outlines.update(document("a.ts", "b"));
	const settled = outliner.settled();
	worker.reply(new Error("out of memory"));
	worker.reply(new Error("exit code 1"));
	await settled;
	expect(outlines.now().size).toBe(0);
	expect(reported).toEqual(["the parser crashed: out of memory"]);
	outlines.update(document("a.ts", "c"));
	outlines.forget("a.ts");
	expect(tasks).toHaveLength(2);
	expect(worker).toMatchObject({ started: 1, isStopped: true });
	await outliner.settled();
});

test("reports each failure once, and parses no more documents in that language", async () => {
	const { outliner, outlines, worker, tasks, reported } = outlinerOn();
	outlines.update(document("a.ts", "a"));
	outlines.update(document("b.ts", "b"));
	worker.reply({ id: 1, failure: "no grammar" });
	worker.reply({ id: 2, failure: "no grammar" });
	await outliner.settled();
	expect(outlines.now().size).toBe(0);
	expect(reported).toEqual(["no grammar"]);
	outlines.update(document("a.ts", "c"));
	outlines.update(document("c.py", "c", "python"));
	expect(tasks.filter(({ kind }) => kind === "open").map(({ id }) => id)).toEqual([1, 2, 3]);
	worker.reply({ id: 3, failure: "no grammar" });
	expect(reported).toHaveLength(1);
});

test("skips documents that are too long, and evicts the least recently used one if the total is too large", () => {
	const { outlines, tasks } = outlinerOn();
	outlines.update(document("long.ts", "\n".repeat(500_001)));
	expect(tasks).toEqual([]);
	for (let i = 0; i < 9; i++) outlines.update(document(`${i}.ts`, "\n".repeat(500_000)));
	expect(tasks.filter(({ kind }) => kind === "close")).toEqual([{ kind: "close", id: 1 }]);
	// A document that became too long is dropped.
	outlines.update(document("8.ts", "\n".repeat(500_001)));
	expect(tasks.at(-1)).toEqual({ kind: "close", id: 9 });
});

test("counts the current length of a document that was changed, closed and opened again", () => {
	const { outlines, tasks } = outlinerOn();
	for (let i = 0; i < 8; i++) outlines.update(document(`${i}.ts`, "\n".repeat(500_000)));
	for (let i = 0; i < 8; i++) outlines.update(document("7.ts", "\n".repeat(500_000 - i)));
	outlines.forget("7.ts");
	outlines.update(document("7.ts", "\n".repeat(400_000)));
	outlines.update(document("8.ts", "\n".repeat(100_000)));
	expect(tasks.filter(({ kind }) => kind === "close")).toEqual([{ kind: "close", id: 8 }]);
	outlines.update(document("9.ts", "\n"));
	expect(tasks.filter(({ kind }) => kind === "close")).toEqual([
		{ kind: "close", id: 8 },
		{ kind: "close", id: 1 },
	]);
});

test("does not parse documents that the engine does not read", () => {
	const { outlines, tasks } = outlinerOn();
	outlines.update(document("minified.ts", "a".repeat(6000)));
	outlines.update(document("binary.ts", "a\0b"));
	expect(tasks).toEqual([]);
	outlines.update(document("a.ts", "a"));
	outlines.update(document("a.ts", "a".repeat(6000)));
	expect(tasks.map(({ kind }) => kind)).toEqual(["open", "close"]);
});

test("evicts the least recently changed documents", () => {
	const { outlines, tasks } = outlinerOn();
	for (let i = 0; i < 1002; i++) outlines.update(document(`${i}.ts`, "a"));
	expect(tasks.filter(({ kind }) => kind === "close")).toEqual([
		{ kind: "close", id: 1 },
		{ kind: "close", id: 2 },
	]);
});
