import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentLength } from "./content-length.js";
import type { Framing } from "./framing.js";
import { lines } from "./lines.js";

const encoder = new TextEncoder();

/** Decodes chunks. Returns the messages, and `!code` for skipped input. */
function decode(framing: Framing, chunks: readonly (string | Uint8Array)[], bytesMax = 1000): string[] {
	const seen: string[] = [];
	const decoder = framing.decoder(
		{ message: (text) => seen.push(text), unreadable: (error) => seen.push(`!${error.code}`) },
		bytesMax,
	);
	for (const chunk of chunks) decoder.push(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
	decoder.end();
	return seen;
}

function bytesOf(framing: Framing, text: string): Uint8Array {
	const encoded = framing.encode(text);
	return typeof encoded === "string" ? encoder.encode(encoded) : encoded;
}

const someJson = fc.jsonValue({ stringUnit: "grapheme" }).map((value) => JSON.stringify(value));

describe.each([
	["lines", lines],
	["contentLength", contentLength],
] as const)("the framing %s", (_name, framing) => {
	test("returns every message, regardless of where the stream is split", () => {
		fc.assert(
			fc.property(fc.array(someJson), fc.array(fc.nat()), (messages, cuts) => {
				const whole = Buffer.concat(messages.map((text) => bytesOf(framing, text)));
				const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
				const chunks = places.slice(1).map((to, i) => whole.subarray(places[i], to));
				expect(decode(framing, chunks, 1e6)).toEqual(messages);
			}),
		);
	});

	test("returns a message that arrives byte by byte", () => {
		const message = '{"text":"a é 漢 😀"}';
		const bytes = bytesOf(framing, message);
		expect(
			decode(
				framing,
				[...bytes].map((byte) => Uint8Array.of(byte)),
			),
		).toEqual([message]);
	});

	test("decodes any bytes in the same way, regardless of where they are split", () => {
		const piece = fc.constantFrom(
			"\n",
			"\r\n",
			"\ufeff",
			"{}",
			"é",
			"Content-Length: 2\r\n\r\n",
			"content-length:",
			"x".repeat(700),
		);
		fc.assert(
			fc.property(fc.array(piece), fc.array(fc.nat()), (pieces, cuts) => {
				const whole = encoder.encode(pieces.join(""));
				const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
				const chunks = places.slice(1).map((to, i) => whole.subarray(places[i], to));
				expect(decode(framing, chunks)).toEqual(decode(framing, [whole]));
			}),
		);
	});

	test("skips a message above the limit and reads the next one", () => {
		const large = JSON.stringify("x".repeat(2000));
		const bytes = Buffer.concat([large, "1", large, "2"].map((text) => bytesOf(framing, text)));
		const chunks = Array.from({ length: Math.ceil(bytes.length / 300) }, (_, i) =>
			bytes.subarray(300 * i, 300 * (i + 1)),
		);
		const expected = ["!-32600", "1", "!-32600", "2"];
		expect(decode(framing, chunks)).toEqual(expected);
		expect(decode(framing, [bytes])).toEqual(expected);
	});

	test("accepts a message that is exactly at the limit", () => {
		const message = JSON.stringify("é".repeat(499));
		expect(encoder.encode(message).length).toBe(1000);
		expect(decode(framing, [bytesOf(framing, message)])).toEqual([message]);
		expect(decode(framing, [bytesOf(framing, `${message} `)])).toEqual(["!-32600"]);
	});

	test("reports bytes that are not UTF-8, and reads the messages before and after them", () => {
		const broken = bytesOf(framing, '"xx"').map((byte) => (byte === 120 ? 0xff : byte));
		const bytes = Buffer.concat([bytesOf(framing, "1"), broken, bytesOf(framing, "2")]);
		expect(decode(framing, [bytes])).toEqual(["1", "!-32700", "2"]);
	});

	// A decoder that copies its buffer for every chunk would take minutes.
	test("reads a large message in small chunks in linear time", () => {
		const message = JSON.stringify("x".repeat(2 ** 21));
		const bytes = bytesOf(framing, message);
		const chunks = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) => bytes.subarray(7 * i, 7 * (i + 1)));
		expect(decode(framing, chunks, 2 ** 22)).toEqual([message]);
	});
});

test("lines can end in \\r\\n, be blank, and lack the last newline", () => {
	expect(decode(lines, ["1\r\n\n  \n2\n\r\n", "3"]).map((text) => text.trim())).toEqual(["1", "2", "3"]);
});

describe("a Content-Length header", () => {
	const one = "Content-Length: 1\r\n\r\n1";

	test.each([
		[
			"in upper or lower case, with other headers after it",
			"content-LENGTH:1\r\nContent-Type: x; charset=utf-8\r\n\r\n1",
			["1"],
		],
		["after another header", "Content-Type: application/json\r\nCONTENT-length: 1\r\n\r\n1", ["1"]],
		["that includes a final newline", `Content-Length: 3\r\n\r\n{}\n${one}`, ["{}\n", "1"]],
		["ended by bare newlines", "Content-Length: 1\n\n1", ["1"]],
		["after stray blank lines", `\r\n\r\n${one}`, ["1"]],
		["after a log line", `starting up\n${one}`, ["!-32700", "1"]],
		["after a log line without its newline", `starting up${one}`, ["!-32700", "1"]],
		["after more garbage than fits in a header line", `${"x".repeat(5000)}${one}`, ["!-32700", "1"]],
		["after a header block without a length", `Content-Type: x\r\n\r\n${one}`, ["!-32700", "1"]],
		["after a length that is not a number", `Content-Length: ten\r\n\r\n${one}`, ["!-32700", "1"]],
		["after a length that is out of range", `Content-Length: 99999999999999999999\r\n\r\n${one}`, ["!-32700", "1"]],
		[
			"after a length that is unrealistically large",
			`Content-Length: 9007199254740991\r\n\r\n${one}`,
			["!-32700", "1"],
		],
		["without a body", "Content-Length: 1\r\n", ["!-32700"]],
		["for an empty message", `Content-Length: 0\r\n\r\n${one}`, ["", "1"]],
		["for an incomplete message", "Content-Length: 10\r\n\r\n1", ["!-32700"]],
	])("is read %s", (_title, input, expected) => {
		expect(decode(contentLength, [input])).toEqual(expected);
		expect(decode(contentLength, [...input])).toEqual(expected);
	});
});

test("Content-Length framing encodes a message in one piece, with its length in bytes", () => {
	const written = contentLength.encode('{"text":"é漢😀"}');
	expect(new TextDecoder().decode(written as Uint8Array)).toBe('Content-Length: 20\r\n\r\n{"text":"é漢😀"}');
});
