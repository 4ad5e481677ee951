import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import * as acp from "@segue/protocol/acp";
import { Connection, LIMITS, overWebSocket, type Problem } from "@segue/rpc";
import { isAll } from "@segue/testing/setup/tier";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { serveAcp } from "../acp/acp-server.js";
import { StaticPage } from "./static-page.js";
import { WebServer } from "./web-server.js";

const TOKEN = "a-token-that-nobody-guesses";
const PROTOCOLS = ["segue.acp", `segue.token.${TOKEN}`];

let pageFolder: string;
beforeAll(() => {
	pageFolder = mkdtempSync(path.join(tmpdir(), "segue-page-"));
	writeFileSync(path.join(pageFolder, "index.html"), '<meta property="csp-nonce" content="{{nonce}}">');
	writeFileSync(path.join(pageFolder, "main.js"), "let a = 1;".repeat(100));
	writeFileSync(path.join(pageFolder, "notes.txt"), "not for the page");
});
afterAll(() => rmSync(pageFolder, { recursive: true }));

/** Starts a server on a free port, which is closed after the test. Also returns its log and problems. */
async function start(
	more: {
		page?: StaticPage | undefined;
		port?: number;
		reports?: Readonly<Record<string, () => Promise<unknown>>>;
		allowedOrigins?: readonly string[];
	} = {},
) {
	const logged: string[] = [];
	const problems: Problem[] = [];
	const sockets: WebSocket[] = [];
	const server = await WebServer.start({
		...{ host: "127.0.0.1", port: 0, token: TOKEN, version: "1.2.3", page: StaticPage.load(pageFolder) },
		...{ folders: undefined, log: (line: string) => logged.push(line), ...more },
		sockets: {
			"/acp": (socket, _query, nextTurn) => {
				sockets.push(socket);
				const report = (problem: Problem) => problems.push(problem);
				serveAcp(overWebSocket(socket, nextTurn), { version: "1.2.3", sync: "events", report, showsDocuments: true });
			},
		},
	});
	onTestFinished(() => server.close());
	return { server, port: server.port, logged, problems, sockets };
}

/** Sends a request with any headers. */
function ask(port: number, target: string, headers: http.OutgoingHttpHeaders = {}, method = "GET") {
	return new Promise<{ status: number; headers: http.IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
		const request = http.request(
			{ host: "127.0.0.1", port, path: target, method, headers, agent: false },
			(response) => {
				const chunks: Buffer[] = [];
				response.on("data", (chunk: Buffer) => chunks.push(chunk));
				response.on("end", () => {
					resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
				});
			},
		);
		request.on("error", reject);
		request.end();
	});
}

/** Opens a WebSocket and returns the HTTP status, which is 101 on success. */
function knock(port: number, headers: Record<string, string>, protocols = PROTOCOLS, target = "/acp"): Promise<number> {
	const socket = new WebSocket(`ws://127.0.0.1:${port}${target}`, protocols, { headers });
	return new Promise((resolve) => {
		socket.on("open", () => {
			socket.close();
			resolve(101);
		});
		socket.on("unexpected-response", (request, response) => {
			request.destroy();
			resolve(response.statusCode ?? 0);
		});
		socket.on("error", () => {});
	});
}

async function connect(port: number): Promise<WebSocket> {
	const socket = new WebSocket(`ws://127.0.0.1:${port}/acp`, PROTOCOLS);
	socket.on("error", () => {});
	await once(socket, "open");
	return socket;
}

/** Runs a session on a socket: renames a variable and returns the suggestions. */
async function suggestionOn(socket: WebSocket): Promise<unknown> {
	const client = new Connection<"client">(overWebSocket(socket), {
		dialect: acp.dialect,
		handlers: [],
		report: () => {},
	});
	await client.request(acp.initialize, {
		protocolVersion: 1,
		clientCapabilities: { positionEncodings: ["utf-16"] },
	});
	const { sessionId } = await client.request(acp.nesStart, {});
	const uri = "file:///a.ts";
	const text = "const cnt = 0\nlog(cnt)\n";
	client.notify(acp.didOpen, { sessionId, uri, languageId: "typescript", version: 1, text });
	const range = { start: { line: 0, character: 6 }, end: { line: 0, character: 9 } };
	client.notify(acp.didChange, { sessionId, uri, version: 2, contentChanges: [{ range, text: "count" }] });
	const position = { line: 0, character: 11 };
	const request = { sessionId, uri, version: 2, position, triggerKind: "automatic" };
	const { suggestions } = await client.request(acp.nesSuggest, request);
	client.close();
	return suggestions;
}

const RENAMED = [expect.objectContaining({ kind: "edit", edits: [expect.objectContaining({ newText: "count" })] })];

describe("segue serve access:", () => {
	const hosts: [string, (port: number) => Record<string, string>, number][] = [
		["allows its address", (port) => ({ host: `127.0.0.1:${port}` }), 200],
		["allows its host name", (port) => ({ host: `localhost:${port}` }), 200],
		["allows its host name in capitals", (port) => ({ host: `LOCALHOST:${port}` }), 200],
		["allows its IPv6 address", (port) => ({ host: `[::1]:${port}` }), 200],
		["allows its own page", (port) => ({ host: `localhost:${port}`, origin: `http://localhost:${port}` }), 200],
		["rejects a foreign host name (DNS rebinding)", (port) => ({ host: `evil.example:${port}` }), 403],
		["rejects a host name that only starts with its own", (port) => ({ host: `localhost.evil.example:${port}` }), 403],
		["rejects a host name with another port", () => ({ host: "127.0.0.1:1" }), 403],
		["rejects a host name without a port", () => ({ host: "127.0.0.1" }), 403],
		["rejects a foreign origin", (port) => ({ host: `127.0.0.1:${port}`, origin: "https://evil.example" }), 403],
		[
			"rejects an origin with another port",
			(port) => ({ host: `127.0.0.1:${port}`, origin: "http://127.0.0.1:1" }),
			403,
		],
		[
			"rejects an origin with another scheme",
			(port) => ({ host: `127.0.0.1:${port}`, origin: `https://127.0.0.1:${port}` }),
			403,
		],
		["rejects the origin null", (port) => ({ host: `127.0.0.1:${port}`, origin: "null" }), 403],
		[
			"rejects an origin with another of its host names",
			(port) => ({ host: `127.0.0.1:${port}`, origin: `http://localhost:${port}` }),
			403,
		],
	];

	test.each(hosts)("%s", async (_, headers, status) => {
		const { port, logged } = await start();
		expect((await ask(port, "/", headers(port))).status).toBe(status);
		expect((await ask(port, "/healthz", headers(port))).status).toBe(status);
		expect(await knock(port, headers(port))).toBe(status === 200 ? 101 : status);
		expect(logged).toHaveLength(status === 200 ? 0 : 3);
		for (const line of logged) expect(line).toMatch(/^refused GET \/(healthz|acp)? from .*: 403 /);
	});

	test.each<[string, string, string[], number]>([
		["allows a socket from", "https://editor.example", PROTOCOLS, 101],
		["rejects a socket without a token from", "https://editor.example", ["segue.acp"], 401],
		["rejects a socket from another port of", "https://editor.example:8443", PROTOCOLS, 403],
		["rejects a socket from another scheme of", "http://editor.example", PROTOCOLS, 403],
		["rejects a socket from a name that contains", "https://editor.example.evil.example", PROTOCOLS, 403],
		["rejects a socket from the origin null despite", "null", PROTOCOLS, 403],
	])("%s an allowed origin: %s", async (_, origin, protocols, status) => {
		const { port, logged } = await start({ allowedOrigins: ["https://other.example", "https://editor.example"] });
		expect(await knock(port, { origin }, protocols)).toBe(status);
		expect(logged).toHaveLength(status === 101 ? 0 : 1);
	});

	test("rejects HTTP requests and preflights from an allowed origin, which may only open sockets", async () => {
		const origin = "https://editor.example";
		const { port } = await start({ allowedOrigins: [origin] });
		const host = `127.0.0.1:${port}`;
		for (const method of ["GET", "OPTIONS", "POST"]) {
			for (const target of ["/", "/acp", "/folder"]) {
				const { status, headers } = await ask(port, target, { host, origin, "x-segue-token": TOKEN }, method);
				expect([status, headers["access-control-allow-origin"]]).toEqual([403, undefined]);
			}
		}
	});

	test.each<[string, string[], number]>([
		["allows a socket with the token", PROTOCOLS, 101],
		["rejects a socket without a token", ["segue.acp"], 401],
		["rejects a socket without any protocol", [], 401],
		["rejects a socket with a wrong token", ["segue.acp", "segue.token.another-token-than-this-is"], 401],
		["rejects a socket with part of the token", ["segue.acp", `segue.token.${TOKEN.slice(0, -1)}`], 401],
		["rejects a socket with more than the token", ["segue.acp", `segue.token.${TOKEN}x`], 401],
		["rejects a socket with an empty token", ["segue.acp", "segue.token."], 401],
	])("%s", async (_, protocols, status) => {
		const { port, logged } = await start();
		expect(await knock(port, {}, protocols)).toBe(status);
		expect(logged.join()).not.toContain(TOKEN.slice(0, -1));
		expect(logged).toHaveLength(status === 101 ? 0 : 1);
	});

	test.each<[string, Record<string, string>, number]>([
		["without a token", {}, 401],
		["with a wrong token", { "x-segue-token": "another-token-than-this-is" }, 401],
		["from a foreign origin, even with the token", { "x-segue-token": TOKEN, origin: "https://evil.example" }, 403],
		["with a foreign host name, even with the token", { "x-segue-token": TOKEN, host: "evil.example" }, 403],
	])("rejects file requests %s", async (_, headers, status) => {
		const { port, logged } = await start();
		for (const method of ["GET", "PUT", "POST", "OPTIONS"]) {
			expect((await ask(port, "/folder/file?path=a", headers, method)).status).toBe(status);
		}
		expect(logged).toHaveLength(4);
	});

	test("rejects an unknown socket", async () => {
		const { port } = await start();
		expect(await knock(port, {}, PROTOCOLS, "/trace")).toBe(404);
		expect(await knock(port, {}, PROTOCOLS, "/constructor")).toBe(404);
	});
});

test("segue serve returns statistics to clients with the token, and reports errors", async () => {
	const { port, logged } = await start({ reports: { "/stats": async () => ({ shown: 3 }) } });
	const headers = { "x-segue-token": TOKEN };
	const { status, body } = await ask(port, "/stats", headers);
	expect([status, JSON.parse(body.toString())]).toEqual([200, { shown: 3 }]);
	expect((await ask(port, "/stats")).status).toBe(401);
	expect((await ask(port, "/stats", headers, "POST")).status).toBe(405);
	expect(logged).toHaveLength(1);

	const failing = await start({ reports: { "/stats": () => Promise.reject(new Error("the disk is gone")) } });
	expect((await ask(failing.port, "/stats", headers)).status).toBe(500);
	expect(failing.logged).toEqual(["GET /stats failed: the disk is gone"]);
	expect((await ask((await start()).port, "/stats", headers)).status).toBe(404);
});

test("segue serve limits and sanitizes log lines about refused requests", async () => {
	const { port, logged } = await start();
	await ask(port, "/", { origin: "\u009b31mred" });
	expect(logged[0]).toContain("\\u{9b}31mred");
	for (let i = 0; i < 120; i++) await ask(port, "/", { host: "evil.example" });
	expect(logged).toHaveLength(101);
	expect(logged.at(-1)).toContain("are not logged");
});

describe("the page of segue serve", () => {
	test("has a policy that allows only its own files", async () => {
		const { port } = await start();
		const first = await ask(port, "/");
		const second = await ask(port, "/index.html");
		const nonceOf = ({ body }: typeof first) => /content="([^"]{20,})"/.exec(body.toString())?.[1];
		expect(first.status).toBe(200);
		expect(first.headers).toMatchObject({
			"content-type": "text/html; charset=utf-8",
			"cache-control": "no-store",
			"x-content-type-options": "nosniff",
			"referrer-policy": "no-referrer",
			"cross-origin-opener-policy": "same-origin",
			"cross-origin-resource-policy": "same-origin",
		});
		expect(first.headers["access-control-allow-origin"]).toBeUndefined();
		expect(String(first.headers["content-security-policy"]).split("; ")).toEqual([
			"default-src 'none'",
			"script-src 'self'",
			`style-src 'self' 'nonce-${nonceOf(first)}'`,
			`connect-src 'self' ws://127.0.0.1:${port}`,
			"worker-src 'self'",
			"img-src 'self' data:",
			"base-uri 'none'",
			"form-action 'none'",
			"frame-ancestors 'none'",
		]);
		expect(nonceOf(second)).not.toBe(nonceOf(first));
	});

	test("loads scripts, which have the same policy and are compressed if the client supports compression", async () => {
		const { port } = await start();
		const plain = await ask(port, "/main.js");
		const zipped = await ask(port, "/main.js", { "accept-encoding": "gzip, br" });
		expect(plain.headers).toMatchObject({
			"content-type": "text/javascript; charset=utf-8",
			"cache-control": "no-cache",
		});
		expect(plain.headers["content-security-policy"]).toContain("default-src 'none'");
		expect(zipped.headers["content-encoding"]).toBe("gzip");
		expect(gunzipSync(zipped.body)).toEqual(plain.body);
	});

	test.each([
		["/notes.txt"],
		["/../package.json"],
		["/..%2f..%2fpackage.json"],
		["/%2e%2e/%2e%2e/etc/passwd"],
		["//etc/passwd"],
		["/constructor"],
		["http://[bad"],
	])("has no file at %s", async (target) => {
		const { port } = await start();
		const { status, body } = await ask(port, target);
		// An invalid path is treated as the root.
		expect(status).toBe(target === "http://[bad" ? 200 : 404);
		expect(body.toString()).not.toMatch(/not for the page|root:/);
	});

	test("is read-only", async () => {
		const { port } = await start();
		expect(await ask(port, "/", {}, "POST")).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
		expect(await ask(port, "/", {}, "HEAD")).toMatchObject({ status: 200, body: Buffer.alloc(0) });
	});

	test("is missing if it was not built, and the health check still works", async () => {
		const { port } = await start({ page: undefined });
		expect((await ask(port, "/")).status).toBe(404);
		const { headers, body } = await ask(port, "/healthz");
		expect(headers["content-type"]).toBe("application/json");
		expect(JSON.parse(body.toString())).toEqual({ status: "ok", version: "1.2.3" });
	});
});

describe("a connection of segue serve", () => {
	test("gets suggestions", async () => {
		const { port } = await start();
		const socket = await connect(port);
		expect(socket.protocol).toBe("segue.acp");
		expect(await suggestionOn(socket)).toEqual(RENAMED);
	});

	test.each<[string, (port: number) => Promise<unknown>]>([
		["sends garbage", async (port) => (await connect(port)).send("garbage".repeat(1000))],
		["sends bytes", async (port) => (await connect(port)).send(Buffer.alloc(1000))],
		["dies", async (port) => (await connect(port)).terminate()],
		["violates the WebSocket protocol", async (port) => (await rawSocket(port)).write(Buffer.alloc(100, 0xff))],
		["disconnects within a frame", async (port) => (await rawSocket(port)).end(Buffer.from([0x81, 0xfe, 1]))],
		[
			"sends a message that is too large",
			async (port) => {
				const socket = await connect(port);
				socket.send("x".repeat(LIMITS.messageBytesMax + 1));
				expect(await once(socket, "close")).toEqual([1009, expect.anything()]);
			},
		],
	])("does not affect others if it %s", async (_, harm) => {
		const { port } = await start();
		const good = await connect(port);
		await harm(port);
		expect(await suggestionOn(good)).toEqual(RENAMED);
		expect(await suggestionOn(await connect(port))).toEqual(RENAMED);
	});

	test("does not affect others if it sends an invalid frame in several chunks", async () => {
		const escaped: Error[] = [];
		const note = (error: Error) => escaped.push(error);
		process.on("uncaughtExceptionMonitor", note);
		onTestFinished(() => void process.off("uncaughtExceptionMonitor", note));
		const { port, sockets } = await start();
		const good = await connect(port);
		await rawSocket(port);
		const served = sockets[1] as WebSocket;
		const failed = new Promise((resolve) => served.once("error", resolve));
		// All chunks arrive in one turn of the event loop, as on a busy server.
		const { _socket: stream } = served as unknown as { _socket: net.Socket };
		const notUtf8 = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff]);
		const valid = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x7b, 0x7d]);
		for (const chunk of [valid, notUtf8, valid]) stream.emit("data", chunk);
		expect(await failed).toMatchObject({ code: "WS_ERR_INVALID_UTF8" });
		expect(await suggestionOn(good)).toEqual(RENAMED);
		expect(escaped).toEqual([]);
	});

	test("is the only connection that is dropped if its input makes the parser throw", async () => {
		const { server, port, sockets, logged } = await start();
		const good = await connect(port);
		const bad = await connect(port);
		const [, served] = sockets as [WebSocket, WebSocket];
		const { _receiver: receiver, _socket: stream } = served as unknown as {
			_receiver: { write: () => void };
			_socket: net.Socket;
		};
		receiver.write = () => {
			throw new TypeError("inside ws");
		};
		const closed = once(bad, "close");
		// An exception in this event becomes an uncaught exception, which the test runner would handle itself.
		expect(() => stream.emit("data", Buffer.from("x"))).toThrow("inside ws");
		server.recover(new TypeError("inside ws"));
		await closed;
		expect(logged).toEqual([
			expect.stringMatching(/^a connection was closed after an internal error: TypeError: inside ws/),
		]);
		expect(await suggestionOn(good)).toEqual(RENAMED);
	});

	test("cannot starve others by flooding the server with messages", async () => {
		const { port } = await start();
		const good = await connect(port);
		const bad = await connect(port);
		const floods = 20_000;
		let answers = 0;
		bad.on("message", () => answers++);
		for (let i = 0; i < floods; i++) bad.send(i % 2 === 0 ? "garbage" : `{"jsonrpc":"2.0","id":${i},"method":"none"}`);
		await new Promise((resolve) => bad.once("message", resolve));
		expect(await suggestionOn(good)).toEqual(RENAMED);
		expect(answers).toBeLessThan(floods);
		bad.terminate();
	});

	test.runIf(isAll)("is dropped if it stops reading", async () => {
		const { port, sockets } = await start();
		const good = await connect(port);
		const socket = await connect(port);
		const served = sockets[1] as WebSocket;
		const write = (message: object) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
		write({ id: 0, method: "initialize", params: { protocolVersion: 1 } });
		await once(socket, "message");
		write({ id: 1, method: "nes/start", params: {} });
		const [started] = await once(socket, "message");
		const { sessionId } = JSON.parse(String(started)).result;
		const text = "const a = 1\n".repeat(2 ** 18);
		const document = { sessionId, uri: "file:///a.ts", languageId: "typescript", version: 1, text };
		write({ method: "document/didOpen", params: document });
		socket.pause();
		const dropped = once(served, "close");
		for (let id = 2; id < 60; id++) write({ id, method: "_segue/documents", params: { sessionId } });
		await dropped;
		expect(await suggestionOn(good)).toEqual(RENAMED);
		socket.terminate();
	});

	test("is served despite many idle connections without the token, whose number is limited", async () => {
		const { server, port } = await start();
		const connections = () =>
			new Promise<number>((resolve) => {
				const { http } = server as unknown as { http: http.Server };
				http.getConnections((_error, count) => resolve(count));
			});
		const silent = Array.from({ length: 70 }, () => net.connect(port, "127.0.0.1").on("error", () => {}));
		onTestFinished(() => {
			for (const each of silent) each.destroy();
		});
		await Promise.all(silent.map((each) => once(each, "connect")));
		const good = await connect(port);
		expect(await suggestionOn(good)).toEqual(RENAMED);
		// Node closes idle connections as well, but only after half a minute.
		await expect.poll(connections, { timeout: 25_000 }).toBeOneOf([63 + 1, 64 + 1]);
		good.terminate();
	});

	test("is refused at the limit until another connection closes", async () => {
		const { port, sockets } = await start();
		const first = await connect(port);
		const others = await Promise.all(Array.from({ length: 63 }, () => connect(port)));
		expect(await knock(port, {})).toBe(503);
		const gone = once(sockets[0] as WebSocket, "close");
		first.close();
		await gone;
		expect(await suggestionOn(await connect(port))).toEqual(RENAMED);
		for (const other of others) other.terminate();
	});
});

describe("segue serve closes immediately", () => {
	test.each<[string, (port: number) => Promise<unknown>]>([
		["with connections", connect],
		["with a connection that does not read", async (port) => (await connect(port)).pause()],
		["with a refused connection that stays open", (port) => refusedSocket(port)],
		["with an unfinished request", (port) => unfinished(port)],
	])("%s", async (_, open) => {
		const { server, port } = await start();
		await open(port);
		await server.close();
		await expect(ask(port, "/")).rejects.toThrow("ECONNREFUSED");
	});
});

test("segue serve logs that a port is in use and tries the next one", async () => {
	const { port } = await start();
	const { port: next, logged } = await start({ port });
	expect(next).toBeGreaterThan(port);
	expect(logged[0]).toBe(`Port ${port} is in use; trying ${port + 1}.`);
});

/** Opens a raw WebSocket that can send arbitrary frames. */
async function rawSocket(port: number): Promise<net.Socket> {
	const socket = net.connect(port, "127.0.0.1");
	socket.write(
		[
			"GET /acp HTTP/1.1",
			`Host: 127.0.0.1:${port}`,
			"Upgrade: websocket",
			"Connection: Upgrade",
			"Sec-WebSocket-Version: 13",
			"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
			`Sec-WebSocket-Protocol: ${PROTOCOLS.join(", ")}`,
			"\r\n",
		].join("\r\n"),
	);
	const [answer] = await once(socket, "data");
	expect(String(answer)).toMatch(/^HTTP\/1.1 101/);
	socket.on("error", () => {});
	return socket;
}

async function refusedSocket(port: number): Promise<void> {
	const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
	socket.write(
		`GET /acp HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
	);
	const [answer] = await once(socket, "data");
	expect(String(answer)).toMatch(/^HTTP\/1.1 403/);
}

async function unfinished(port: number): Promise<void> {
	const socket = net.connect(port, "127.0.0.1");
	await once(socket, "connect");
	socket.on("error", () => {});
	socket.write(`POST /folder HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 100\r\n\r\nhalf`);
	await once(socket, "data");
}
