import fc from "fast-check";
import { expect, test } from "vitest";
import { Inbox } from "./inbox.js";

/** An event for an inbox: a request or notification arrives, or the oldest running request completes. */
type Event = "request" | "notification" | "done";

/**
 * Plays events of different sizes, and logs what the inbox runs (`r1` for a request, `n2` for a notification) and
 * refuses (`!3`).
 */
function play(events: readonly Event[], handlingMax: number, waitingMax: number, waitingBytesMax = 1e6) {
	const log: string[] = [];
	let handling = 0;
	let handlingMost = 0;
	const limits = { handlingMax, waitingMax, waitingBytesMax };
	const inbox = new Inbox<{ size: number; name: number; run: () => void }>(limits, ({ name }) => log.push(`!${name}`));
	for (const [name, event] of events.entries()) {
		if (event === "request") {
			const run = () => {
				log.push(`r${name}`);
				handlingMost = Math.max(handlingMost, ++handling);
			};
			inbox.addRequest({ size: 1 + (name % 7), name, run });
		} else if (event === "notification") inbox.addNotification(1 + (name % 7), () => log.push(`n${name}`));
		else if (handling > 0) {
			handling--;
			inbox.done();
		}
	}
	while (handling > 0) {
		handling--;
		inbox.done();
	}
	return { log, handlingMost };
}

const someEvents = fc.array(fc.constantFrom<Event>("request", "notification", "done"), { maxLength: 60 });

test("the inbox runs everything in order and loses nothing", () => {
	fc.assert(
		fc.property(
			someEvents,
			fc.integer({ min: 1, max: 4 }),
			fc.integer({ min: 1, max: 5 }),
			(events, handling, waiting) => {
				const { log, handlingMost } = play(events, handling, waiting);
				const handled = log.filter((entry) => !entry.startsWith("!"));
				const names = handled.map((entry) => Number(entry.slice(1)));
				expect(names).toEqual(names.toSorted((a, b) => a - b));
				expect(log).toHaveLength(events.filter((event) => event !== "done").length);
				expect(handled.filter((entry) => entry.startsWith("n"))).toHaveLength(
					events.filter((event) => event === "notification").length,
				);
				expect(handlingMost).toBeLessThanOrEqual(handling);
			},
		),
	);
});

test("the inbox limits only waiting messages", () => {
	const round: Event[] = ["request", "request", "notification", "done", "done"];
	const rounds = Array.from({ length: 50 }, () => round).flat();
	expect(play(rounds, 1, 1000, 20).log.filter((entry) => entry.startsWith("!"))).toEqual([]);
	expect(play(["request", "request", "request", "request", "request"], 1, 1000, 6).log).toContain("!4");
});

test("the inbox refuses nothing while it has room", () => {
	fc.assert(
		fc.property(someEvents, fc.integer({ min: 1, max: 4 }), (events, handling) => {
			expect(play(events, handling, 1000).log.filter((entry) => entry.startsWith("!"))).toEqual([]);
		}),
	);
});
