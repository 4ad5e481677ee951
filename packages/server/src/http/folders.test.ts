import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Home } from "@segue/testing/process/home";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Folders } from "./folders.js";
import { WebServer } from "./web-server.js";

const TOKEN = "a-token-that-nobody-guesses";

/** Opens a folder with these files. Next to it is another folder, which is not opened. */
async function opened(files: Readonly<Record<string, unknown>> = { "a.ts": "let a = 1\n" }) {
	const inProject = Object.entries(files).map(([name, content]) => [`project/${name}`, content]);
	const home = new Home({ ...Object.fromEntries(inProject), "home/other.txt": "of another folder" });
	const logged: string[] = [];
	const server = await WebServer.start({
		...{ host: "127.0.0.1", port: 0, token: TOKEN, version: "1.2.3", page: undefined },
		...{ folders: async () => new Folders(), log: (line: string) => logged.push(line), sockets: {} },
	});
	onTestFinished(async () => {
		await server.close();
		home[Symbol.dispose]();
	});
	const ask = (target: string, init: RequestInit = {}) => {
		const headers = { "x-segue-token": TOKEN, ...(init.headers as Record<string, string>) };
		return fetch(`http://127.0.0.1:${server.port}${target}`, { ...init, headers });
	};
	const open = async (folder: unknown) => ask("/folder", { method: "POST", body: JSON.stringify({ path: folder }) });
	const root = pathToFileURL(home.project).href;
	const file = (name: string, folder = root) => `/folder/file?${new URLSearchParams({ folder, path: name })}`;
	const put = (name: string, body: BodyInit, version?: string) =>
		ask(file(name), { method: "PUT", body, headers: version === undefined ? {} : { "if-match": version } });
	const first = await open(home.project);
	expect(first.status).toBe(200);
	return { home, server, logged, ask, open, file, put, root, listing: (await first.json()) as unknown };
}

describe("an opened folder", () => {
	test("lists its files except secrets, links and ignored files", async () => {
		const { listing, root, home, open } = await opened({
			"b.ts": "",
			"src/a.ts": "",
			".gitignore": "dist/\n*.log\n",
			"dist/out.js": "",
			"x.log": "",
			".env": "KEY=1",
			".git/config": "",
			id_rsa: "",
		});
		expect(listing).toEqual({ root, name: "project", files: [".gitignore", "b.ts", "src/a.ts"], isCut: false });
		symlinkSync(path.join(home.home, "other.txt"), path.join(home.project, "link.txt"));
		symlinkSync(home.home, path.join(home.project, "folder"));
		expect(await (await open(home.project)).json()).toEqual(listing);
	});

	test.each([
		[2000, false],
		[2001, true],
	])("lists its %i files up to a limit and reports whether there are more: %s", async (count, isCut) => {
		const names = Array.from({ length: count }, (_, i) => [`f${i}`, ""]);
		const listing = (await opened(Object.fromEntries(names))).listing as { files: string[] };
		expect(listing).toMatchObject({ isCut });
		expect(listing.files).toHaveLength(2000);
	});

	test("returns the exact text of a file", async () => {
		const text = "\ufeffdéjà\r\nvu 😀";
		const { ask, file } = await opened({ "a b&c.txt": text });
		const response = await ask(file("a b&c.txt"));
		expect(response.status).toBe(200);
		expect(Buffer.from(await response.arrayBuffer()).toString("utf8")).toBe(text);
		expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
		expect(response.headers.get("cache-control")).toBe("no-store");
	});

	test("responds with 304 while the client has the current version of a file", async () => {
		const { home, ask, file } = await opened();
		const version = (await ask(file("a.ts"))).headers.get("etag") ?? "";
		const headers = { "if-none-match": version };
		expect((await ask(file("a.ts"), { headers })).status).toBe(304);
		writeFileSync(path.join(home.project, "a.ts"), "let a = 2\n");
		const changed = await ask(file("a.ts"), { headers });
		expect([changed.status, await changed.text()]).toEqual([200, "let a = 2\n"]);
	});

	test("is not opened by a page unless the server was started with it", async () => {
		const { ask } = await opened();
		expect(await (await ask("/folder")).json()).toEqual({ path: null });
	});

	test("writes a file only if it has not changed since it was read", async () => {
		const { home, ask, file, put } = await opened();
		const onDisk = path.join(home.project, "a.ts");
		const version = (await ask(file("a.ts"))).headers.get("etag") ?? "";
		const written = await put("a.ts", "let a = 2\n", version);
		expect([written.status, readFileSync(onDisk, "utf8")]).toEqual([204, "let a = 2\n"]);
		expect((await put("a.ts", "let a = 3\n", version)).status).toBe(412);
		expect(readFileSync(onDisk, "utf8")).toBe("let a = 2\n");
		const next = written.headers.get("etag") ?? "";
		expect((await ask(file("a.ts"))).headers.get("etag")).toBe(next);
		expect((await put("a.ts", "let a = 4\n", next)).status).toBe(204);
		writeFileSync(onDisk, "let a = 5\n");
		expect((await put("a.ts", "let a = 6\n", next)).status).toBe(412);
		expect(readFileSync(onDisk, "utf8")).toBe("let a = 5\n");
	});

	test.each<[string, string, (version: string) => string | undefined, number]>([
		["its version", "a.ts", (version) => version, 204],
		["one of several versions", "a.ts", (version) => `"other", ${version}`, 204],
		["any version", "a.ts", () => "*", 204],
		["another version", "a.ts", () => '"other"', 412],
		["a weak version", "a.ts", (version) => `W/${version}`, 412],
		["no version", "a.ts", () => undefined, 428],
		["no version for a new file", "new/b.ts", () => undefined, 204],
		["any version for a new file", "b.ts", () => "*", 412],
		["a version for a new file", "b.ts", (version) => version, 412],
	])("handles a write with %s", async (_, name, versionOf, status) => {
		const { home, ask, file, put } = await opened();
		const version = (await ask(file("a.ts"))).headers.get("etag") ?? "";
		expect((await put(name, "new", versionOf(version))).status).toBe(status);
		const onDisk = path.join(home.project, name);
		const text = existsSync(onDisk) ? readFileSync(onDisk, "utf8") : undefined;
		expect(text).toBe(status === 204 ? "new" : name === "a.ts" ? "let a = 1\n" : undefined);
	});

	test("accepts only one of two concurrent writes", async () => {
		const { ask, file, put } = await opened();
		const version = (await ask(file("a.ts"))).headers.get("etag") ?? "";
		const writers = ["one", "two", "three", "four"];
		const statuses = await Promise.all(writers.map(async (text) => (await put("a.ts", text, version)).status));
		expect(statuses.sort()).toEqual([204, 412, 412, 412]);
	});

	const outside: [string, number][] = [
		["../home/other.txt", 403],
		["src/../../home/other.txt", 403],
		["..\\home\\other.txt", 403],
		["/etc/passwd", 403],
		["file:///etc/passwd", 403],
		["link.txt", 403],
		["folder/other.txt", 403],
		["nowhere", 403],
		["~/a", 403],
		["a\0.ts", 403],
		["", 403],
		[".env", 403],
		["to-env", 403],
		["ignored.log", 403],
		[".git/config", 403],
		[".GIT/config", 403],
		["src", 400],
		["x".repeat(5000), 403],
		["pipe\u202e.ts", 403],
	];

	test.each(outside)("does not read or write %j", async (name, status) => {
		const { home, ask, file, put, logged } = await opened({
			"src/a.ts": "",
			".env": "SECRET=1",
			".gitignore": "*.log\n",
			"ignored.log": "",
			".git/config": "",
		});
		const link = (target: string, from: string) => symlinkSync(target, path.join(home.project, from));
		link(path.join(home.home, "other.txt"), "link.txt");
		link(home.home, "folder");
		link(path.join(home.home, "nothing"), "nowhere");
		link(".env", "to-env");
		const read = await ask(file(name));
		expect(read.status).toBe(status);
		expect(await read.text()).not.toMatch(/of another folder|SECRET|root:/);
		expect((await put(name, "harm", "*")).status).toBe(status);
		expect((await put(name, "harm")).status).toBe(status);
		expect(readFileSync(path.join(home.home, "other.txt"), "utf8")).toBe("of another folder");
		expect(readdirSync(home.home)).toEqual(["other.txt"]);
		expect(readFileSync(path.join(home.project, ".env"), "utf8")).toBe("SECRET=1");
		expect(logged).toEqual([]);
	});

	test("is the only accessible folder", async () => {
		const { home, ask, file } = await opened();
		for (const folder of ["", "file:///", pathToFileURL(home.home).href, "constructor"]) {
			expect((await ask(file("other.txt", folder))).status).toBe(409);
		}
	});

	test.each<[string, unknown, number]>([
		["a relative path", "project", 400],
		["another user's home", "~other", 400],
		["nothing", "", 400],
		["a file", "FILE", 400],
		["a missing folder", "/nothing/at/all", 404],
		["an invalid path", "/a\0b", 404],
		["not text", 7, 400],
	])("cannot be %s", async (_, folder, status) => {
		const { home, open } = await opened();
		expect((await open(folder === "FILE" ? path.join(home.project, "a.ts") : folder)).status).toBe(status);
	});

	test.each(["~", "~/", "~/src"])("can start with a tilde: %s", async (typed) => {
		const { home, open } = await opened({ "src/a.ts": "" });
		vi.stubEnv("HOME", home.project);
		onTestFinished(() => void vi.unstubAllEnvs());
		const { root } = (await (await open(typed)).json()) as { root: string };
		expect(fileURLToPath(root)).toBe(path.join(home.project, typed === "~/src" ? "src" : ""));
	});

	test("reports that a file was changed or deleted since it was read", async () => {
		const { home, ask, file, put } = await opened();
		const version = (await ask(file("a.ts"))).headers.get("etag") ?? "";
		writeFileSync(path.join(home.project, "a.ts"), "let a = 2\n");
		expect(await (await put("a.ts", "let a = 3\n", version)).text()).toBe("a.ts has changed on disk. Open it again.");
		rmSync(path.join(home.project, "a.ts"));
		const refused = await put("a.ts", "let a = 3\n", version);
		expect([refused.status, await refused.text()]).toEqual([412, "a.ts no longer exists on disk."]);
	});

	test("reports a missing file", async () => {
		const { ask, file } = await opened();
		expect((await ask(file("none.ts"))).status).toBe(404);
	});
});

describe("a request for files", () => {
	test("gets an error if it is too large, whether or not it has a content length", async () => {
		const { ask, put } = await opened();
		const large = "x".repeat(9 * 2 ** 20);
		expect((await put("a.ts", large, "*")).status).toBe(413);
		expect((await ask("/folder", { method: "POST", body: large })).status).toBe(413);
		const stream = new ReadableStream({
			start: (controller) => {
				for (let i = 0; i < 9; i++) controller.enqueue(new Uint8Array(2 ** 20));
				controller.close();
			},
		});
		const init = { method: "POST", body: stream, duplex: "half" } as RequestInit;
		expect((await ask("/folder", init)).status).toBe(413);
		expect((await put("a.ts", "small", "*")).status).toBe(204);
	});

	test("is not logged and does not affect others if it is interrupted", async () => {
		const { server, logged, put } = await opened();
		const request = http.request({
			...{ host: "127.0.0.1", port: server.port, path: "/folder", method: "POST" },
			headers: { "x-segue-token": TOKEN, "content-length": 100 },
		});
		request.on("error", () => {});
		request.write("half");
		await new Promise((resolve) => request.once("socket", (socket) => socket.once("ready", resolve)));
		request.destroy();
		expect((await put("a.ts", "after", "*")).status).toBe(204);
		expect(logged).toEqual([]);
	});

	test.each<[string, BodyInit]>([
		["not JSON", "{"],
		["not an object", "null"],
		["not UTF-8", new Uint8Array([0xff])],
	])("gets an error if it is %s", async (_, body) => {
		const { ask } = await opened();
		expect((await ask("/folder", { method: "POST", body })).status).toBe(400);
	});

	test("writes nothing if its body is not text", async () => {
		const { home, put } = await opened();
		expect((await put("a.ts", new Uint8Array([0x61, 0xff]), "*")).status).toBe(400);
		expect(readFileSync(path.join(home.project, "a.ts"), "utf8")).toBe("let a = 1\n");
	});

	test("gets 404 for an unknown path", async () => {
		const { ask } = await opened();
		for (const [target, method] of [
			["/folder", "PUT"],
			["/folder/file", "DELETE"],
			["/folder/other", "GET"],
			["/sample", "PUT"],
		] as const) {
			expect((await ask(target, { method })).status).toBe(404);
		}
	});
});

describe("a sample", () => {
	const give = (name: string, ...files: { path: string; text: string }[]) => ({
		method: "POST",
		body: JSON.stringify({ name, files }),
	});

	test("is a temporary folder that is deleted with the server", async () => {
		const { server, ask, file } = await opened();
		const samples = [give("shop", { path: "src/a.ts", text: "let a\n" }), give("log", { path: "b.rs", text: "" })];
		const roots = await Promise.all(
			samples.map(async (sample) => ((await (await ask("/sample", sample)).json()) as { root: string }).root),
		);
		const [shop, log] = roots as [string, string];
		expect(path.dirname(fileURLToPath(shop))).toBe(path.dirname(fileURLToPath(log)));
		expect(readFileSync(new URL(`${shop}/src/a.ts`), "utf8")).toBe("let a\n");
		expect(await (await ask(file("src/a.ts", shop))).text()).toBe("let a\n");
		expect((await ask("/sample", give("shop", { path: "src/a.ts", text: "let b\n" }))).status).toBe(200);
		expect(await (await ask(file("src/a.ts", shop))).text()).toBe("let b\n");
		await server.close();
		expect(existsSync(path.dirname(fileURLToPath(shop)))).toBe(false);
	});

	test.each<[string, string, number]>([
		["../shop", "a.ts", 400],
		["", "a.ts", 400],
		["Shop", "a.ts", 400],
		["shop", "../a.ts", 403],
		["shop", "/etc/a.ts", 403],
		["shop", ".env", 403],
	])("is rejected if it has the name %j and the file %j", async (name, file, status) => {
		const { ask } = await opened();
		expect((await ask("/sample", give(name, { path: file, text: "harm" }))).status).toBe(status);
	});

	test("is rejected if there are too many", async () => {
		const { ask } = await opened();
		for (let i = 0; i < 32; i++) expect((await ask("/sample", give(`s${i}`))).status).toBe(200);
		expect((await ask("/sample", give("more"))).status).toBe(400);
		expect((await ask("/sample", give("s0"))).status).toBe(200);
	});
});
