import { expect, test } from "vitest";
import { readPiped } from "./chat.js";

async function* pieces(...bytes: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
	yield* bytes;
}

test("what is piped in is read, even where a character is cut in two", async () => {
	const bytes = Buffer.from("größer 日本\n");
	await expect(readPiped(pieces(bytes.subarray(0, 3), bytes.subarray(3)))).resolves.toBe("größer 日本\n");
	await expect(readPiped(pieces())).resolves.toBe("");
});

test.each([
	["a program", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0x02, 0x00, 0x00]), /not text in UTF-8/],
	["an image", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xd8]), /not text in UTF-8/],
	["more than a model can look at", Buffer.alloc(512 * 1024 + 1, "x"), /larger than 512 KiB.*tail -c/],
])("%s is refused in a sentence with the next step", async (_, bytes, sentence) => {
	await expect(readPiped(pieces(bytes))).rejects.toThrow(sentence);
});

test("what never ends is not read for ever", async () => {
	async function* endless(): AsyncGenerator<Uint8Array> {
		for (;;) yield Buffer.alloc(64 * 1024, "y\n");
	}
	await expect(readPiped(endless())).rejects.toThrow(/larger than/);
});
