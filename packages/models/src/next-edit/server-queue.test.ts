import { FakeClock } from "@segue/testing/clock";
import { settled } from "@segue/testing/rpc/peers";
import { PROPERTY_RUNS } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type PendingModelRequest, PendingModelRequests } from "./pending-requests.js";
import { ServerQueue } from "./server-queue.js";

// Some sessions that ask one server, which answers one question at a time.

const WAIT_MS = 1000;

class Session {
	private readonly flights: PendingModelRequests;
	private outer = new AbortController();
	private newest: PendingModelRequest | undefined;
	/** What became of what was asked, in order. */
	readonly outcomes: string[] = [];
	asked = 0;

	constructor(
		private readonly turns: ServerQueue,
		private readonly server: string,
		clock: FakeClock,
		/** The sessions that are being served. */
		private readonly served: Set<Session>,
	) {
		this.flights = new PendingModelRequests(1, { ...clock, random: () => 0 });
	}

	ask(): void {
		this.asked++;
		this.outer = new AbortController();
		const flight = this.flights.begin(this.outer.signal);
		this.newest = flight;
		flight.limit(WAIT_MS, () => new Error("late"));
		flight.whenOver(() => {
			this.served.delete(this);
			const { aborted, reason } = flight.signal;
			this.outcomes.push(aborted ? String(reason?.message) : "answered");
		});
		this.turns.wait(this.server, this, flight).then(
			() => {
				flight.limit(WAIT_MS, () => new Error("slow"));
				if (!flight.isOver) this.served.add(this);
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
	const [turns, clock, served] = [new ServerQueue(), new FakeClock(), new Set<Session>()];
	const sessions = servers.map((server) => new Session(turns, server, clock, served));
	return { sessions, clock, served };
}

test("A server is asked by one session at a time, and the others follow in the order in which they came", async () => {
	const { sessions, served } = sessionsAt("a", "a", "a");
	const [one, two, six] = sessions as [Session, Session, Session];
	for (const session of sessions) session.ask();
	for (const session of [one, two, six]) {
		await settled();
		expect([...served]).toEqual([session]);
		session.answered();
	}
	expect(sessions.map(({ outcomes }) => outcomes)).toEqual([["answered"], ["answered"], ["answered"]]);
});

test("Sessions at different servers do not wait for each other", async () => {
	const { sessions, served } = sessionsAt("a", "b");
	for (const session of sessions) session.ask();
	await settled();
	expect(served.size).toBe(2);
});

test("Who asks again while waiting keeps their place, and who asks again while being answered goes behind", async () => {
	const { sessions, served } = sessionsAt("a", "a", "a");
	const [one, two, six] = sessions as [Session, Session, Session];
	for (const session of [one, two, six, two, one]) session.ask();
	await settled();
	expect([...served]).toEqual([two]);
	two.answered();
	await settled();
	expect([...served]).toEqual([six]);
	six.answered();
	await settled();
	expect([...served]).toEqual([one]);
	const newer = "a newer request took its place";
	expect([one, two].map(({ outcomes }) => outcomes)).toEqual([[newer], [newer, "answered"]]);
});

type Deed = { readonly do: "ask" | "cancel" | "answer"; readonly who: number } | { readonly do: "wait" };

const deed: fc.Arbitrary<Deed> = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ do: fc.constant("ask" as const), who: fc.nat(3) }) },
	{ weight: 4, arbitrary: fc.record({ do: fc.constantFrom("cancel" as const, "answer" as const), who: fc.nat(3) }) },
	{ weight: 1, arbitrary: fc.constant({ do: "wait" as const }) },
);

/** Who is served and who waits, by their numbers, as lists. A place in the line may be kept for who does not wait now. */
class Line {
	served: number | undefined;
	line: number[] = [];
	waiting: number[] = [];

	ask(who: number): void {
		if (this.served === who) this.end(who);
		if (this.served === undefined) this.served = who;
		else {
			if (!this.line.includes(who)) this.line.push(who);
			this.waiting.push(who);
		}
	}

	end(who: number): void {
		this.waiting = this.waiting.filter((one) => one !== who);
		if (this.served === who) this.next();
	}

	/** Everybody has waited too long, and who is served was too slow. */
	wait(): void {
		this.waiting = [];
		this.next();
	}

	private next(): void {
		const at = this.line.findIndex((one) => this.waiting.includes(one));
		this.served = this.line[at];
		this.line = at === -1 ? [] : this.line.slice(at + 1);
		this.waiting = this.waiting.filter((one) => one !== this.served);
	}
}

test("Whatever is asked, answered and given up in whichever order, everybody has their turn and everything an end", async () => {
	let turnsTaken = 0;
	await fc.assert(
		fc.asyncProperty(fc.array(deed, { maxLength: 40, size: "max" }), async (deeds) => {
			const { sessions, clock, served } = sessionsAt("a", "a", "a", "a");
			const line = new Line();
			for (const one of deeds) {
				const session = "who" in one ? (sessions[one.who] as Session) : undefined;
				switch (one.do) {
					case "ask":
						session?.ask();
						line.ask(one.who);
						break;
					case "cancel":
						session?.cancel();
						line.end(one.who);
						break;
					case "answer":
						// Only who is served can be answered.
						if (line.served !== one.who) break;
						session?.answered();
						line.end(one.who);
						break;
					case "wait":
						clock.advance(WAIT_MS);
						line.wait();
				}
				await settled();
				expect([...served].map((who) => sessions.indexOf(who))).toEqual(line.served === undefined ? [] : [line.served]);
				turnsTaken += served.size;
			}
			for (const session of sessions) session.cancel();
			expect(sessions.map(({ outcomes }) => outcomes.length)).toEqual(sessions.map(({ asked }) => asked));
			expect(clock.isIdle).toBe(true);
		}),
	);
	expect(turnsTaken).toBeGreaterThan(PROPERTY_RUNS / 2);
});
