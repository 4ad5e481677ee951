import { acpDialect, settled } from "@segue/testing/rpc/peers";
import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import type { Channel, Receiver } from "./channel.js";
import { Connection } from "./connection.js";
import type { Limits } from "./limits.js";
import { notification, on, request } from "./method.js";
import { overWebSocket, type Socket } from "./websocket.js";

const note = notification({ method: "note", from: "either", params: z.object({ n: z.number() }) });
const echo = request({ method: "echo", from: "either", params: z.object({ n: z.number() }), result: z.number() });
/** A request that is answered with the caller's own response to `echo`. */
const askBack = request({ method: "askBack", from: "either", params: z.object({ n: z.number() }), result: z.number() });

const TINY: Partial<Limits> = { drainedBytesMax: 200, heldMax: 3, heldBytesMax: 2000, unwrittenBytesMax: 100_000 };

/** One end of a transport on which the test moves each message manually. Never delivers to a paused end. */
class SteppedChannel implements Channel {
	readonly sent: string[] = [];
	isPaused = false;
	isDropped = false;
	receiver: Receiver | undefined;

	open(receiver: Receiver): void {
		this.receiver = receiver;
	}
	send(text: string): void {
		this.sent.push(text);
	}
	pause(): void {
		this.isPaused = true;
	}
	resume(): void {
		this.isPaused = false;
	}
	get unwrittenBytes(): number {
		return this.sent.reduce((sum, { length }) => sum + length, 0);
	}
	close(done: () => void): void {
		done();
	}
	drop(): void {
		this.isDropped = true;
	}

	/** Delivers the oldest message to the other end. Returns false if none could be delivered. */
	moveTo(other: SteppedChannel): boolean {
		if (other.isPaused) return false;
		const text = this.sent.shift();
		if (text !== undefined) other.receiver?.message(text);
		return text !== undefined;
	}
}

/** Timers that the test runs manually. */
class Clock {
	private timers: { at: number; run: () => void }[] = [];
	private now = 0;

	readonly after = (delayMs: number, run: () => void) => {
		const timer = { at: this.now + delayMs, run };
		this.timers.push(timer);
		return () => {
			this.timers = this.timers.filter((each) => each !== timer);
		};
	};

	pass(ms: number): void {
		for (const end = this.now + ms; ; ) {
			const next = this.timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
			if (next === undefined) {
				this.now = end;
				return;
			}
			this.timers = this.timers.filter((each) => each !== next);
			this.now = next.at;
			next.run();
		}
	}
}

function setUp(limits = TINY) {
	const clock = new Clock();
	const end = () => {
		const channel = new SteppedChannel();
		const handled: number[] = [];
		const peer: Connection<"agent"> = new Connection<"agent">(channel, {
			dialect: acpDialect,
			handlers: [
				on(note, ({ n }) => void handled.push(n)),
				on(echo, ({ n }) => n),
				on(askBack, ({ n }) => {
					handled.push(n);
					return peer.request(echo, { n });
				}),
			],
			report: () => {},
			after: clock.after,
			limits,
		});
		return { channel, handled, peer };
	};
	return { clock, a: end(), b: end() };
}

const write = (to: SteppedChannel, message: object) =>
	to.receiver?.message(JSON.stringify({ jsonrpc: "2.0", ...message }));
const answersOf = (channel: SteppedChannel) => channel.sent.map((text) => JSON.parse(text));

test("requests wait while output is unread, then reading stops, and both continue when the peer reads", () => {
	const { clock, a } = setUp();
	for (let id = 0; id < 40; id++) if (!a.channel.isPaused) write(a.channel, { id, method: "echo", params: { n: id } });
	expect(a.channel.isPaused).toBe(true);
	const answered = a.channel.sent.length;
	// The output is full after a few responses, and three more requests are held.
	expect(a.channel.unwrittenBytes).toBeLessThan(300);
	a.channel.sent.length = 0;
	clock.pass(10);
	expect(answersOf(a.channel).map(({ id }) => id)).toEqual([answered, answered + 1, answered + 2]);
	expect(a.channel.isPaused).toBe(false);
});

test("input that gets an error response waits like a request", () => {
	const { clock, a } = setUp();
	const wrong = [
		() => write(a.channel, { id: 1, method: "none" }),
		() => a.channel.receiver?.message("garbage"),
		() => write(a.channel, { id: 1, method: "echo", params: {} }),
	];
	for (let i = 0; i < 40; i++) if (!a.channel.isPaused) wrong[i % 3]?.();
	expect(a.channel.isPaused).toBe(true);
	expect(a.channel.unwrittenBytes).toBeLessThan(400);
	a.channel.sent.length = 0;
	clock.pass(10);
	expect(a.channel.sent.length).toBeGreaterThan(0);
});

test("responses and cancellations overtake held messages, but notifications stay behind the request before them", async () => {
	const { clock, a } = setUp({ ...TINY, heldMax: 100 });
	const echoed = a.peer.request(echo, { n: 7 });
	a.peer.notify(note, { n: 0 });
	a.peer.notify(note, { n: 0 });
	a.peer.notify(note, { n: 0 });
	a.peer.notify(note, { n: 0 });
	write(a.channel, { method: "note", params: { n: 1 } });
	write(a.channel, { id: 1, method: "echo", params: { n: 1 } });
	write(a.channel, { id: 2, method: "echo", params: { n: 2 } });
	write(a.channel, { method: "note", params: { n: 2 } });
	write(a.channel, { method: "$/cancel_request", params: { requestId: 1 } });
	expect(a.handled).toEqual([1]);
	write(a.channel, { id: 0, result: 7 });
	expect(await echoed).toBe(7);
	a.channel.sent.length = 0;
	clock.pass(10);
	expect(a.handled).toEqual([1, 2]);
	expect(answersOf(a.channel)).toEqual([
		{ jsonrpc: "2.0", id: 1, error: expect.objectContaining({ code: -32800 }) },
		{ jsonrpc: "2.0", id: 2, result: 2 },
	]);
});

test("a peer that never reads is dropped after several seconds, with bounded output", async () => {
	const { clock, a } = setUp();
	let most = 0;
	let isClosed = false;
	void a.peer.closed.then(() => {
		isClosed = true;
	});
	let ms = 0;
	for (let id = 0; !isClosed && ms < 60_000; id++) {
		if (a.channel.isPaused) {
			clock.pass(10);
			ms += 10;
		} else write(a.channel, { id, method: "echo", params: { n: id } });
		most = Math.max(most, a.channel.unwrittenBytes);
		await Promise.resolve();
	}
	expect(isClosed).toBe(true);
	expect(await a.peer.closed).toMatchObject({ by: "failure", reason: expect.stringContaining("is not reading") });
	expect(a.channel.isDropped).toBe(true);
	expect(most).toBeLessThan(101_000);
	expect(ms).toBeGreaterThan(2000);
});

test("a peer that reads one message per second gets all responses and is not dropped", async () => {
	const { clock, a } = setUp();
	const answers: string[] = [];
	let isClosed = false;
	void a.peer.closed.then(() => {
		isClosed = true;
	});
	for (let id = 0, ms = 0; answers.length < 300 && ms < 1e6; ms += 10) {
		while (!a.channel.isPaused && id < 300) write(a.channel, { id: id++, method: "echo", params: { n: 0 } });
		clock.pass(10);
		expect(a.channel.unwrittenBytes).toBeLessThan(300);
		if (ms % 990 === 0) answers.push(...a.channel.sent.splice(0, 1));
	}
	await settled();
	expect(isClosed).toBe(false);
	expect(answers.map((text) => JSON.parse(text).id)).toEqual(Array.from({ length: 300 }, (_, id) => id));
});

test("all input is answered after the input ends, even if some of it was held", async () => {
	const { clock, a } = setUp({ ...TINY, heldMax: 100 });
	for (let id = 0; id < 20; id++) write(a.channel, { id, method: "echo", params: { n: id } });
	a.channel.receiver?.ended?.("the other side closed the connection");
	const answers: unknown[] = [];
	for (let i = 0; i < 20; i++) {
		answers.push(...a.channel.sent.splice(0));
		clock.pass(10);
	}
	expect(answers).toHaveLength(20);
	expect(await a.peer.closed).toMatchObject({ by: "other" });
});

test("a channel that cannot be paused handles its oldest message instead of holding more", () => {
	let arrive: (text: string) => void = () => {};
	const sent: string[] = [];
	const socket: Socket = {
		bufferedAmount: 1000,
		send: (text) => void sent.push(text),
		close: () => {},
		addEventListener: (type: string, listener: (event: { data: unknown }) => void) => {
			if (type === "message") arrive = (data) => listener({ data });
		},
	};
	const clock = new Clock();
	const options = { dialect: acpDialect, report: () => {}, after: clock.after, limits: TINY };
	new Connection<"agent">(overWebSocket(socket), { ...options, handlers: [on(echo, ({ n }) => n)] });
	for (let id = 0; id < 10; id++) arrive(JSON.stringify({ jsonrpc: "2.0", id, method: "echo", params: { n: id } }));
	expect(sent.map((text) => JSON.parse(text).id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

type Step = "a notifies" | "b notifies" | "a asks" | "b asks" | "a to b" | "b to a" | "time";
const steps = fc.array(
	fc.tuple(
		fc.constantFrom<Step>("a notifies", "b notifies", "a asks", "b asks", "a to b", "b to a", "time"),
		fc.integer({ min: 1, max: 12 }),
	),
	{ maxLength: 60 },
);

test("two peers that both pause never block each other, and both handle everything in order", async () => {
	await fc.assert(
		fc.asyncProperty(steps, async (schedule) => {
			const { clock, a, b } = setUp({ ...TINY, handlingMax: 1000 });
			const results: Promise<number>[] = [];
			const sentBy = { a: [] as number[], b: [] as number[] };
			let n = 0;
			const ends = { a, b };
			for (const [step, times] of schedule) {
				for (let i = 0; i < times; i++) {
					const [who, verb] = step.split(" ") as ["a" | "b", string];
					if (step === "time") clock.pass(10);
					else if (step === "a to b") a.channel.moveTo(b.channel);
					else if (step === "b to a") b.channel.moveTo(a.channel);
					else {
						sentBy[who].push(++n);
						if (verb === "notifies") ends[who].peer.notify(note, { n });
						else results.push(ends[who].peer.request(askBack, { n }));
					}
				}
				await settled();
			}
			// Now both ends read everything that they can.
			for (let quiet = 0; quiet < 400; ) {
				let hasMoved = false;
				while (a.channel.moveTo(b.channel)) hasMoved = true;
				while (b.channel.moveTo(a.channel)) hasMoved = true;
				clock.pass(10);
				if (hasMoved) await settled();
				quiet = hasMoved ? 0 : quiet + 1;
			}
			expect([a.channel.sent, b.channel.sent, a.channel.isDropped, b.channel.isDropped]).toEqual([
				[],
				[],
				false,
				false,
			]);
			expect(b.handled).toEqual(sentBy.a);
			expect(a.handled).toEqual(sentBy.b);
			await Promise.all(results);
		}),
		{ numRuns: 100 },
	);
});
