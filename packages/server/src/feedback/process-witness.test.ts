import { type Considered, History, type Scene, type Suggestion } from "@segue/predict";
import { FakeClock, gate, sceneOf, settled } from "@segue/testing";
import { type Document, Text } from "@segue/text";
import { expect, test } from "vitest";
import type { RequestAccount } from "./account.js";
import { ProcessWitness } from "./process-witness.js";

const QUIET_MS = 1000;

const document: Document = { uri: "file:///a.ts", languageId: "typescript", version: 1, text: Text.of("abc\n") };
const scene: Scene = sceneOf(document, History.empty, 0);

function suggestionOf(insert: string): Suggestion {
	const about = { predictor: "rename", rules: [], confidence: 0.8, why: "", cursor: 1, key: insert } as const;
	return { ...about, kind: "edit", uri: document.uri, edits: [{ from: 0, to: 0, insert }] };
}

/** A witness on a clock of the test's, and what it wrote. */
function stage({ failsAfter = Number.POSITIVE_INFINITY } = {}) {
	const clock = new FakeClock();
	const told: string[] = [];
	const opened: string[] = [];
	/** The numbers of the requests that were in the ring, for each time that it was written. */
	const rings: number[][] = [];
	const kept: { number: number; verdict: string | undefined; rank: number }[][] = [];
	let writes = 0;
	const writing = async (write: () => void) => {
		if (++writes > failsAfter) throw new Error("the disk is full");
		write();
	};
	const close = (name: string) => async () => void opened.push(`${name} closed`);
	const witness = new ProcessWitness({
		clock: { now: clock.now, elapsed: clock.now, after: clock.after },
		openRing: async () => {
			opened.push("ring");
			const write = (recent: readonly RequestAccount[]) =>
				writing(() => rings.push(recent.map(({ number }) => number)));
			return { write, close: close("ring") };
		},
		openKeeper: async () => {
			opened.push("keeper");
			const rows = (accounts: readonly RequestAccount[]) => {
				return accounts.flatMap((one) => {
					return one.seen().map(({ verdict, rank }) => ({ number: one.number, verdict, rank }));
				});
			};
			return { keep: (accounts) => writing(() => kept.push(rows(accounts))), close: close("keeper") };
		},
		tell: (text) => told.push(text),
	});
	const pass = async (ms: number) => {
		clock.advance(ms);
		await settled();
	};
	return { witness, clock, told, opened, rings, kept, pass };
}

function answer(account: RequestAccount, ...suggestions: readonly Suggestion[]): void {
	const offers = suggestions.map((suggestion) => ({ suggestion, document }));
	account.answered({ scene, offers, silence: offers.length === 0 ? "nothing-found" : undefined });
}

test("a server that was asked for nothing writes nothing, and opens nothing when it ends", async () => {
	const { witness, opened, pass } = stage();
	witness.asked();
	await pass(60_000);
	await witness.close();
	expect(opened).toEqual([]);
});

test("a server writes when nothing was asked for a second, and opens what keeps only for a suggestion", async () => {
	const { witness, opened, rings, kept, pass } = stage();
	answer(witness.asked());
	await pass(QUIET_MS - 1);
	answer(witness.asked());
	await pass(QUIET_MS - 1);
	expect(opened).toEqual([]);
	await pass(1);
	expect({ opened, rings }).toEqual({ opened: ["ring"], rings: [[1, 2]] });
	answer(witness.asked(), suggestionOf("x"));
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
		answer(witness.asked());
		await pass(100);
	}
	expect(rings.length).toBeGreaterThanOrEqual(2);
	expect(rings.length).toBeLessThanOrEqual(3);
	expect(rings.at(-1)).toHaveLength(50);
});

test("a server tells of a request that is answered after a later one", async () => {
	const { witness, rings, pass } = stage();
	const [slow, fast] = [witness.asked(), witness.asked()];
	answer(fast);
	answer(slow);
	await pass(QUIET_MS);
	expect(rings).toEqual([[2, 1]]);
});

test("a server keeps the first of an answer, and of the others those that the user decided on", async () => {
	const { witness, kept, pass } = stage();
	const [one, two, three] = [suggestionOf("1"), suggestionOf("2"), suggestionOf("3")];
	const account = witness.asked();
	answer(account, one, two, three);
	account.judged(one, { kind: "accepted", isPartial: true, isTyped: false });
	account.judged(two, { kind: "rejected", reason: "rejected" });
	account.judged(three, { kind: "rejected", reason: "replaced" });
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
	const account = witness.asked();
	answer(account, suggestion);
	for (let i = 0; i < 50; i++) answer(witness.asked());
	await pass(QUIET_MS);
	account.judged(suggestion, { kind: "accepted", isPartial: false, isTyped: true });
	await pass(QUIET_MS);
	expect(rings.at(-1)).not.toContain(1);
	expect(kept.at(-1)).toEqual([{ number: 1, verdict: "typed", rank: 0 }]);
});

test("a server that cannot write says so once, and goes on answering", async () => {
	const { witness, told, pass } = stage({ failsAfter: 0 });
	for (let i = 0; i < 3; i++) {
		answer(witness.asked(), suggestionOf("x"));
		await pass(QUIET_MS);
	}
	expect(told).toEqual([
		"segue why will not know of these requests: the disk is full",
		"what becomes of suggestions is not kept for segue stats: the disk is full",
	]);
	await witness.close();
	expect(told).toHaveLength(2);
});

test("a server that ends keeps what it has not kept yet, and closes what it has opened", async () => {
	const { witness, opened, rings, kept } = stage();
	answer(witness.asked(), suggestionOf("x"));
	await witness.close();
	expect({ opened, rings }).toEqual({ opened: ["keeper", "keeper closed"], rings: [] });
	expect(kept).toHaveLength(1);
});

test("a server has little of a request with a thousand candidates, but all that is offered", () => {
	const { witness } = stage();
	const account = witness.asked();
	const suggestion = suggestionOf("x");
	const candidate = { features: new Map([["rank", 1]]) } as unknown as Considered["candidate"];
	const one: Considered = { candidate, document, confidence: 0.1, objection: "below-threshold", suggestion: undefined };
	const shown: Considered = { ...one, objection: undefined, suggestion };
	account.watch([...Array.from({ length: 999 }, () => one), shown]);
	answer(account, suggestion);
	expect(account.count).toBe(1000);
	expect(account.considered).toHaveLength(9);
	expect(account.seen()).toMatchObject([{ features: { rank: 1 }, language: "typescript", chance: 0.8 }]);
});

test("a server keeps no language that an editor made up of other things", () => {
	const { witness } = stage();
	const account = witness.asked();
	const odd = { ...document, languageId: "my secret\nproject" };
	account.answered({ scene: { ...scene, document: odd }, offers: [], silence: "no-history" });
	expect(account.language).toBe("unknown");
});

test("a server writes one thing after the other", async () => {
	const { opened: mayWrite, open } = gate();
	const order: string[] = [];
	const clock = new FakeClock();
	const witness = new ProcessWitness({
		clock: { now: clock.now, elapsed: clock.now, after: clock.after },
		openRing: async () => ({
			write: async (recent) => {
				order.push(`begins ${recent.length}`);
				await mayWrite;
				order.push(`ends ${recent.length}`);
			},
			close: async () => {},
		}),
		openKeeper: () => Promise.reject(new Error("nothing is to be kept")),
		tell: () => {},
	});
	answer(witness.asked());
	const flushed = witness.flush();
	await settled();
	answer(witness.asked());
	const again = witness.flush();
	await settled();
	open();
	await Promise.all([flushed, again]);
	expect(order).toEqual(["begins 1", "ends 1", "begins 2", "ends 2"]);
});
