import { type ConsideredCandidate, History, type Scene, type Suggestion, sceneOf } from "@segue/predict";
import { FakeClock } from "@segue/testing/clock";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { type Document, Text } from "@segue/text";
import { expect, test } from "vitest";
import { RequestLog } from "./request-log.js";
import { RENEWAL_MS, type RequestLogEntry } from "./request-log-entry.js";

const QUIET_MS = 1000;
const MINUTE_MS = 60_000;

const document: Document = { uri: "file:///a.ts", languageId: "typescript", version: 1, text: Text.of("abc\n") };
const scene: Scene = sceneOf(document, History.empty, 0);

function suggestionOf(insert: string): Suggestion {
	const about = { predictor: "rename", rules: [], confidence: 0.8, why: "", cursor: 1, key: insert } as const;
	return { ...about, kind: "edit", uri: document.uri, edits: [{ from: 0, to: 0, insert }] };
}

/** A request log on a clock of the test's, and what it wrote. It cannot as long as there is trouble. */
function stage(circumstances: { trouble?: string } = {}) {
	const clock = new FakeClock();
	const told: string[] = [];
	const opened: string[] = [];
	/** The numbers of the requests that were in the log file, for each time that it was written. */
	const logFiles: number[][] = [];
	const kept: { number: number; verdict: string | undefined; rank: number }[][] = [];
	const tries: string[] = [];
	const writing = async (what: string, write: () => void) => {
		tries.push(what);
		if (circumstances.trouble !== undefined) throw new Error(circumstances.trouble);
		write();
	};
	const close = (name: string) => async () => void opened.push(`${name} closed`);
	const requestLog = new RequestLog({
		clock: { now: clock.now, elapsed: clock.now, after: clock.after },
		openFile: async () => {
			opened.push("file");
			const write = (recent: readonly RequestLogEntry[]) =>
				writing("file", () => logFiles.push(recent.map(({ number }) => number)));
			return { write, close: close("file") };
		},
		openFeedbackStore: async () => {
			opened.push("store");
			const rows = (entries: readonly RequestLogEntry[]) => {
				return entries.flatMap((one) => {
					return one.seen().map(({ verdict, rank }) => ({ number: one.number, verdict, rank }));
				});
			};
			return { add: (entries) => writing("store", () => kept.push(rows(entries))), close: close("store") };
		},
		notify: (text) => told.push(text),
	});
	const pass = async (ms: number) => {
		clock.advance(ms);
		await settled();
	};
	return { requestLog, clock, told, opened, tries, logFiles, kept, pass, circumstances };
}

function answer(entry: RequestLogEntry, ...suggestions: readonly Suggestion[]): void {
	const offers = suggestions.map((suggestion) => ({ suggestion, document }));
	entry.recordResponse({ scene, offers, silence: offers.length === 0 ? "nothing-found" : undefined });
}

test("a server that was asked for nothing writes nothing, and opens nothing when it ends", async () => {
	const { requestLog, opened, pass } = stage();
	requestLog.begin(scene.workspace);
	await pass(60_000);
	await requestLog.close();
	expect(opened).toEqual([]);
});

test("a server writes when nothing was asked for a second, and opens what keeps only for a suggestion", async () => {
	const { requestLog, opened, logFiles, kept, pass } = stage();
	answer(requestLog.begin(scene.workspace));
	await pass(QUIET_MS - 1);
	answer(requestLog.begin(scene.workspace));
	await pass(QUIET_MS - 1);
	expect(opened).toEqual([]);
	await pass(1);
	expect({ opened, logFiles }).toEqual({ opened: ["file"], logFiles: [[1, 2]] });
	answer(requestLog.begin(scene.workspace), suggestionOf("x"));
	await pass(QUIET_MS);
	expect(opened).toEqual(["file", "store"]);
	expect(logFiles.at(-1)).toEqual([1, 2, 3]);
	expect(kept).toEqual([[{ number: 3, verdict: undefined, rank: 0 }]]);
	await pass(60_000);
	expect(logFiles).toHaveLength(2);
});

test("a server whose user never pauses writes every ten seconds all the same", async () => {
	const { requestLog, logFiles, pass } = stage();
	for (let i = 0; i < 250; i++) {
		answer(requestLog.begin(scene.workspace));
		await pass(100);
	}
	expect(logFiles.length).toBeGreaterThanOrEqual(2);
	expect(logFiles.length).toBeLessThanOrEqual(3);
	expect(logFiles.at(-1)).toHaveLength(50);
});

test("a server tells of a request that is answered after a later one", async () => {
	const { requestLog, logFiles, pass } = stage();
	const [slow, fast] = [requestLog.begin(scene.workspace), requestLog.begin(scene.workspace)];
	answer(fast);
	answer(slow);
	await pass(QUIET_MS);
	expect(logFiles).toEqual([[2, 1]]);
});

test("a server keeps the first of an answer, and of the others those that the user decided on", async () => {
	const { requestLog, kept, pass } = stage();
	const [one, two, three] = [suggestionOf("1"), suggestionOf("2"), suggestionOf("3")];
	const entry = requestLog.begin(scene.workspace);
	answer(entry, one, two, three);
	entry.recordOutcome(one, { kind: "accepted", isPartial: true, isTyped: false });
	entry.recordOutcome(two, { kind: "rejected", reason: "rejected" });
	entry.recordOutcome(three, { kind: "rejected", reason: "replaced" });
	await pass(QUIET_MS);
	expect(kept).toEqual([
		[
			{ number: 1, verdict: "partly", rank: 0 },
			{ number: 1, verdict: "rejected", rank: 1 },
		],
	]);
});

test("a server keeps a verdict that comes after the request was forgotten, and writes it into no log file", async () => {
	const { requestLog, logFiles, kept, pass } = stage();
	const suggestion = suggestionOf("x");
	const entry = requestLog.begin(scene.workspace);
	answer(entry, suggestion);
	for (let i = 0; i < 50; i++) answer(requestLog.begin(scene.workspace));
	await pass(QUIET_MS);
	entry.recordOutcome(suggestion, { kind: "accepted", isPartial: false, isTyped: true });
	await pass(QUIET_MS);
	expect(logFiles.at(-1)).not.toContain(1);
	expect(kept.at(-1)).toEqual([{ number: 1, verdict: "typed", rank: 0 }]);
});

test("a server that cannot write says so once, tries again every minute, and keeps then what it could not", async () => {
	const { requestLog, told, tries, logFiles, kept, pass, circumstances } = stage({ trouble: "the disk is full" });
	for (let i = 0; i < 10; i++) {
		answer(requestLog.begin(scene.workspace), suggestionOf("x"));
		await pass(QUIET_MS);
	}
	expect(tries).toEqual(["file", "store"]);
	await pass(MINUTE_MS);
	answer(requestLog.begin(scene.workspace), suggestionOf("x"));
	await pass(QUIET_MS);
	expect(tries).toEqual(["file", "store", "file", "store"]);
	delete circumstances.trouble;
	await pass(MINUTE_MS);
	answer(requestLog.begin(scene.workspace));
	await pass(QUIET_MS);
	expect(logFiles.at(-1)).toHaveLength(12);
	expect(kept.map((rows) => rows.map(({ number }) => number))).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]]);
	expect(told).toEqual([
		"segue why will not know of these requests: the disk is full",
		"what becomes of suggestions is not kept for segue stats: the disk is full",
	]);
});

test("a server that cannot keep has the newest thousand for later", async () => {
	const { requestLog, kept, pass, circumstances } = stage({ trouble: "the file is locked" });
	for (let i = 0; i < 700; i++) answer(requestLog.begin(scene.workspace), suggestionOf("x"));
	await pass(QUIET_MS);
	for (let i = 0; i < 700; i++) answer(requestLog.begin(scene.workspace), suggestionOf("x"));
	await pass(MINUTE_MS);
	delete circumstances.trouble;
	await requestLog.close();
	expect(kept.map((rows) => [rows.length, rows[0]?.number, rows.at(-1)?.number])).toEqual([[1000, 401, 1400]]);
});

test("a server that ends soon after it could not keep something tries once more", async () => {
	const { requestLog, kept, told, pass, circumstances } = stage({ trouble: "the file is locked" });
	answer(requestLog.begin(scene.workspace), suggestionOf("x"));
	await pass(QUIET_MS);
	delete circumstances.trouble;
	await requestLog.close();
	expect(kept).toHaveLength(1);
	expect(told).toHaveLength(2);
});

test("a server that nobody asks says every other minute that it still runs, until it ends", async () => {
	const { requestLog, clock, opened, logFiles, pass } = stage();
	answer(requestLog.begin(scene.workspace));
	await pass(QUIET_MS);
	for (let i = 0; i < 3; i++) await pass(RENEWAL_MS);
	expect(logFiles).toEqual([[1], [1], [1], [1]]);
	await requestLog.close();
	expect({ opened, isIdle: clock.isIdle }).toEqual({ opened: ["file", "file closed"], isIdle: true });
});

test("a server that ends keeps what it has not kept yet, and closes what it has opened", async () => {
	const { requestLog, opened, logFiles, kept } = stage();
	answer(requestLog.begin(scene.workspace), suggestionOf("x"));
	await requestLog.close();
	expect({ opened, logFiles }).toEqual({ opened: ["store", "store closed"], logFiles: [] });
	expect(kept).toHaveLength(1);
});

test("a server that ends takes its log file away, for good, while what keeps is still busy", async () => {
	const { opened: mayKeep, open } = deferred();
	const clock = new FakeClock();
	const seen: string[] = [];
	const note = (what: string) => async () => void seen.push(what);
	const requestLog = new RequestLog({
		clock: { now: clock.now, elapsed: clock.now, after: clock.after },
		openFile: async () => ({ write: note("file written"), close: note("file gone") }),
		openFeedbackStore: async () => ({ add: () => mayKeep.then(note("kept")), close: note("store closed") }),
		notify: (text) => seen.push(text),
	});
	const late = requestLog.begin(scene.workspace);
	answer(requestLog.begin(scene.workspace), suggestionOf("x"));
	clock.advance(QUIET_MS);
	await settled();
	const closed = requestLog.close();
	await settled();
	answer(late, suggestionOf("y"));
	clock.advance(MINUTE_MS);
	await settled();
	expect(seen).toEqual(["file written", "file gone"]);
	open();
	await closed;
	expect(seen).toEqual(["file written", "file gone", "kept", "store closed"]);
});

test("a server has little of a request with a thousand candidates, but all that is offered", () => {
	const { requestLog } = stage();
	const entry = requestLog.begin(scene.workspace);
	const suggestion = suggestionOf("x");
	const candidate = { features: new Map([["rank", 1]]), why: () => "" } as unknown as ConsideredCandidate["candidate"];
	const one: ConsideredCandidate = {
		candidate,
		document,
		confidence: 0.1,
		objection: "below-threshold",
		suggestion: undefined,
	};
	const shown: ConsideredCandidate = { ...one, objection: undefined, suggestion };
	entry.watch([...Array.from({ length: 999 }, () => one), shown]);
	answer(entry, suggestion);
	expect(entry.count).toBe(1000);
	expect(entry.considered).toHaveLength(9);
	const seen = [{ features: { rank: 1 }, language: "typescript", chance: 0.8 }];
	expect(entry.seen()).toMatchObject(seen);
	for (let i = 0; i < 50; i++) answer(requestLog.begin(scene.workspace));
	expect([entry.considered, entry.document], "an older request has no candidates").toEqual([[], undefined]);
	expect(entry.seen()).toMatchObject(seen);
});

test("a server keeps no language that an editor made up of other things", () => {
	const { requestLog } = stage();
	const entry = requestLog.begin(scene.workspace);
	const odd = { ...document, languageId: "my secret\nproject" };
	entry.recordResponse({ scene: { ...scene, document: odd }, offers: [], silence: "no-history" });
	expect(entry.language).toBe("unknown");
});

test("a server writes one thing after the other", async () => {
	const { opened: mayWrite, open } = deferred();
	const order: string[] = [];
	const clock = new FakeClock();
	const requestLog = new RequestLog({
		clock: { now: clock.now, elapsed: clock.now, after: clock.after },
		openFile: async () => ({
			write: async (recent) => {
				order.push(`begins ${recent.length}`);
				await mayWrite;
				order.push(`ends ${recent.length}`);
			},
			close: async () => {},
		}),
		openFeedbackStore: () => Promise.reject(new Error("nothing is to be kept")),
		notify: () => {},
	});
	answer(requestLog.begin(scene.workspace));
	const flushed = requestLog.flush();
	await settled();
	answer(requestLog.begin(scene.workspace));
	const again = requestLog.flush();
	await settled();
	open();
	await Promise.all([flushed, again]);
	expect(order).toEqual(["begins 1", "ends 1", "begins 2", "ends 2"]);
});
