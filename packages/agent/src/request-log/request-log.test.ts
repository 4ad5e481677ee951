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

/** A witness on a clock of the test's, and what it wrote. It cannot as long as there is trouble. */
function stage(circumstances: { trouble?: string } = {}) {
	const clock = new FakeClock();
	const told: string[] = [];
	const opened: string[] = [];
	/** The numbers of the requests that were in the ring, for each time that it was written. */
	const rings: number[][] = [];
	const kept: { number: number; verdict: string | undefined; rank: number }[][] = [];
	const tries: string[] = [];
	const writing = async (what: string, write: () => void) => {
		tries.push(what);
		if (circumstances.trouble !== undefined) throw new Error(circumstances.trouble);
		write();
	};
	const close = (name: string) => async () => void opened.push(`${name} closed`);
	const witness = new RequestLog({
		clock: { now: clock.now, elapsed: clock.now, after: clock.after },
		openFile: async () => {
			opened.push("ring");
			const write = (recent: readonly RequestLogEntry[]) =>
				writing("ring", () => rings.push(recent.map(({ number }) => number)));
			return { write, close: close("ring") };
		},
		openFeedbackStore: async () => {
			opened.push("keeper");
			const rows = (accounts: readonly RequestLogEntry[]) => {
				return accounts.flatMap((one) => {
					return one.seen().map(({ verdict, rank }) => ({ number: one.number, verdict, rank }));
				});
			};
			return { add: (accounts) => writing("keeper", () => kept.push(rows(accounts))), close: close("keeper") };
		},
		notify: (text) => told.push(text),
	});
	const pass = async (ms: number) => {
		clock.advance(ms);
		await settled();
	};
	return { witness, clock, told, opened, tries, rings, kept, pass, circumstances };
}

function answer(account: RequestLogEntry, ...suggestions: readonly Suggestion[]): void {
	const offers = suggestions.map((suggestion) => ({ suggestion, document }));
	account.recordResponse({ scene, offers, silence: offers.length === 0 ? "nothing-found" : undefined });
}

test("a server that was asked for nothing writes nothing, and opens nothing when it ends", async () => {
	const { witness, opened, pass } = stage();
	witness.begin(scene.workspace);
	await pass(60_000);
	await witness.close();
	expect(opened).toEqual([]);
});

test("a server writes when nothing was asked for a second, and opens what keeps only for a suggestion", async () => {
	const { witness, opened, rings, kept, pass } = stage();
	answer(witness.begin(scene.workspace));
	await pass(QUIET_MS - 1);
	answer(witness.begin(scene.workspace));
	await pass(QUIET_MS - 1);
	expect(opened).toEqual([]);
	await pass(1);
	expect({ opened, rings }).toEqual({ opened: ["ring"], rings: [[1, 2]] });
	answer(witness.begin(scene.workspace), suggestionOf("x"));
	await pass(QUIET_MS);
	expect(opened).toEqual(["ring", "keeper"]);
	expect(rings.at(-1)).toEqual([1, 2, 3]);
	expect(kept).toEqual([[{ number: 3, verdict: undefined, rank: 0 }]]);
	await pass(60_000);
	expect(rings).toHaveLength(2);
});

test("a server whose user never pauses writes every ten seconds all the same", async () => {
	const { witness, rings, pass } = stage();
	for (let i = 0; i < 250; i++) {
		answer(witness.begin(scene.workspace));
		await pass(100);
	}
	expect(rings.length).toBeGreaterThanOrEqual(2);
	expect(rings.length).toBeLessThanOrEqual(3);
	expect(rings.at(-1)).toHaveLength(50);
});

test("a server tells of a request that is answered after a later one", async () => {
	const { witness, rings, pass } = stage();
	const [slow, fast] = [witness.begin(scene.workspace), witness.begin(scene.workspace)];
	answer(fast);
	answer(slow);
	await pass(QUIET_MS);
	expect(rings).toEqual([[2, 1]]);
});

test("a server keeps the first of an answer, and of the others those that the user decided on", async () => {
	const { witness, kept, pass } = stage();
	const [one, two, three] = [suggestionOf("1"), suggestionOf("2"), suggestionOf("3")];
	const account = witness.begin(scene.workspace);
	answer(account, one, two, three);
	account.recordOutcome(one, { kind: "accepted", isPartial: true, isTyped: false });
	account.recordOutcome(two, { kind: "rejected", reason: "rejected" });
	account.recordOutcome(three, { kind: "rejected", reason: "replaced" });
	await pass(QUIET_MS);
	expect(kept).toEqual([
		[
			{ number: 1, verdict: "partly", rank: 0 },
			{ number: 1, verdict: "rejected", rank: 1 },
		],
	]);
});

test("a server keeps a verdict that comes after the request was forgotten, and writes it into no ring", async () => {
	const { witness, rings, kept, pass } = stage();
	const suggestion = suggestionOf("x");
	const account = witness.begin(scene.workspace);
	answer(account, suggestion);
	for (let i = 0; i < 50; i++) answer(witness.begin(scene.workspace));
	await pass(QUIET_MS);
	account.recordOutcome(suggestion, { kind: "accepted", isPartial: false, isTyped: true });
	await pass(QUIET_MS);
	expect(rings.at(-1)).not.toContain(1);
	expect(kept.at(-1)).toEqual([{ number: 1, verdict: "typed", rank: 0 }]);
});

test("a server that cannot write says so once, tries again every minute, and keeps then what it could not", async () => {
	const { witness, told, tries, rings, kept, pass, circumstances } = stage({ trouble: "the disk is full" });
	for (let i = 0; i < 10; i++) {
		answer(witness.begin(scene.workspace), suggestionOf("x"));
		await pass(QUIET_MS);
	}
	expect(tries).toEqual(["ring", "keeper"]);
	await pass(MINUTE_MS);
	answer(witness.begin(scene.workspace), suggestionOf("x"));
	await pass(QUIET_MS);
	expect(tries).toEqual(["ring", "keeper", "ring", "keeper"]);
	delete circumstances.trouble;
	await pass(MINUTE_MS);
	answer(witness.begin(scene.workspace));
	await pass(QUIET_MS);
	expect(rings.at(-1)).toHaveLength(12);
	expect(kept.map((rows) => rows.map(({ number }) => number))).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]]);
	expect(told).toEqual([
		"segue why will not know of these requests: the disk is full",
		"what becomes of suggestions is not kept for segue stats: the disk is full",
	]);
});

test("a server that cannot keep has the newest thousand for later", async () => {
	const { witness, kept, pass, circumstances } = stage({ trouble: "the file is locked" });
	for (let i = 0; i < 700; i++) answer(witness.begin(scene.workspace), suggestionOf("x"));
	await pass(QUIET_MS);
	for (let i = 0; i < 700; i++) answer(witness.begin(scene.workspace), suggestionOf("x"));
	await pass(MINUTE_MS);
	delete circumstances.trouble;
	await witness.close();
	expect(kept.map((rows) => [rows.length, rows[0]?.number, rows.at(-1)?.number])).toEqual([[1000, 401, 1400]]);
});

test("a server that ends soon after it could not keep something tries once more", async () => {
	const { witness, kept, told, pass, circumstances } = stage({ trouble: "the file is locked" });
	answer(witness.begin(scene.workspace), suggestionOf("x"));
	await pass(QUIET_MS);
	delete circumstances.trouble;
	await witness.close();
	expect(kept).toHaveLength(1);
	expect(told).toHaveLength(2);
});

test("a server that nobody asks says every other minute that it still runs, until it ends", async () => {
	const { witness, clock, opened, rings, pass } = stage();
	answer(witness.begin(scene.workspace));
	await pass(QUIET_MS);
	for (let i = 0; i < 3; i++) await pass(RENEWAL_MS);
	expect(rings).toEqual([[1], [1], [1], [1]]);
	await witness.close();
	expect({ opened, isIdle: clock.isIdle }).toEqual({ opened: ["ring", "ring closed"], isIdle: true });
});

test("a server that ends keeps what it has not kept yet, and closes what it has opened", async () => {
	const { witness, opened, rings, kept } = stage();
	answer(witness.begin(scene.workspace), suggestionOf("x"));
	await witness.close();
	expect({ opened, rings }).toEqual({ opened: ["keeper", "keeper closed"], rings: [] });
	expect(kept).toHaveLength(1);
});

test("a server that ends takes its ring away, for good, while what keeps is still busy", async () => {
	const { opened: mayKeep, open } = deferred();
	const clock = new FakeClock();
	const seen: string[] = [];
	const note = (what: string) => async () => void seen.push(what);
	const witness = new RequestLog({
		clock: { now: clock.now, elapsed: clock.now, after: clock.after },
		openFile: async () => ({ write: note("ring written"), close: note("ring gone") }),
		openFeedbackStore: async () => ({ add: () => mayKeep.then(note("kept")), close: note("keeper closed") }),
		notify: (text) => seen.push(text),
	});
	const late = witness.begin(scene.workspace);
	answer(witness.begin(scene.workspace), suggestionOf("x"));
	clock.advance(QUIET_MS);
	await settled();
	const closed = witness.close();
	await settled();
	answer(late, suggestionOf("y"));
	clock.advance(MINUTE_MS);
	await settled();
	expect(seen).toEqual(["ring written", "ring gone"]);
	open();
	await closed;
	expect(seen).toEqual(["ring written", "ring gone", "kept", "keeper closed"]);
});

test("a server has little of a request with a thousand candidates, but all that is offered", () => {
	const { witness } = stage();
	const account = witness.begin(scene.workspace);
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
	account.watch([...Array.from({ length: 999 }, () => one), shown]);
	answer(account, suggestion);
	expect(account.count).toBe(1000);
	expect(account.considered).toHaveLength(9);
	const seen = [{ features: { rank: 1 }, language: "typescript", chance: 0.8 }];
	expect(account.seen()).toMatchObject(seen);
	for (let i = 0; i < 50; i++) answer(witness.begin(scene.workspace));
	expect([account.considered, account.document], "an older request has no candidates").toEqual([[], undefined]);
	expect(account.seen()).toMatchObject(seen);
});

test("a server keeps no language that an editor made up of other things", () => {
	const { witness } = stage();
	const account = witness.begin(scene.workspace);
	const odd = { ...document, languageId: "my secret\nproject" };
	account.recordResponse({ scene: { ...scene, document: odd }, offers: [], silence: "no-history" });
	expect(account.language).toBe("unknown");
});

test("a server writes one thing after the other", async () => {
	const { opened: mayWrite, open } = deferred();
	const order: string[] = [];
	const clock = new FakeClock();
	const witness = new RequestLog({
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
	answer(witness.begin(scene.workspace));
	const flushed = witness.flush();
	await settled();
	answer(witness.begin(scene.workspace));
	const again = witness.flush();
	await settled();
	open();
	await Promise.all([flushed, again]);
	expect(order).toEqual(["begins 1", "ends 1", "begins 2", "ends 2"]);
});
