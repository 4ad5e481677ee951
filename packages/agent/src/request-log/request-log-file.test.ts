import { spawnSync } from "node:child_process";
import {
	chmodSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ConsideredCandidate, History, Memory, predict, sceneOf } from "@segue/predict";
import { Change, type Document, Text } from "@segue/text";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RequestLogEntry } from "./request-log-entry.js";
import { RequestLogFile, readRequestLogs } from "./request-log-file.js";

const AT = new Date("2030-01-01T10:00:00.000Z");
// Words from the text and the path that must not occur in a log file without code.
const MARKERS = ["zebra", "kangaroo", "meadow"];

let folder: string;
beforeEach(() => {
	folder = path.join(mkdtempSync(path.join(tmpdir(), "segue-log-")), "data", "requests");
});
afterEach(() => rmSync(path.join(folder, "..", ".."), { recursive: true }));

function open(withCode = false, pid = process.pid): Promise<RequestLogFile> {
	return RequestLogFile.open({ folder, pid, startedAt: AT, withCode });
}

/** The entry for a request during a rename. */
function entryOf(number: number, detail = "the zebra said no"): RequestLogEntry {
	const text = Text.of(`const zebra = 0\nlog(zebra)\n`);
	const before: Document = { uri: "file:///meadow/a.ts", languageId: "typescript", version: 1, text };
	const change = Change.of([{ from: 6, to: 11, insert: "kangaroo" }], text.length);
	const document: Document = { ...before, version: 2, text: change.apply(text) };
	const history = History.empty
		.opened(before)
		.changed(before, change, { atMs: 0, isAccepted: false, after: document.text });
	const scene = sceneOf(document, history, 14);
	const entry = new RequestLogEntry(
		number,
		AT,
		scene.workspace,
		() => 1.25,
		() => {},
	);
	const prediction = predict(scene, Memory.empty, entry);
	if (!("suggestions" in prediction)) throw new Error(`no suggestion: ${prediction.silence}`);
	const offers = prediction.suggestions.map((suggestion) => ({ suggestion, document }));
	entry.recordResponse({ scene, offers, silence: undefined, detail });
	return entry;
}

/** Returns the paths of all functions in a value. A function could retain anything. */
function functionsIn(value: unknown, at = ""): string[] {
	if (typeof value === "function") return [at];
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([name, one]) => functionsIn(one, `${at}.${name}`));
}

function modeOf(file: string): string {
	return (statSync(file).mode & 0o777).toString(8);
}

/** Returns the names of the files in the folder, without their random parts. */
function names(): string[] {
	return readdirSync(folder)
		.map((name) => name.replace(/-[0-9a-f]{8}\./, "."))
		.toSorted();
}

/** Creates a file with a modification time in the past. */
function leave(name: string, ageMs = 0, text = "{}"): string {
	mkdirSync(folder, { recursive: true });
	const file = path.join(folder, name);
	writeFileSync(file, text);
	const at = new Date(Date.now() - ageMs);
	utimesSync(file, at, at);
	return file;
}

/** The id of a process that has ended. */
function deadPid(): number {
	return spawnSync(process.execPath, ["-e", ""]).pid;
}

test("writes requests without code to a file that only the user can read, and deletes it when the server ends", async () => {
	const logFile = await open();
	const entry = entryOf(1);
	await logFile.write([entry]);
	expect(names()).toEqual([`${process.pid}.json`]);
	const file = path.join(folder, readdirSync(folder)[0] ?? "");
	expect([modeOf(folder), modeOf(file)]).toEqual(["700", "600"]);
	const text = readFileSync(file, "utf8");
	for (const marker of MARKERS) expect(text).not.toContain(marker);
	const { logs: logFiles } = await readRequestLogs(folder);
	expect(logFiles).toMatchObject([{ pid: process.pid, withCode: false, startedAt: AT.toISOString() }]);
	const [request] = logFiles[0]?.requests ?? [];
	expect(request).toMatchObject({ trigger: "automatic", language: "typescript", latencyMs: 1.25 });
	expect(request?.candidates[0]).toMatchObject({ predictor: "rename", kind: "edit", offered: 0 });
	const features = Object.values(request?.candidates[0]?.features ?? {});
	expect(features.length).toBeGreaterThan(5);
	expect(features).toEqual(features.filter((value) => value !== 0).map((value) => Number(value.toPrecision(4))));
	await logFile.close();
	expect(readdirSync(folder)).toEqual([]);
});

test("a log file with code includes texts and paths", async () => {
	await (await open(true)).write([entryOf(1)]);
	const [{ requests } = { requests: [] }] = (await readRequestLogs(folder)).logs;
	expect(requests[0]).toMatchObject({ uri: "file:///meadow/a.ts", detail: "the zebra said no" });
	expect(requests[0]?.candidates[0]?.drawn).toEqual(["file:///meadow/a.ts:2  log(‹zebra→kangaroo›)"]);
});

test("only a log file with code includes a model server's message", async () => {
	const model = { name: "local/coder", failure: "refused", words: "local refused the request (400)." };
	const entry = entryOf(1);
	entry.recordResponse({ scene: undefined, offers: [], silence: "model-failed", detail: "the zebra said no", model });
	await (await open()).write([entry]);
	const text = readFileSync(path.join(folder, readdirSync(folder)[0] ?? ""), "utf8");
	for (const marker of MARKERS) expect(text).not.toContain(marker);
	expect((await readRequestLogs(folder)).logs[0]?.requests[0]).toMatchObject({ silence: "model-failed", model });
});

test("includes verdicts that arrive after the first write", async () => {
	const logFile = await open();
	const entry = entryOf(1);
	await logFile.write([entry]);
	const [offer] = entry.offers;
	if (offer !== undefined) entry.recordOutcome(offer.suggestion, { kind: "rejected", reason: "ignored" });
	await logFile.write([entry]);
	expect((await readRequestLogs(folder)).logs[0]?.requests[0]?.candidates[0]?.verdict).toBe("ignored");
});

test("omits the oldest requests if the file would be too large", async () => {
	const entries = Array.from({ length: 500 }, (_, i) => entryOf(i, `${i} ${"x".repeat(5000)}`));
	await (await open(true)).write(entries);
	expect(statSync(path.join(folder, readdirSync(folder)[0] ?? "")).size).toBeLessThan(1.1 * 2 ** 20);
	const [logFile] = (await readRequestLogs(folder)).logs;
	expect(logFile?.requests.length).toBeGreaterThan(50);
	expect(logFile?.requests.at(-1)?.detail).toMatch(/^499 /);
	expect(logFile?.requests.length).toBeLessThan(500);
});

// Longer than the interval at which a running server writes.
const LONG_MS = 11 * 60_000;

test("deletes old files of other servers, even if their process ids were reused, and nothing else", async () => {
	leave("notes.txt", LONG_MS);
	for (const pid of [deadPid(), process.pid]) {
		for (const kind of ["json", "tmp"]) leave(`${pid}-0123abcd.${kind}`, LONG_MS);
	}
	chmodSync(folder, 0o755);
	expect(await readRequestLogs(folder)).toEqual({ logs: [], unreadable: [] });
	await (await open()).write([]);
	expect(names()).toEqual([`${process.pid}.json`, "notes.txt"].toSorted());
	expect(modeOf(folder)).toBe("700");
});

test("keeps recent files of other servers, which may run in a container", async () => {
	const dead = deadPid();
	const fresh = [`${dead}-0123abcd.json`, `${dead}-0123abcd.tmp`, `${process.pid}-4567abcd.json`];
	for (const name of fresh) leave(name);
	const logFile = await open();
	await logFile.write([]);
	await logFile.close();
	expect(readdirSync(folder).toSorted()).toEqual(fresh.toSorted());
});

test("does not read the log of a server that was just killed", async () => {
	const pid = deadPid();
	await (await open(false, pid)).write([entryOf(1)]);
	expect(names()).toEqual([`${pid}.json`]);
	expect(await readRequestLogs(folder)).toEqual({ logs: [], unreadable: [] });
});

test.for([
	["not JSON", "{"],
	["another file", "[]"],
	["too large", `${" ".repeat(3 * 2 ** 20)}{}`],
])("skips and reports a log file that is %s", async ([, text]) => {
	const file = leave(`${process.pid}-0123abcd.json`, 0, text);
	expect(await readRequestLogs(folder)).toEqual({ logs: [], unreadable: [file] });
});

test("reads no logs if the folder does not exist", async () => {
	expect(await readRequestLogs(folder)).toEqual({ logs: [], unreadable: [] });
});

test("includes a request that was answered from a model's earlier reply", async () => {
	const entry = entryOf(1);
	entry.watch([] satisfies ConsideredCandidate[]);
	await (await open()).write([entry]);
	const [request] = (await readRequestLogs(folder)).logs[0]?.requests ?? [];
	expect(request).toMatchObject({ count: 1, candidates: [{ predictor: "rename", offered: 0 }] });
});

test("stores explanations as text, without references to the scene", () => {
	const { considered } = entryOf(1);
	expect(considered[0]?.why).toMatch(/^Renaming `zebra` to `kangaroo`: /);
	// A document only references its own analyses.
	expect(functionsIn(considered.map(({ document: _, ...one }) => one))).toEqual([]);
});
