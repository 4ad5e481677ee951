import { FakeClock } from "@segue/testing/clock";
import { settled } from "@segue/testing/rpc/peers";
import { PROPERTY_RUNS } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type PendingModelRequest, PendingModelRequests } from "./pending-requests.js";
import { ServerQueue } from "./server-queue.js";

// A session that sends requests to a server with a queue.

const WAIT_MS = 1000;

class Session {
	private readonly pending: PendingModelRequests;
	private outer = new AbortController();
	private newest: PendingModelRequest | undefined;
	/** The outcomes of its requests, in order. */
	readonly outcomes: string[] = [];
	requestCount = 0;

	constructor(
		private readonly queue: ServerQueue,
		private readonly server: string,
		clock: FakeClock,
		/** The sessions with an active request. */
		private readonly active: Set<Session>,
	) {
		this.pending = new PendingModelRequests(1, { ...clock, random: () => 0 });
	}

	ask(): void {
		this.requestCount++;
		this.outer = new AbortController();
		const request = this.pending.begin(this.outer.signal);
		this.newest = request;
		request.limit(WAIT_MS, () => new Error("late"));
		request.whenOver(() => {
			this.active.delete(this);
			const { aborted, reason } = request.signal;
			this.outcomes.push(aborted ? String(reason?.message) : "answered");
		});
		this.queue.wait(this.server, this, request).then(
			() => {
				request.limit(WAIT_MS, () => new Error("slow"));
				if (!request.isOver) this.active.add(this);
			},
			() => {},
		);
	}

	cancel(): void {
		this.outer.abort(new Error("cancelled"));
	}

	answered(): void {
		this.newest?.end();
	}
}

function sessionsAt(...servers: string[]) {
	const [queue, clock, active] = [new ServerQueue(), new FakeClock(), new Set<Session>()];
	const sessions = servers.map((server) => new Session(queue, server, clock, active));
	return { sessions, clock, active };
}

test("Sessions at one server are served one at a time, in order", async () => {
	const { sessions, active } = sessionsAt("a", "a", "a");
	const [one, two, six] = sessions as [Session, Session, Session];
	for (const session of sessions) session.ask();
	for (const session of [one, two, six]) {
		await settled();
		expect([...active]).toEqual([session]);
		session.answered();
	}
	expect(sessions.map(({ outcomes }) => outcomes)).toEqual([["answered"], ["answered"], ["answered"]]);
});

test("Sessions at different servers do not wait for each other", async () => {
	const { sessions, active } = sessionsAt("a", "b");
	for (const session of sessions) session.ask();
	await settled();
	expect(active.size).toBe(2);
});

test("A newer request from a waiting session keeps its place, and one from the active session goes to the end", async () => {
	const { sessions, active } = sessionsAt("a", "a", "a");
	const [one, two, six] = sessions as [Session, Session, Session];
	for (const session of [one, two, six, two, one]) session.ask();
	await settled();
	expect([...active]).toEqual([two]);
	two.answered();
	await settled();
	expect([...active]).toEqual([six]);
	six.answered();
	await settled();
	expect([...active]).toEqual([one]);
	const newer = "superseded by a newer request";
	expect([one, two].map(({ outcomes }) => outcomes)).toEqual([[newer], [newer, "answered"]]);
});

type Step = { readonly do: "ask" | "cancel" | "answer"; readonly who: number } | { readonly do: "wait" };

const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ do: fc.constant("ask" as const), who: fc.nat(3) }) },
	{ weight: 4, arbitrary: fc.record({ do: fc.constantFrom("cancel" as const, "answer" as const), who: fc.nat(3) }) },
	{ weight: 1, arbitrary: fc.constant({ do: "wait" as const }) },
);

/**
 * The simplest model of a queue: the active session and the waiting ones. `places` also includes sessions whose request
 * was aborted.
 */
class QueueModel {
	active: number | undefined;
	places: number[] = [];
	waiting: number[] = [];

	ask(who: number): void {
		if (this.active === who) this.end(who);
		if (this.active === undefined) this.active = who;
		else {
			if (!this.places.includes(who)) this.places.push(who);
			this.waiting.push(who);
		}
	}

	end(who: number): void {
		this.waiting = this.waiting.filter((one) => one !== who);
		if (this.active === who) this.next();
	}

	/** All waiting requests time out, and so does the active one. */
	wait(): void {
		this.waiting = [];
		this.next();
	}

	private next(): void {
		const at = this.places.findIndex((one) => this.waiting.includes(one));
		this.active = this.places[at];
		this.places = at === -1 ? [] : this.places.slice(at + 1);
		this.waiting = this.waiting.filter((one) => one !== this.active);
	}
}

test("Every session is served and every request ends, in any order of events", async () => {
	let servedCount = 0;
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), async (steps) => {
			const { sessions, clock, active } = sessionsAt("a", "a", "a", "a");
			const model = new QueueModel();
			for (const one of steps) {
				const session = "who" in one ? (sessions[one.who] as Session) : undefined;
				switch (one.do) {
					case "ask":
						session?.ask();
						model.ask(one.who);
						break;
					case "cancel":
						session?.cancel();
						model.end(one.who);
						break;
					case "answer":
						// Only the active session can get a reply.
						if (model.active !== one.who) break;
						session?.answered();
						model.end(one.who);
						break;
					case "wait":
						clock.advance(WAIT_MS);
						model.wait();
				}
				await settled();
				expect([...active].map((who) => sessions.indexOf(who))).toEqual(
					model.active === undefined ? [] : [model.active],
				);
				servedCount += active.size;
			}
			for (const session of sessions) session.cancel();
			expect(sessions.map(({ outcomes }) => outcomes.length)).toEqual(sessions.map(({ requestCount }) => requestCount));
			expect(clock.isIdle).toBe(true);
		}),
	);
	expect(servedCount).toBeGreaterThan(PROPERTY_RUNS / 2);
});
