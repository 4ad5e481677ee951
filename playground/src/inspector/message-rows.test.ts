import type { TraceRecord } from "@segue/rpc/trace";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matches, messageRowsOf } from "./message-rows.js";

const ASK = { jsonrpc: "2.0", id: 1, method: "nes/suggest", params: {} };
const ANSWER = { jsonrpc: "2.0", id: 1, result: {} };

/**
 * Creates messages a millisecond apart. Messages from the client start with ">", and messages from the agent with "<".
 */
function recordsOf(...messages: readonly (readonly [from: ">" | "<", message: unknown])[]): TraceRecord[] {
	return messages.map(([from, message], atMs) => ({
		atMs,
		from: from === ">" ? "client" : "agent",
		text: typeof message === "string" ? message : JSON.stringify(message),
	}));
}

function summaryOf(records: readonly TraceRecord[]) {
	return messageRowsOf(records).map(({ kind, method, pair, latencyMs }) => [kind, method, pair, latencyMs]);
}

describe("the list of messages", () => {
	test("pairs a request with its response in both directions", () => {
		expect(summaryOf(recordsOf([">", ASK], ["<", { jsonrpc: "2.0", method: "a" }], ["<", ANSWER]))).toEqual([
			["request", "nes/suggest", 2, undefined],
			["notification", "a", undefined, undefined],
			["response", "nes/suggest", 0, 2],
		]);
	});

	test("keeps requests from both sides apart if they have the same id", () => {
		const theirs = { jsonrpc: "2.0", id: 1, method: "fs/read_text_file" };
		const ours = { jsonrpc: "2.0", id: 1, result: { content: "" } };
		expect(summaryOf(recordsOf([">", ASK], ["<", theirs], [">", ours], ["<", ANSWER]))).toEqual([
			["request", "nes/suggest", 3, undefined],
			["request", "fs/read_text_file", 2, undefined],
			["response", "fs/read_text_file", 1, 1],
			["response", "nes/suggest", 0, 3],
		]);
	});

	test('keeps apart the ids 1 and "1"', () => {
		const named = { ...ASK, id: "1", method: "other" };
		expect(summaryOf(recordsOf([">", ASK], [">", named], ["<", ANSWER])).map(([, method]) => method)).toEqual([
			"nes/suggest",
			"other",
			"nes/suggest",
		]);
	});

	test("pairs a reused id with the open request", () => {
		const pairs = messageRowsOf(recordsOf([">", ASK], ["<", ANSWER], [">", ASK], ["<", ANSWER])).map(
			({ pair }) => pair,
		);
		expect(pairs).toEqual([1, 0, 3, 2]);
	});

	test.each([
		["an error", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } }, "error"],
		["a response without a request", ANSWER, "response"],
		["text that is not JSON", "{", "unreadable"],
		["null", null, "response"],
		["a number", 7, "response"],
		["a list", [ASK], "response"],
	])("lists %s", (_title, message, kind) => {
		expect(summaryOf(recordsOf(["<", message]))).toEqual([
			[kind, kind === "unreadable" ? "(not JSON)" : "(unknown)", undefined, undefined],
		]);
	});

	test("has one row for each message, with consistent pairs", () => {
		const message = fc.oneof(
			fc.record({ id: fc.nat(3), method: fc.constantFrom("a", "b") }),
			fc.record({ id: fc.nat(3), result: fc.constant(null) }),
			fc.record({ id: fc.nat(3), error: fc.constant({ code: 0, message: "" }) }),
			fc.record({ method: fc.constantFrom("a", "b") }),
			fc.string(),
		);
		fc.assert(
			fc.property(fc.array(fc.tuple(fc.constantFrom(">" as const, "<" as const), message)), (messages) => {
				const records = recordsOf(...messages);
				const rows = messageRowsOf(records);
				expect(rows.map(({ record }) => record)).toEqual(records);
				for (const { index, pair, kind, method, record } of rows) {
					if (pair === undefined) continue;
					const other = rows[pair];
					expect(other).toMatchObject({ pair: index, method });
					expect(other?.record.from).not.toBe(record.from);
					expect(kind === "request").toBe(index < pair);
				}
			}),
		);
	});

	test("matches part of the method and part of the text, ignoring case", () => {
		const [row] = messageRowsOf(recordsOf([">", { ...ASK, params: { uri: "Cart.ts" } }]));
		if (row === undefined) throw new Error("there is no row");
		expect(matches(row, "SUGG", "")).toBe(true);
		expect(matches(row, "", "cart")).toBe(true);
		expect(matches(row, "nes", "item")).toBe(false);
		expect(matches(row, "document", "cart")).toBe(false);
	});
});
