import { FakeClock } from "@segue/testing/clock";
import { settled } from "@segue/testing/rpc/peers";
import { Change, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Matcher, type MatchWorker, type SearchQuery, serveMatches } from "./matcher.js";

const never = new AbortController().signal;

/** Creates a matcher with workers that run in this thread. With `isHeld`, they respond only when released. */
function matcherOf({ isHeld = false } = {}) {
	const clock = new FakeClock();
	const workers: { isStopped: boolean; release: () => void; say: (message: unknown) => void }[] = [];
	const start = (): MatchWorker => {
		let serve = (_message: unknown) => {};
		let listener = (_message: unknown) => {};
		const held: unknown[] = [];
		const worker = {
			isStopped: false,
			release: () => held.splice(0).forEach((message) => void listener(message)),
			say: (message: unknown) => listener(message),
		};
		workers.push(worker);
		serveMatches({
			post: (message) => (isHeld ? held.push(message) : queueMicrotask(() => listener(message))),
			receive: (own) => {
				serve = own;
			},
		});
		return {
			post: (message) => serve(structuredClone(message)),
			receive: (own) => {
				listener = own;
			},
			stop: () => {
				worker.isStopped = true;
			},
		};
	};
	return { matcher: new Matcher(start, clock), clock, workers };
}

/** Returns a string with every match replaced. */
async function replaced(text: string, search: string, replace: string, isRegex: boolean): Promise<string> {
	const edits = await matcherOf().matcher.find({ search, replace, isRegex }, text, never);
	return Change.of(edits, text.length).apply(Text.of(text)).toString();
}

const pattern = (search: string, replace = "-"): SearchQuery => ({ search, replace, isRegex: true });
const literal = (search: string, replace = "-"): SearchQuery => ({ search, replace, isRegex: false });

describe("a pattern", () => {
	test.for([
		["ab ab", "a(b)", "$1", "b b"],
		["2024-01", String.raw`(?<y>\d+)-(?<m>\d+)`, "$<m>/$<y>", "01/2024"],
		["a.b", String.raw`\.`, "[$&]", "a[.]b"],
		["cost", "cost", "$$5", "$5"],
		["one\ntwo\n", "^", "> ", "> one\n> two\n> "],
		["one\ntwo", "$", ";", "one;\ntwo;"],
		["axxb", "x*", "-", "-a--b-"],
		["😀é", "(?:)", "|", "|😀|é|"],
		["😀😀", "^.", "x", "x😀"],
		["Straße", String.raw`\p{L}+`, "<$&>", "<Straße>"],
		["aA", "A", "b", "ab"],
		["aaa", "(a)(b)?", "$2$1$3$10", "a$3a0a$3a0a$3a0"],
		["abcdefghijk", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "$11$10$01$12$00$0", "kjaa2$00$0"],
		["none", "x", "y", "none"],
		["any", "", "y", "any"],
	] as const)("in %j replaces %s with %s: %j", async ([text, search, replace, expected]) => {
		expect(await replaced(text, search, replace, true)).toBe(expected);
	});

	test("replaces like String.replace", async () => {
		const pieces = ["a", "b", "😀", "\n", "$", "1", "<n>", "&", "`", "'", "0"];
		const patterns = [
			"a",
			"(a)|(b)",
			"(?<n>a)|b",
			"a*",
			"^",
			"$",
			".",
			"(?:)",
			"(a)(b)?(a)?",
			"[^]",
			"\\$",
			"(?=a)",
			"\\b",
		];
		const { matcher } = matcherOf();
		const someText = fc.string({ unit: fc.constantFrom(...pieces) });
		await fc.assert(
			fc.asyncProperty(someText, fc.constantFrom(...patterns), someText, async (text, search, replace) => {
				const edits = await matcher.find(pattern(search, replace), text, never);
				const after = Change.of(edits, text.length).apply(Text.of(text)).toString();
				expect(after).toBe(text.replace(new RegExp(search, "gmu"), replace));
				for (const { from, to, insert } of edits) expect(text.slice(from, to)).not.toBe(insert);
			}),
		);
	});

	test.for(["(", "a{2", "[z-a]", "\\", String.raw`\p{Nothing}`, "(?<a>)(?<a>)", String.raw`\_`])(
		"with a syntax error is refused without starting a worker: %s",
		async (search) => {
			const { matcher, workers } = matcherOf();
			await expect(matcher.find(pattern(search), "a", never)).rejects.toMatchObject({
				name: "MatchError",
				kind: "invalid",
				message: expect.stringContaining("Invalid regular expression"),
			});
			expect(workers).toEqual([]);
		},
	);

	test("is refused if there is no worker", async () => {
		const matcher = new Matcher(undefined, new FakeClock());
		await expect(matcher.find(pattern("a"), "a", never)).rejects.toMatchObject({ kind: "no-worker" });
		expect(await matcher.find(literal("a"), "a", never)).toHaveLength(1);
	});

	test("that takes too long is stopped, and the next one gets a new worker", async () => {
		const { matcher, clock, workers } = matcherOf({ isHeld: true });
		const found = matcher.find(pattern("a"), "a", never);
		const failure = expect(found).rejects.toMatchObject({
			kind: "slow",
			message: "The regular expression took longer than 1 s in one file.",
		});
		await settled();
		clock.advance(999);
		expect(workers).toMatchObject([{ isStopped: false }]);
		clock.advance(1);
		await failure;
		expect(workers).toMatchObject([{ isStopped: true }]);

		const next = matcher.find(pattern("b"), "ab", never);
		await settled();
		workers[0]?.release(); // too late, because its search has been stopped
		workers[1]?.release();
		expect(await next).toEqual([{ from: 1, to: 2, insert: "-" }]);
		clock.advance(5000);
		expect(workers).toMatchObject([{ isStopped: true }, { isStopped: false }]);
	});

	test("is timed from the end of the previous search in the same worker", async () => {
		const { matcher, clock, workers } = matcherOf({ isHeld: true });
		const first = matcher.find(pattern("a"), "a", never);
		const second = matcher.find(pattern("b"), "ab", never);
		await settled();
		clock.advance(900);
		workers[0]?.release();
		expect(await first).toHaveLength(1);
		await settled();
		clock.advance(900);
		workers[0]?.release();
		expect(await second).toEqual([{ from: 1, to: 2, insert: "-" }]);
		expect(workers).toHaveLength(1);
	});
});

describe("a literal search", () => {
	test.for([
		["a.b axb", "a.b", "$&$1", "$&$1 axb"],
		["aaaa", "aa", "a", "aa"],
		["x", "", "y", "x"],
		["é😀é", "😀", "", "éé"],
	] as const)("in %j replaces %j with %j: %j", async ([text, search, replace, expected]) => {
		expect(await replaced(text, search, replace, false)).toBe(expected);
	});

	test("replaces like String.replaceAll", async () => {
		const { matcher } = matcherOf();
		const someText = fc.string({ unit: fc.constantFrom("a", "b", "$", "&") });
		const someSearch = fc.string({ unit: fc.constantFrom("a", "b", "$"), minLength: 1, maxLength: 3 });
		await fc.assert(
			fc.asyncProperty(someText, someSearch, someText, async (text, search, replace) => {
				const edits = await matcher.find(literal(search, replace), text, never);
				const after = Change.of(edits, text.length).apply(Text.of(text)).toString();
				expect(after).toBe(text.replaceAll(search, () => replace));
				if (search === replace) expect(edits).toEqual([]);
			}),
		);
	});
});

describe("a search", () => {
	test.for([
		["in a text that is too large", literal("a"), " ".repeat(8 * 2 ** 20 + 1), "too-much"],
		["with too many matches", literal("a"), "a".repeat(10_001), "too-much"],
		["with too many matches of a pattern", pattern("a"), "a".repeat(10_001), "too-much"],
		["with too many matches that change nothing", pattern("a", "a"), "a".repeat(10_001), "too-much"],
		["that would insert too much", pattern("a", "$`$'"), "a".repeat(9000), "too-much"],
		["for search text that is too long", literal("a".repeat(10_001)), "a", "invalid"],
		["for half a surrogate pair", literal("\ud83d"), "😀", "invalid"],
		["that would insert half a surrogate pair", pattern(".", "\ude00"), "😀", "invalid"],
	] as const)("%s is refused", async ([, search, text, kind]) => {
		await expect(matcherOf().matcher.find(search, text, never)).rejects.toMatchObject({ name: "MatchError", kind });
	});

	test("succeeds at the limits", async () => {
		const { matcher } = matcherOf();
		expect(await matcher.find(literal("a"), "a".repeat(10_000), never)).toHaveLength(10_000);
		expect(await matcher.find(pattern("a"), "a".repeat(10_000), never)).toHaveLength(10_000);
		expect(await matcher.find(literal("a"), " ".repeat(8 * 2 ** 20), never)).toEqual([]);
	});

	test("that is cancelled ends immediately and stops its worker", async () => {
		const { matcher, clock, workers } = matcherOf({ isHeld: true });
		const controller = new AbortController();
		const found = matcher.find(pattern("a"), "a", controller.signal);
		const waiting = matcher.find(pattern("b"), "a", controller.signal);
		await settled();
		const failures = Promise.all([found, waiting].map((one) => expect(one).rejects.toThrow("not wanted")));
		controller.abort(new Error("not wanted"));
		await failures;
		expect(workers).toMatchObject([{ isStopped: true }]);
		await expect(matcher.find(literal("a"), "a", controller.signal)).rejects.toThrow("not wanted");
		clock.advance(5000);
	});

	test("that is cancelled after it has ended does not affect others", async () => {
		const { matcher, workers } = matcherOf({ isHeld: true });
		const controller = new AbortController();
		const found = matcher.find(pattern("a"), "a", controller.signal);
		await settled();
		workers[0]?.release();
		await found;
		const next = matcher.find(pattern("a"), "a", never);
		await settled();
		controller.abort();
		workers[0]?.release();
		expect(await next).toHaveLength(1);
	});

	test("ends when the matcher is stopped", async () => {
		const { matcher, workers } = matcherOf({ isHeld: true });
		const found = matcher.find(pattern("a"), "a", never);
		await settled();
		matcher.stop();
		await expect(found).rejects.toMatchObject({ kind: "failed", message: "The search was stopped." });
		expect(workers).toMatchObject([{ isStopped: true }]);
		matcher.stop();
	});

	test.for([
		[{ failed: "out of memory" }, 'The search failed: {"failed":"out of memory"}'],
		[new Error("no module"), "The search failed: no module"],
		[null, "The search failed: null"],
		[undefined, "The search failed: undefined"],
	] as const)("fails if its worker sends %j, and the next one gets a new worker", async ([message, text]) => {
		const { matcher, workers } = matcherOf({ isHeld: true });
		const found = matcher.find(pattern("a"), "a", never);
		await settled();
		workers[0]?.say(message);
		await expect(found).rejects.toMatchObject({ kind: "failed", message: text });
		const next = matcher.find(pattern("a"), "a", never);
		await settled();
		workers[1]?.release();
		expect(await next).toHaveLength(1);
	});

	test("fails if the worker cannot be started", async () => {
		const matcher = new Matcher(() => {
			throw new Error("no threads");
		}, new FakeClock());
		await expect(matcher.find(pattern("a"), "a", never)).rejects.toMatchObject({
			kind: "failed",
			message: "The search failed: no threads",
		});
	});
});
