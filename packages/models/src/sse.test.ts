import { someText } from "@segue/testing/arbitrary";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventReader } from "./sse.js";

describe("EventReader", () => {
	it.each<[what: string, text: string, data: readonly string[]]>([
		["one event", "data: a\n\n", ["a"]],
		["events with names, ids and comments", ": hi\nevent: x\nid: 1\ndata: a\nretry: 5\n\n", ["a"]],
		["data without a space", "data:a\n\n", ["a"]],
		["data that starts with a space", "data:  a\n\n", [" a"]],
		["several lines of data", "data: a\ndata:\ndata: b\n\n", ["a\n\nb"]],
		["lines that end with CR LF", "data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]],
		["lines that end with CR", "data: a\r\rdata: b\r\r", ["a", "b"]],
		["mixed line breaks", "data: a\n\r\ndata: b\r\n\ndata: c\r\n\r", ["a", "b", "c"]],
		["no events without data", "event: ping\n\n\n\n", []],
		["no fields whose names merely start with data", "database: a\n\ndat\n\n", []],
		["an unterminated event at the end of the stream", "data: a\n\ndata: b", ["a", "b"]],
		["an event after a byte order mark", "\ufeffdata: a\n\n", ["a"]],
	])("reads %s", (_, text, data) => {
		for (let size = 1; size <= text.length; size++) expect(readIn(text, () => size)).toEqual(data);
	});

	it("reads any data from chunks of any size", () => {
		fc.assert(
			fc.property(
				fc.array(someText().map((text) => JSON.stringify(text))),
				fc.constantFrom("\n", "\r\n", "\r"),
				fc.infiniteStream(fc.integer({ min: 1, max: 12 })),
				(written, lineEnd, sizes) => {
					const text = written.map((data) => `data: ${data}${lineEnd}${lineEnd}`).join("");
					expect(readIn(text, () => sizes.next().value ?? 1)).toEqual(written);
				},
			),
		);
	});

	it.each([
		["a line", "x".repeat(1024 * 1024)],
		["an event", `data:${"x".repeat(1024 * 1024)}\n`],
	])("gives up on %s that is too long", (_, piece) => {
		const reader = new EventReader();
		const bytes = new TextEncoder().encode(piece);
		const results = Array.from({ length: 17 }, () => reader.read(bytes));
		expect([15, 16]).toContain(results.indexOf(undefined));
	});
});

function readIn(text: string, size: () => number): string[] {
	const reader = new EventReader();
	const bytes = new TextEncoder().encode(text);
	const data: string[] = [];
	for (let from = 0; from < bytes.length; ) {
		const to = from + size();
		data.push(...(reader.read(bytes.subarray(from, to)) ?? []));
		from = to;
	}
	return [...data, ...reader.end()];
}
