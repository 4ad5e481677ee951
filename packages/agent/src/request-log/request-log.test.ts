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

/** A request log with a fake clock and recorded writes. Writing fails while `conditions.error` is set. */
function stage(conditions: { error?: string } = {}) {
	const clock = new FakeClock();
	const notices: string[] = [];
	const opened: string[] = [];
	/** The numbers of the requests in the log file, for each write. */
	const logFiles: number[][] = [];
	const stored: { number: number; verdict: string | undefined; rank: number }[][] = [];
	const tries: string[] = [];
	const writing = async (what: string, write: () => void) => {
		tries.push(what);
		if (conditions.error !== undefined) throw new Error(conditions.error);
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
			return { add: (entries) => writing("store", () => stored.push(rows(entries))), close: close("store") };
		},
		notify: (text) => notices.push(text),
	});
	const pass = async (ms: number) => {
		clock.advance(ms);
		await settled();
	};
	return { requestLog, clock, notices, opened, tries, logFiles, stored, pass, conditions };
}

function answer(entry: RequestLogEntry, ...suggestions: readonly Suggestion[]): void {
	const offers = suggestions.map((suggestion) => ({ suggestion, document }));
	entry.recordResponse({ scene, offers, silence: offers.length === 0 ? "nothing-found" : undefined });
}

test("writes and opens nothing without a response", async () => {
	const { requestLog, opened, pass } = stage();
	requestLog.begin(scene.workspace);
	await pass(60_000);
	await requestLog.close();
	expect(opened).toEqual([]);
});

test("writes after a second without requests, and opens the feedback store only for a suggestion", async () => {
	const { requestLog, opened, logFiles, stored, pass } = stage();
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
	expect(stored).toEqual([[{ number: 3, verdict: undefined, rank: 0 }]]);
	await pass(60_000);
	expect(logFiles).toHaveLength(2);
});

test("writes every ten seconds if requests never pause", async () => {
	const { requestLog, logFiles, pass } = stage();
	for (let i = 0; i < 250; i++) {
		answer(requestLog.begin(scene.workspace));
		await pass(100);
	}
	expect(logFiles.length).toBeGreaterThanOrEqual(2);
	expect(logFiles.length).toBeLessThanOrEqual(3);
	expect(logFiles.at(-1)).toHaveLength(50);
});

test("logs a request that is answered after a later one", async () => {
	const { requestLog, logFiles, pass } = stage();
	const [slow, fast] = [requestLog.begin(scene.workspace), requestLog.begin(scene.workspace)];
	answer(fast);
	answer(slow);
	await pass(QUIET_MS);
	expect(logFiles).toEqual([[2, 1]]);
});

test("stores the first suggestion in a response, and others that received user feedback", async () => {
	const { requestLog, stored, pass } = stage();
	const [one, two, three] = [suggestionOf("1"), suggestionOf("2"), suggestionOf("3")];
	const entry = requestLog.begin(scene.workspace);
	answer(entry, one, two, three);
	entry.recordOutcome(one, { kind: "accepted", isPartial: true, isTyped: false });
	entry.recordOutcome(two, { kind: "rejected", reason: "rejected" });
	entry.recordOutcome(three, { kind: "rejected", reason: "replaced" });
	await pass(QUIET_MS);
	expect(stored).toEqual([
		[
			{ number: 1, verdict: "partly", rank: 0 },
			{ number: 1, verdict: "rejected", rank: 1 },
		],
	]);
});

test("stores a verdict on an evicted request, but does not log it again", async () => {
	const { requestLog, logFiles, stored, pass } = stage();
	const suggestion = suggestionOf("x");
	const entry = requestLog.begin(scene.workspace);
	answer(entry, suggestion);
	for (let i = 0; i < 50; i++) answer(requestLog.begin(scene.workspace));
	await pass(QUIET_MS);
	entry.recordOutcome(suggestion, { kind: "accepted", isPartial: false, isTyped: true });
	await pass(QUIET_MS);
	expect(logFiles.at(-1)).not.toContain(1);
	expect(stored.at(-1)).toEqual([{ number: 1, verdict: "typed", rank: 0 }]);
});

test("reports a failure once, retries every minute, and then stores everything", async () => {
	const { requestLog, notices, tries, logFiles, stored, pass, conditions } = stage({ error: "the disk is full" });
	for (let i = 0; i < 10; i++) {
		answer(requestLog.begin(scene.workspace), suggestionOf("x"));
		await pass(QUIET_MS);
	}
	expect(tries).toEqual(["file", "store"]);
	await pass(MINUTE_MS);
	answer(requestLog.begin(scene.workspace), suggestionOf("x"));
	await pass(QUIET_MS);
	expect(tries).toEqual(["file", "store", "file", "store"]);
	delete conditions.error;
	await pass(MINUTE_MS);
	answer(requestLog.begin(scene.workspace));
	await pass(QUIET_MS);
	expect(logFiles.at(-1)).toHaveLength(12);
	expect(stored.map((rows) => rows.map(({ number }) => number))).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]]);
	expect(notices).toEqual([
		"segue why will not show these requests: the disk is full",
		"segue stats will not include these suggestions: the disk is full",
	]);
});

test("keeps the newest thousand entries while storing fails", async () => {
	const { requestLog, stored, pass, conditions } = stage({ error: "the file is locked" });
	for (let i = 0; i < 700; i++) answer(requestLog.begin(scene.workspace), suggestionOf("x"));
	await pass(QUIET_MS);
	for (let i = 0; i < 700; i++) answer(requestLog.begin(scene.workspace), suggestionOf("x"));
	await pass(MINUTE_MS);
	delete conditions.error;
	await requestLog.close();
	expect(stored.map((rows) => [rows.length, rows[0]?.number, rows.at(-1)?.number])).toEqual([[1000, 401, 1400]]);
});

test("retries when it is closed soon after a failure", async () => {
	const { requestLog, stored, notices, pass, conditions } = stage({ error: "the file is locked" });
	answer(requestLog.begin(scene.workspace), suggestionOf("x"));
	await pass(QUIET_MS);
	delete conditions.error;
	await requestLog.close();
	expect(stored).toHaveLength(1);
	expect(notices).toHaveLength(2);
});

test("writes the log file every two minutes without requests, until it is closed", async () => {
	const { requestLog, clock, opened, logFiles, pass } = stage();
	answer(requestLog.begin(scene.workspace));
	await pass(QUIET_MS);
	for (let i = 0; i < 3; i++) await pass(RENEWAL_MS);
	expect(logFiles).toEqual([[1], [1], [1], [1]]);
	await requestLog.close();
	expect({ opened, isIdle: clock.isIdle }).toEqual({ opened: ["file", "file closed"], isIdle: true });
});

test("stores pending outcomes when it is closed, and closes its outputs", async () => {
	const { requestLog, opened, logFiles, stored } = stage();
	answer(requestLog.begin(scene.workspace), suggestionOf("x"));
	await requestLog.close();
	expect({ opened, logFiles }).toEqual({ opened: ["store", "store closed"], logFiles: [] });
	expect(stored).toHaveLength(1);
});

test("deletes the log file on close before storing has finished, and does not create it again", async () => {
	const { opened: mayStore, open } = deferred();
	const clock = new FakeClock();
	const seen: string[] = [];
	const note = (what: string) => async () => void seen.push(what);
	const requestLog = new RequestLog({
		clock: { now: clock.now, elapsed: clock.now, after: clock.after },
		openFile: async () => ({ write: note("file written"), close: note("file gone") }),
		openFeedbackStore: async () => ({ add: () => mayStore.then(note("stored")), close: note("store closed") }),
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
	expect(seen).toEqual(["file written", "file gone", "stored", "store closed"]);
});

test("keeps only the best of a thousand candidates, and every offered one", () => {
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

test("does not log a language id that is not a word", () => {
	const { requestLog } = stage();
	const entry = requestLog.begin(scene.workspace);
	const odd = { ...document, languageId: "my secret\nproject" };
	entry.recordResponse({ scene: { ...scene, document: odd }, offers: [], silence: "no-history" });
	expect(entry.language).toBe("unknown");
});

test("writes sequentially", async () => {
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
		openFeedbackStore: () => Promise.reject(new Error("the store must not be opened")),
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
