import { someText } from "@segue/testing/arbitrary";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type BodyFraming, JsonLineReader, WholeReader } from "./framing.js";

it("JsonLineReader reads whole lines from chunks of any size", () => {
	fc.assert(
		fc.property(fc.array(someText()), fc.boolean(), someCuts(), (texts, isEnded, cuts) => {
			const lines = texts.map((text) => JSON.stringify(text));
			const body = lines.join("\n\n") + (isEnded ? "\n" : "");
			expect(readAll(new JsonLineReader(), body, cuts)).toEqual(lines);
		}),
	);
});

it("WholeReader reads the whole body from chunks of any size", () => {
	fc.assert(
		fc.property(someText(), someCuts(), (text, cuts) => {
			const body = JSON.stringify(text);
			expect(readAll(new WholeReader(), body, cuts)).toEqual([body]);
		}),
	);
});

it.each<[what: string, framing: BodyFraming]>([
	["line", new JsonLineReader()],
	["body", new WholeReader()],
])("Gives up on an endless %s", (_, framing) => {
	const million = new Uint8Array(1024 * 1024).fill(0x78);
	for (let i = 0; i < 16; i++) expect(framing.read(million)).toEqual([]);
	expect(framing.read(million)).toBeUndefined();
});

function someCuts(): fc.Arbitrary<readonly number[]> {
	return fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
}

function readAll(framing: BodyFraming, body: string, cuts: readonly number[]): string[] {
	const bytes = new TextEncoder().encode(body);
	const read: string[] = [];
	for (let from = 0, i = 0; from < bytes.length; i++) {
		const to = from + (cuts[i % cuts.length] ?? 1);
		read.push(...(framing.read(bytes.subarray(from, to)) ?? []));
		from = to;
	}
	return [...read, ...framing.end()];
}
