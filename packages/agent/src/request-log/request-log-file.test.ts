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
// What must be in no file that is without code: of the text, and of the path.
const MARKERS = ["zebra", "kangaroo", "meadow"];

let folder: string;
beforeEach(() => {
	folder = path.join(mkdtempSync(path.join(tmpdir(), "segue-log-")), "data", "requests");
});
afterEach(() => rmSync(path.join(folder, "..", ".."), { recursive: true }));

function open(withCode = false, pid = process.pid): Promise<RequestLogFile> {
	return RequestLogFile.open({ folder, pid, startedAt: AT, withCode });
}

/** The entry of a request of a user who has begun to rename. */
function accountOf(number: number, detail = "the zebra said no"): RequestLogEntry {
	const text = Text.of(`const zebra = 0\nlog(zebra)\n`);
	const before: Document = { uri: "file:///meadow/a.ts", languageId: "typescript", version: 1, text };
	const change = Change.of([{ from: 6, to: 11, insert: "kangaroo" }], text.length);
	const document: Document = { ...before, version: 2, text: change.apply(text) };
	const history = History.empty
		.opened(before)
		.changed(before, change, { atMs: 0, isAccepted: false, after: document.text });
	const scene = sceneOf(document, history, 14);
	const nobody = () => {};
	const entry = new RequestLogEntry(number, AT, scene.workspace, () => 1.25, nobody);
	const prediction = predict(scene, Memory.empty, entry);
	if (!("suggestions" in prediction)) throw new Error(`nothing is suggested: ${prediction.silence}`);
	const offers = prediction.suggestions.map((suggestion) => ({ suggestion, document }));
	entry.recordResponse({ scene, offers, silence: undefined, detail });
	return entry;
}

/** Where, by its path, something holds a function that could hold anything. */
function functionsIn(value: unknown, at = ""): string[] {
	if (typeof value === "function") return [at];
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([name, one]) => functionsIn(one, `${at}.${name}`));
}

function modeOf(file: string): string {
	return (statSync(file).mode & 0o777).toString(8);
}

/** The files of the folder, without what is in their names by chance. */
function names(): string[] {
	return readdirSync(folder)
		.map((name) => name.replace(/-[0-9a-f]{8}\./, "."))
		.toSorted();
}

/** Leaves a file for a server with this process id, which was written so long ago. */
function leave(name: string, ageMs = 0, text = "{}"): string {
	mkdirSync(folder, { recursive: true });
	const file = path.join(folder, name);
	writeFileSync(file, text);
	const at = new Date(Date.now() - ageMs);
	utimesSync(file, at, at);
	return file;
}

/** A process that is over. */
function deadPid(): number {
	return spawnSync(process.execPath, ["-e", ""]).pid;
}

test("a log file is for its user alone, tells of requests without a word of a document, and goes with its server", async () => {
	const logFile = await open();
	const entry = accountOf(1);
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

test("a log file has texts and paths where the user wants them", async () => {
	await (await open(true)).write([accountOf(1)]);
	const [{ requests } = { requests: [] }] = (await readRequestLogs(folder)).logs;
	expect(requests[0]).toMatchObject({ uri: "file:///meadow/a.ts", detail: "the zebra said no" });
	expect(requests[0]?.candidates[0]?.drawn).toEqual(["file:///meadow/a.ts:2  log(‹zebra→kangaroo›)"]);
});

test("a log file tells why a model failed in our own words, and in those of others only with code", async () => {
	const model = { name: "local/coder", failure: "refused", words: "local refused the request (400)." };
	const entry = accountOf(1);
	entry.recordResponse({ scene: undefined, offers: [], silence: "model-failed", detail: "the zebra said no", model });
	await (await open()).write([entry]);
	const text = readFileSync(path.join(folder, readdirSync(folder)[0] ?? ""), "utf8");
	for (const marker of MARKERS) expect(text).not.toContain(marker);
	expect((await readRequestLogs(folder)).logs[0]?.requests[0]).toMatchObject({ silence: "model-failed", model });
});

test("a log file has the verdicts that came since it was written", async () => {
	const logFile = await open();
	const entry = accountOf(1);
	await logFile.write([entry]);
	const [offer] = entry.offers;
	if (offer !== undefined) entry.recordOutcome(offer.suggestion, { kind: "rejected", reason: "ignored" });
	await logFile.write([entry]);
	expect((await readRequestLogs(folder)).logs[0]?.requests[0]?.candidates[0]?.verdict).toBe("ignored");
});

test("a log file leaves out the oldest of what would be too much", async () => {
	const entries = Array.from({ length: 500 }, (_, i) => accountOf(i, `${i} ${"x".repeat(5000)}`));
	await (await open(true)).write(entries);
	expect(statSync(path.join(folder, readdirSync(folder)[0] ?? "")).size).toBeLessThan(1.1 * 2 ** 20);
	const [logFile] = (await readRequestLogs(folder)).logs;
	expect(logFile?.requests.length).toBeGreaterThan(50);
	expect(logFile?.requests.at(-1)?.detail).toMatch(/^499 /);
	expect(logFile?.requests.length).toBeLessThan(500);
});

// More than the time in which a server that runs writes again.
const LONG_MS = 11 * 60_000;

test("a server takes away what others have left long ago, whoever has their process ids now, and nothing else", async () => {
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

test("a server leaves what another has written just now, which may run in a container", async () => {
	const dead = deadPid();
	const fresh = [`${dead}-0123abcd.json`, `${dead}-0123abcd.tmp`, `${process.pid}-4567abcd.json`];
	for (const name of fresh) leave(name);
	const logFile = await open();
	await logFile.write([]);
	await logFile.close();
	expect(readdirSync(folder).toSorted()).toEqual(fresh.toSorted());
});

test("a server that was killed just now is not told of", async () => {
	const pid = deadPid();
	await (await open(false, pid)).write([accountOf(1)]);
	expect(names()).toEqual([`${pid}.json`]);
	expect(await readRequestLogs(folder)).toEqual({ logs: [], unreadable: [] });
});

test.for([
	["no JSON", "{"],
	["another file", "[]"],
	["too large", `${" ".repeat(3 * 2 ** 20)}{}`],
])("a log file that is %s is passed over and named", async ([, text]) => {
	const file = leave(`${process.pid}-0123abcd.json`, 0, text);
	expect(await readRequestLogs(folder)).toEqual({ logs: [], unreadable: [file] });
});

test("there are no log files where no server ever ran", async () => {
	expect(await readRequestLogs(folder)).toEqual({ logs: [], unreadable: [] });
});

test("a request that was answered with what a model wrote before is told of all the same", async () => {
	const entry = accountOf(1);
	entry.watch([] satisfies ConsideredCandidate[]);
	await (await open()).write([entry]);
	const [request] = (await readRequestLogs(folder)).logs[0]?.requests ?? [];
	expect(request).toMatchObject({ count: 1, candidates: [{ predictor: "rename", offered: 0 }] });
});

test("what is kept of a request has its reasons in words, and nothing that would keep a whole scene alive", () => {
	const { considered } = accountOf(1);
	expect(considered[0]?.why).toMatch(/^Renaming `zebra` to `kangaroo`: /);
	// What is found out about a document is of it alone.
	expect(functionsIn(considered.map(({ document: _, ...one }) => one))).toEqual([]);
});
