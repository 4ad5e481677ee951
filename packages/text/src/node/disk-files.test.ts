import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Privacy } from "../privacy/privacy.js";
import { diskFiles } from "./disk-files.js";

let folder: string;
let folders: string[];
const files = diskFiles(() => ({ folders: folders.map((uri) => ({ uri, name: "" })) }));
beforeAll(() => {
	folder = mkdtempSync(path.join(tmpdir(), "segue-files-"));
	folders = [uriOf("")];
});
afterAll(() => rmSync(folder, { recursive: true }));

const uriOf = (name: string) => pathToFileURL(path.join(folder, name)).href;

function write(name: string, content: string | Uint8Array): string {
	mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
	writeFileSync(path.join(folder, name), content);
	return uriOf(name);
}

describe("a file on disk", () => {
	test.for(["", "a\r\nb\n", "\ufeffé😀\u0000", "\ufeff\ufeff"])("is read unchanged: %j", async (text) => {
		expect(await files.read(write("read/text", text))).toBe(text);
	});

	test("is read whatever its name is", async () => {
		for (const name of ["a b", "50%", "#1", "é😀"]) expect(await files.read(write(`names/${name}`, name))).toBe(name);
		expect((await files.list(uriOf("names"))).map(({ uri }) => uri).toSorted()).toEqual(
			["a b", "50%", "#1", "é😀"].map((name) => uriOf(`names/${name}`)).toSorted(),
		);
	});

	test("is not read if it is not text", async () => {
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
		"is not read from the URI %j",
		async (uri) => {
			expect(await files.read(uri)).toBeUndefined();
		},
	);

	test("is undefined if it does not exist", async () => {
		expect(await files.read(uriOf("read/nothing"))).toBeUndefined();
	});
});

describe("links out of the workspace", () => {
	let out: string;
	beforeAll(() => {
		folders = [uriOf("else"), `${uriOf("workspace")}/`];
		out = path.join(folder, "out");
		write("out/secret.ts", "secret");
		write("workspace/sub/a.ts", "a");
		symlinkSync(out, path.join(folder, "workspace/folder"));
		symlinkSync(path.join(out, "secret.ts"), path.join(folder, "workspace/file.ts"));
		symlinkSync(path.join(folder, "workspace/sub/a.ts"), path.join(folder, "workspace/a.ts"));
	});
	afterAll(() => {
		folders = [uriOf("")];
	});

	test("are not followed below a workspace folder", async () => {
		expect(await files.read(uriOf("workspace/sub/a.ts"))).toBe("a");
		for (const name of ["folder/secret.ts", "file.ts", "a.ts"]) {
			expect([name, await files.read(uriOf(`workspace/${name}`))]).toEqual([name, undefined]);
		}
	});

	test("are not read, and neither are other paths that leave the workspace", async () => {
		expect(await files.read(uriOf("out/secret.ts"))).toBeUndefined();
		for (const way of ["sub/../../out", "sub/%2e%2e/../out", ".\t./out"]) {
			expect(await files.read(`${uriOf("workspace")}/${way}/secret.ts`)).toBeUndefined();
		}
	});

	test("are allowed for a workspace folder or its parents", async () => {
		const link = path.join(folder, "link");
		symlinkSync(path.join(folder, "workspace"), link);
		folders = [pathToFileURL(link).href];
		expect(await files.read(uriOf("link/sub/a.ts"))).toBe("a");
		expect(await files.read(uriOf("link/folder/secret.ts"))).toBeUndefined();
		folders = [pathToFileURL(link).href, uriOf("link/folder")];
		expect(await files.read(uriOf("link/folder/secret.ts"))).toBe("secret");
	});
});

describe("an ignore file on disk", () => {
	const isPrivate = (name: string) => new Privacy(files, () => [uriOf("rules")]).isPrivate(uriOf(`rules/${name}`));

	test("applies even if it contains bytes that are not UTF-8", async () => {
		write("rules/.gitignore", Buffer.from("# priv\xe9\nlocal.ts\nd\xe9j\xe0.*\n", "latin1"));
		expect([await isPrivate("local.ts"), await isPrivate("d%E9j%E0.ts"), await isPrivate("a.ts")]).toEqual([
			true,
			true,
			false,
		]);
	});

	test("applies if it is a link to anywhere", async () => {
		write("shared-rules", "\ufeff*.log");
		mkdirSync(path.join(folder, "rules/linked"), { recursive: true });
		symlinkSync(path.join(folder, "shared-rules"), path.join(folder, "rules/linked/.ignore"));
		expect([await isPrivate("linked/a.log"), await isPrivate("linked/a.ts")]).toEqual([true, false]);
	});

	test("that is too large makes everything it could apply to private", async () => {
		write("rules/large/.gitignore", "");
		truncateSync(path.join(folder, "rules/large/.gitignore"), 8 * 2 ** 20 + 1);
		expect([await isPrivate("large/a.ts"), await isPrivate("a.ts")]).toEqual([true, false]);
	});

	test("that is a link cycle makes everything it could apply to private", async () => {
		mkdirSync(path.join(folder, "rules/circle"), { recursive: true });
		symlinkSync(".gitignore", path.join(folder, "rules/circle/.gitignore"));
		expect(await isPrivate("circle/a.ts")).toBe(true);
	});

	test("is undefined if it is a folder, below a file, or not a file URI", async () => {
		write("rules/folder/.gitignore/a", "*");
		write("rules/file", "");
		for (const uri of [uriOf("rules/folder/.gitignore"), `${uriOf("rules/file")}/.gitignore`, "untitled:/.gitignore"]) {
			expect([uri, await files.readRules?.(uri)]).toEqual([uri, undefined]);
		}
	});
});

describe("a folder on disk", () => {
	test("lists its files and folders without links", async () => {
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

	test("that does not exist cannot be listed", async () => {
		await expect(files.list(uriOf("nothing"))).rejects.toThrow("ENOENT");
		await expect(files.list("untitled:a")).rejects.toThrow();
	});
});

describe("a link", () => {
	const resolve = (name: string) => files.resolve?.(uriOf(name));

	test("is followed, even in parent folders and for missing files", async () => {
		write("links/real/a.ts", "");
		symlinkSync("real", path.join(folder, "links/folder"));
		symlinkSync("real/a.ts", path.join(folder, "links/b.ts"));
		const real = pathToFileURL(realpathSync(path.join(folder, "links/real"))).href;
		expect(await resolve("links/real/a.ts")).toBe(`${real}/a.ts`);
		expect(await resolve("links/b.ts")).toBe(`${real}/a.ts`);
		expect(await resolve("links/folder/a.ts")).toBe(`${real}/a.ts`);
		expect(await resolve("links/folder/new/c d.ts")).toBe(`${real}/new/c%20d.ts`);
		expect(await files.resolve?.("untitled:a")).toBe("untitled:a");
	});

	test("that is dangling or cyclic, or on another machine, is an error", async () => {
		symlinkSync("nothing", path.join(folder, "links/broken"));
		symlinkSync("round", path.join(folder, "links/round"));
		await expect(resolve("links/broken")).rejects.toThrow();
		await expect(resolve("links/round")).rejects.toThrow();
		if (process.platform !== "win32") await expect(files.resolve?.("file://host/a.ts")).rejects.toThrow();
	});
});
