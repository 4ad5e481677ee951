import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diskFiles } from "./files.js";

const files = diskFiles();
let folder: string;
beforeAll(() => {
	folder = mkdtempSync(path.join(tmpdir(), "segue-files-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const uriOf = (name: string) => pathToFileURL(path.join(folder, name)).href;

function write(name: string, content: string | Uint8Array): string {
	mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
	writeFileSync(path.join(folder, name), content);
	return uriOf(name);
}

describe("a file on disk", () => {
	test.for(["", "a\r\nb\n", "\ufeffé😀\u0000", "\ufeff\ufeff"])("is read as it is: %j", async (text) => {
		expect(await files.read(write("read/text", text))).toBe(text);
	});

	test("is read whatever its name", async () => {
		for (const name of ["a b", "50%", "#1", "é😀"]) expect(await files.read(write(`names/${name}`, name))).toBe(name);
		expect((await files.list(uriOf("names"))).map(({ uri }) => uri).toSorted()).toEqual(
			["a b", "50%", "#1", "é😀"].map((name) => uriOf(`names/${name}`)).toSorted(),
		);
	});

	test("is not read if it is no text", async () => {
		expect(await files.read(write("read/latin1", Uint8Array.of(0x61, 0xe9, 0x62)))).toBeUndefined();
		expect(await files.read(write("read/utf16", Buffer.from("\ufeffab", "utf16le")))).toBeUndefined();
		expect(await files.read(uriOf("read"))).toBeUndefined();
	});

	test("is read up to 8 MiB", async () => {
		const large = write("read/large", "");
		truncateSync(path.join(folder, "read/large"), 8 * 2 ** 20);
		expect(await files.read(large)).toHaveLength(8 * 2 ** 20);
		truncateSync(path.join(folder, "read/large"), 8 * 2 ** 20 + 1);
		expect(await files.read(large)).toBeUndefined();
	});

	test.for(["untitled:Untitled-1", "https://example.com/a", "file:///a%2Fb", "nowhere", ""])(
		"is not what %j names",
		async (uri) => {
			expect(await files.read(uri)).toBeUndefined();
		},
	);

	test("is not what is not there", async () => {
		expect(await files.read(uriOf("read/nothing"))).toBeUndefined();
	});
});

describe("a folder on disk", () => {
	test("lists its files and folders, and no links", async () => {
		write("list/a.ts", "");
		write("list/sub/b.ts", "");
		symlinkSync(folder, path.join(folder, "list/up"));
		symlinkSync(path.join(folder, "list/a.ts"), path.join(folder, "list/link.ts"));
		const entries = await files.list(`${uriOf("list")}/`);
		expect(entries.toSorted((a, b) => (a.uri < b.uri ? -1 : 1))).toEqual([
			{ uri: uriOf("list/a.ts"), isFolder: false },
			{ uri: uriOf("list/sub"), isFolder: true },
		]);
		expect(await files.list(uriOf("list"))).toHaveLength(2);
	});

	test("that is not there cannot be listed", async () => {
		await expect(files.list(uriOf("nothing"))).rejects.toThrow("ENOENT");
		await expect(files.list("untitled:a")).rejects.toThrow();
	});
});
