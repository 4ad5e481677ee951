import { expect, test } from "vitest";
import { readPiped } from "./chat.js";

async function* pieces(...bytes: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
	yield* bytes;
}

test("reads piped input, even if a character spans two chunks", async () => {
	const bytes = Buffer.from("größer 日本\n");
	await expect(readPiped(pieces(bytes.subarray(0, 3), bytes.subarray(3)))).resolves.toBe("größer 日本\n");
	await expect(readPiped(pieces())).resolves.toBe("");
});

test.each([
	["a program", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0x02, 0x00, 0x00]), /not UTF-8 text/],
	["an image", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xd8]), /not UTF-8 text/],
	["input over the size limit", Buffer.alloc(512 * 1024 + 1, "x"), /larger than 512 KiB.*tail -c/],
])("rejects %s and says what to do", async (_, bytes, message) => {
	await expect(readPiped(pieces(bytes))).rejects.toThrow(message);
});

test("stops reading endless input", async () => {
	async function* endless(): AsyncGenerator<Uint8Array> {
		for (;;) yield Buffer.alloc(64 * 1024, "y\n");
	}
	await expect(readPiped(endless())).rejects.toThrow(/larger than/);
});
