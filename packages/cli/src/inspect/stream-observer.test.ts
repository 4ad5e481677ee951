import { contentLength, lines, type PeerRole } from "@segue/rpc";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StreamObserver } from "./stream-observer.js";

/** Returns the messages observed if the bytes arrive in chunks with these lengths, repeated. */
function observed(bytes: Uint8Array, cuts: readonly number[]): string[] {
	const texts: string[] = [];
	const observer = new StreamObserver("agent", (_from: PeerRole, text) => texts.push(text));
	for (let at = 0, i = 0; at < bytes.length; i++) {
		const length = cuts[i % cuts.length] ?? bytes.length;
		observer.push(bytes.subarray(at, at + length), i);
		at += length;
	}
	observer.end();
	return texts;
}

const someMessages = fc.array(
	fc.dictionary(fc.string(), fc.jsonValue()).map((message) => JSON.stringify(message)),
	{ minLength: 1 },
);
const someCuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });

describe("StreamObserver reports", () => {
	test.each([
		["lines", lines],
		["contentLength", contentLength],
	] as const)("every message in %s, for chunks of any size", (_, framing) => {
		fc.assert(
			fc.property(someMessages, someCuts, (messages, cuts) => {
				const bytes = Buffer.concat(messages.map((message) => Buffer.from(framing.encode(message))));
				expect(observed(bytes, cuts)).toEqual(messages);
			}),
		);
	});

	test.each<[string, string, string[]]>([
		[
			"output before the first message in lines",
			'Listening…\n\n{"id":1}\n{"id":2}\n',
			["Listening…", '{"id":1}', '{"id":2}'],
		],
		[
			"output before the first header",
			'Warning: old\nContent-Length: 8\r\n\r\n{"id":1}Content-Length: 2\r\n\r\n{}',
			["Warning: old", '{"id":1}', "{}"],
		],
		["a message after a lowercase header and another header", "content-type: x\r\ncontent-length: 2\r\n\r\n{}", ["{}"]],
		["a message after a byte order mark", '\ufeff{"id":1}\n', ['{"id":1}']],
		["messages between empty lines", '\r\n \n{"id":1}\n\n\n', ['{"id":1}']],
		["a last line without a line break", '{"id":1}\n{"id"', ['{"id":1}', '{"id"']],
		["a single word", "usage", ["usage"]],
		["a log line with brackets before headers", "[info] up\nContent-Length: 2\r\n\r\n{}", ["[info] up", "{}"]],
		["an array", '[{"id":1}]\n', ['[{"id":1}]']],
		["nothing for an empty stream", "", []],
		["a first line that is too long for a header", `x${"y".repeat(9000)}\n{}\n`, [`x${"y".repeat(9000)}`, "{}"]],
	])("%s", (_, text, messages) => {
		for (const cuts of [[1], [7], [10_000]]) expect(observed(Buffer.from(text), cuts)).toEqual(messages);
	});

	test("a note for an unreadable message", () => {
		const bytes = Buffer.concat([Buffer.from('{"id":1}\n'), Buffer.from([0x7b, 0xff, 10]), Buffer.from("{}\n")]);
		expect(observed(bytes, [5])).toEqual(['{"id":1}', "(Parse error: the message is not UTF-8)", "{}"]);
		const large = Buffer.concat([Buffer.alloc(33 * 2 ** 20, 0x7b), Buffer.from("\n{}\n")]);
		expect(observed(large, [2 ** 16])).toEqual(["(Invalid request: the message is longer than 33554432 bytes)", "{}"]);
	});
});
