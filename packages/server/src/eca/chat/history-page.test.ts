import type { Body, Entry } from "@segue/assist";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PageRequest, pageOf } from "./history-page.js";

const BODIES: Readonly<Record<string, Body>> = {
	p: { type: "prompt", parts: [] },
	t: { type: "text", text: "" },
	h: { type: "thought", text: "", signature: undefined },
	n: { type: "notice", level: "info", text: "" },
	s: { type: "summary", text: "" },
	e: { type: "end", reason: "done" },
};

/** Creates entries from letters, numbered from 1. */
function entriesOf(letters: string): Entry[] {
	return [...letters].map((letter, index) => {
		return { number: index + 1, turn: "turn", at: "", body: BODIES[letter] as Body };
	});
}

/** Returns the entry numbers of a page, with its metadata. */
function read(letters: string, wanted: PageRequest, limitMax = 100) {
	const page = pageOf(entriesOf(letters), wanted, limitMax, Number.POSITIVE_INFINITY);
	return page && { numbers: page.entries.map(({ number }) => number).join(" "), ...page.meta };
}

describe("a page of a chat", () => {
	test.each<[string, PageRequest, string, number, string | null, string | null]>([
		["has all messages by default", {}, "1 2 3 4 5 6 7", 5, null, null],
		["has the latest messages", { limit: 2 }, "6 7", 2, "6", null],
		["has messages before a cursor", { before: "6", limit: 2 }, "2 3 4 5", 2, "2", "3"],
		["has messages after a cursor", { after: "2", limit: 2 }, "3 4 5 6", 2, "3", "6"],
		["extends to the last message", { after: "3", limit: 9 }, "6 7", 2, "6", null],
		["has messages between two cursors", { after: "1", before: "7" }, "2 3 4 5 6", 3, "2", "6"],
		["has messages since the summary", { after: "lastCompaction" }, "6 7", 2, "6", null],
		["has messages before the summary", { before: "lastCompaction" }, "1 2 3 4 5", 3, null, "3"],
		["can be empty", { limit: 0 }, "", 0, null, null],
		["is empty after the last message", { after: "7" }, "", 0, null, null],
		["is empty if the cursors are reversed", { after: "6", before: "2" }, "", 0, null, null],
	])("%s", (_title, wanted, numbers, returned, beforeCursor, afterCursor) => {
		const meta = { total: 5, returned, beforeCursor, afterCursor, compactionCursor: "5" };
		expect(read("phtesph", wanted)).toEqual({ numbers, ...meta });
	});

	test("has at most the maximum number of messages", () => {
		expect(read("ppppp", { limit: 4 }, 3)).toMatchObject({ numbers: "3 4 5", returned: 3 });
		expect(read("ppppp", {}, 3)).toMatchObject({ numbers: "3 4 5", returned: 3 });
	});

	test("has at most the maximum length, unless it consists of one longer message", () => {
		const long = "x".repeat(500);
		const entries = ["a", long, "b", "c", "d", long].map((text, i): Entry => {
			return { number: i + 1, turn: "turn", at: "", body: { type: "text", text } };
		});
		const numbers = (wanted: PageRequest) => pageOf(entries, wanted, 100, 300)?.entries.map(({ number }) => number);
		expect(numbers({})).toEqual([6]);
		expect(numbers({ before: "6" })).toEqual([3, 4, 5]);
		expect(numbers({ before: "3" })).toEqual([2]);
		expect(numbers({ after: "1" })).toEqual([2]);
		expect(numbers({ after: "2" })).toEqual([3, 4, 5]);
		expect(pageOf(entries, { before: "6" }, 100, 300)?.meta).toMatchObject({
			...{ returned: 3, beforeCursor: "3", afterCursor: "5" },
		});
	});

	test("treats lastCompaction as the start of a chat without a summary", () => {
		expect(read("pp", { after: "lastCompaction" })).toMatchObject({ numbers: "1 2", compactionCursor: null });
		expect(read("pp", { before: "lastCompaction" })).toMatchObject({ numbers: "" });
	});

	test.each([
		["of a removed message", "9"],
		["that is invalid", "x"],
	])("is undefined for a cursor %s", (_title, cursor) => {
		expect(read("pp", { before: cursor })).toBeUndefined();
		expect(read("pp", { after: cursor })).toBeUndefined();
	});

	test("follows the previous page without a gap, in both directions and for any size", () => {
		const letters = fc.string({ unit: fc.constantFrom(..."pthnse"), maxLength: 20 });
		fc.assert(
			fc.property(letters, fc.integer({ min: 1, max: 6 }), (some, limit) => {
				const entries = entriesOf(some);
				const all = pageOf(entries, {}, 100, Number.POSITIVE_INFINITY)?.entries ?? [];

				const backwards: Entry[] = [];
				for (let before: string | null | undefined; before !== null; ) {
					const page = pageOf(entries, { limit, before }, 100, Number.POSITIVE_INFINITY);
					backwards.unshift(...(page?.entries ?? []));
					before = page?.meta.beforeCursor ?? null;
				}
				expect(backwards).toEqual(all);

				const first = pageOf(entries, { limit, after: "lastCompaction" }, 100, Number.POSITIVE_INFINITY);
				const forwards = [...(first?.entries ?? [])];
				for (let after = first?.meta.afterCursor ?? null; after !== null; ) {
					const page = pageOf(entries, { limit, after }, 100, Number.POSITIVE_INFINITY);
					forwards.push(...(page?.entries ?? []));
					after = page?.meta.afterCursor ?? null;
				}
				expect(forwards).toEqual(pageOf(entries, { after: "lastCompaction" }, 100, Number.POSITIVE_INFINITY)?.entries);
			}),
		);
	});
});
