import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createNetServer } from "node:net";
import path from "node:path";
import { createMcpHandler, McpServer as Server } from "@modelcontextprotocol/server";
import { McpInMemory } from "@segue/testing/agents/mcp-in-memory";
import { ChatFixture, calls, never, says } from "@segue/testing/chat/chat-fixture";
import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import { deferred } from "@segue/testing/rpc/peers";
import { isAll, WAIT } from "@segue/testing/setup/tier";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import manifest from "../../package.json" with { type: "json" };
import type { McpServer } from "./server.js";
import { McpServers } from "./servers.js";

/** A small stdio server that returns its process id, echoes, and hangs until it is cancelled. */
const PROGRAM = `
import { McpServer } from ${JSON.stringify(import.meta.resolve("@modelcontextprotocol/server"))};
import { serveStdio } from ${JSON.stringify(import.meta.resolve("@modelcontextprotocol/server/stdio"))};
import { z } from ${JSON.stringify(import.meta.resolve("zod"))};
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
// Starts a child process like a launcher; the child keeps a connection open while it lives.
// Serves only once the child has connected, so that the test sees the child even if it is killed early.
const { LINE } = process.env;
const CONNECT = "require('net').connect(process.argv[1], '127.0.0.1', () => console.log('connected')).resume()";
if (LINE) await once(spawn(process.execPath, ["-e", CONNECT, LINE], { stdio: ["ignore", "pipe", "ignore"] }).stdout, "data");
serveStdio(() => {
	const server = new McpServer({ name: "test", version: "1.0.0" });
	server.registerTool("say again", { description: "Says it again.", inputSchema: z.object({ text: z.string() }) }, async ({ text }) => ({
		content: [{ type: "text", text: text + " " + process.cwd() + " " + (process.env.GIVEN ?? "") + (process.env.SEGUE_API_KEY ?? "") }],
	}));
	server.registerTool("pid", {}, async () => ({ content: [{ type: "text", text: String(process.pid) }] }));
	server.registerTool("quote", {}, async () => { throw new Error(process.argv.at(-1) + " is wrong"); });
	server.registerTool("die", {}, async () => process.exit(1));
	server.registerTool("hang", {}, (extra) => new Promise((resolve) => {
		writeFileSync("hanging", "");
		extra.mcpReq.signal.addEventListener("abort", () => writeFileSync("cancelled", ""));
	}));
	return server;
});
`;

const PROCESS: McpServer = {
	name: "local",
	type: "stdio",
	command: process.execPath,
	args: ["--input-type=module", "-e", PROGRAM],
	env: { GIVEN: "given" },
};

/** The same server in memory, with the number of the instance instead of the process id. */
function inMemory(): McpInMemory {
	return new McpInMemory(({ args, folder, instance, exit }) => {
		const server = new Server({ name: "test", version: "1.0.0" });
		server.registerTool("pid", {}, async () => ({ content: [{ type: "text", text: String(instance) }] }));
		server.registerTool("quote", {}, async () => {
			throw new Error(`${args.at(-1)} is wrong`);
		});
		server.registerTool("die", {}, async () => {
			await exit();
			return { content: [] };
		});
		server.registerTool("hang", {}, (extra) => {
			writeFileSync(path.join(folder, "hanging"), "");
			extra.mcpReq.signal.addEventListener("abort", () => writeFileSync(path.join(folder, "cancelled"), ""));
			return never();
		});
		return server;
	});
}

/** A local HTTP server whose tools return other kinds of results. */
async function startHttp(): Promise<{ server: McpServer; headers: (string | undefined)[] }> {
	const handler = createMcpHandler(() => {
		const server = new Server({ name: "web", version: "1.0.0" });
		server.registerTool("mixed", { inputSchema: z.object({}) }, async () => ({
			content: [
				{ type: "text", text: "a text" },
				{ type: "image", mimeType: "image/png", data: "AAAA" },
				{ type: "resource", resource: { uri: "doc://one", text: "a document" } },
				{ type: "resource_link", uri: "doc://two", name: "two" },
			],
		}));
		for (const name of ["a.b", "a_b", "x".repeat(80), `${"x".repeat(80)}y`]) {
			server.registerTool(name, {}, async () => ({ content: [{ type: "text", text: name }] }));
		}
		server.registerTool("long", {}, async () => ({ content: [{ type: "text", text: "x".repeat(60_000) }] }));
		server.registerTool("wrong", {}, async () => ({
			isError: true,
			content: [{ type: "text", text: "That is wrong." }],
		}));
		return server;
	});
	const headers: (string | undefined)[] = [];
	const http = createServer(async (request, response) => {
		headers.push(request.headers["x-key"] as string | undefined);
		const body = Buffer.concat(await request.toArray());
		const answer = await handler.fetch(
			new Request(`http://127.0.0.1${request.url}`, {
				method: request.method ?? "GET",
				headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
				...(body.length === 0 ? {} : { body }),
			}),
		);
		response.writeHead(answer.status, Object.fromEntries(answer.headers));
		response.end(Buffer.from(await answer.arrayBuffer()));
	});
	http.listen(0, "127.0.0.1");
	await once(http, "listening");
	onTestFinished(() => {
		http.closeAllConnections();
		http.close();
	});
	const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
	return { server: { name: "web", type: "http", url, headers: { "x-key": "secret-key" } }, headers };
}

const outputs = async (chat: ChatFixture) => {
	return (await chat.entries()).flatMap(({ body }) => (body.type === "call" ? [body.call.output] : []));
};

test("offers the tools from a stdio server and asks before calling them", async () => {
	const chat = await ChatFixture.begin({
		mcpServers: [PROCESS],
		answers: [calls(["local__say_again", { text: "hi" }]), says("Done.")],
	});
	process.env["SEGUE_API_KEY"] = "a key that servers must not get";
	onTestFinished(() => {
		delete process.env["SEGUE_API_KEY"];
	});
	expect(await chat.prompt("Say it")).toBe("done");
	expect(chat.model.requests[0]?.tools.find((tool) => tool.name === "local__say_again")).toMatchObject({
		description: "Says it again.",
		schema: { properties: { text: { type: "string" } } },
	});
	expect(await chat.lines()).toContain("approval: mcp local/say again: once by person");
	expect(await outputs(chat)).toEqual([`hi ${chat.tools.root} given`]);
});

test("makes invisible characters visible in a tool's title", async () => {
	const { start } = new McpInMemory(() => {
		const server = new Server({ name: "test", version: "1.0.0" });
		server.registerTool("ask", { title: "Ask\u200b now" }, async () => ({ content: [] }));
		return server;
	});
	const conditions = { mcpServers: [PROCESS], startMcpServer: start, answers: [calls(["local__ask", {}])] };
	const chat = await ChatFixture.begin(conditions);
	await chat.prompt("Ask");
	expect(chat.questions).toMatchObject([{ call: { title: "local: Ask⟨U+200B⟩ now" } }]);
});

test.runIf(isAll)("starts a process once, restarts it after it exits, and kills it with its children", async () => {
	const ended: Promise<unknown>[] = [];
	const lines = createNetServer((socket) => ended.push(once(socket.resume(), "close"))).listen(0, "127.0.0.1");
	onTestFinished(() => void lines.close());
	await once(lines, "listening");
	const env = { LINE: String((lines.address() as AddressInfo).port) };
	const names = ["local__pid", "local__pid", "local__die"];
	const chat = await ChatFixture.begin({
		mcpServers: [{ ...PROCESS, env }],
		rules: [{ kind: "mcp", pattern: "local/*", answer: "allow" }],
		answers: [...names.map((name) => calls([name, {}])), [], calls(["local__pid", {}])],
	});
	await chat.prompt("Go");
	await chat.prompt("Again");
	expect(chat.questions).toEqual([]);
	const [first, second, died, third] = await outputs(chat);
	expect(second).toBe(first);
	expect(died).toMatch(/closed/i);
	expect(third).not.toBe(first);
	await expect.poll(() => ended.length).toBe(2);
	await chat.assist.close();
	await Promise.all(ended);
});

test("starts a server once and restarts it after it exits", async () => {
	const { start, running } = inMemory();
	const names = ["local__pid", "local__pid", "local__die"];
	const chat = await ChatFixture.begin({
		mcpServers: [PROCESS],
		startMcpServer: start,
		rules: [{ kind: "mcp", pattern: "local/*", answer: "allow" }],
		answers: [...names.map((name) => calls([name, {}])), [], calls(["local__pid", {}])],
	});
	await chat.prompt("Go");
	await chat.prompt("Again");
	expect(chat.questions).toEqual([]);
	expect(await outputs(chat)).toEqual(["0", "0", expect.stringMatching(/closed/i), "1"]);
	await chat.assist.close();
	expect(running).toEqual([false, false]);
});

test("passes on a cancellation to the server", async () => {
	const chat = await ChatFixture.begin({
		mcpServers: [PROCESS],
		startMcpServer: inMemory().start,
		answers: [calls(["local__hang", {}])],
	});
	const ended = chat.prompt("Hang");
	await expect.poll(() => chat.tools.text("hanging").catch(() => undefined)).toBe("");
	chat.turn.abort();
	expect(await ended).toBe("cancelled");
	await expect.poll(() => chat.tools.text("cancelled").catch(() => undefined)).toBe("");
});

test("offers the tools from an HTTP server and converts all kinds of results to text", async () => {
	const { server, headers } = await startHttp();
	const names = ["web__mixed", "web__long", "web__wrong"].map((name) => [name, {}] as const);
	const chat = await ChatFixture.begin({ answers: [calls(...names), says("Done.")] });
	await chat.prompt("Go", { mcpServers: [server] });
	const [mixed, long, wrong] = await outputs(chat);
	expect(mixed).toBe("a text\n(image, image/png, which cannot be shown here)\ndoc://one:\na document\ntwo: doc://two");
	expect(long).toMatch(/x\n\(truncated: 10000 of 60000 characters omitted\)$/);
	expect(wrong).toBe("That is wrong.");
	expect((await chat.lines())[3]).toMatch(/^failed: web: wrong/);
	expect(new Set(headers)).toEqual(new Set(["secret-key"]));
});

for (const { title, server, why } of [
	{ title: "does not exist", server: { ...PROCESS, command: "no-such-program" }, why: /did not start: .*ENOENT/ },
	{ title: "exits immediately", server: { ...PROCESS, args: ["-e", "process.exit(1)"] }, why: /did not start: / },
	{
		title: "has an invalid key in its URL",
		server: { name: "web", type: "http", url: "http://secret-name@127.0.0.1:9/mcp", headers: {} },
		why: /did not start: (?!.*secret-name)/,
	},
	{
		title: "cannot be reached",
		server: { name: "web", type: "http", url: "http://127.0.0.1:9/mcp", headers: {} },
		why: /The MCP server web did not start: /,
	},
] as const) {
	test(`continues without a server that ${title} and tells the user`, async () => {
		const chat = await ChatFixture.begin({ mcpServers: [server], answers: [says("Done.")] });
		expect(await chat.prompt("Go")).toBe("done");
		const lines = await chat.lines();
		expect(lines.slice(1)).toEqual([expect.stringMatching(why), "text: Done.", "end: done"]);
	});
}

test("gives tools unique names that every provider accepts", async () => {
	const { server } = await startHttp();
	const chat = await ChatFixture.begin({ mcpServers: [server] });
	chat.model.stream = async function* (request) {
		const names = request.tools.map((tool) => tool.name).filter((name) => name.startsWith("web__"));
		if (request.messages.length === 1) yield* calls(...names.map((name) => [name, {}] as const));
		yield { type: "end", reason: "done" };
		for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
	};
	await chat.prompt("Go");
	const results = await outputs(chat);
	for (const name of ["a.b", "a_b", "x".repeat(80), `${"x".repeat(80)}y`]) expect(results).toContain(name);
});

/**
 * Starts an HTTP server with a response for each method. There are keys in a header, after a scheme, and in the URL.
 */
async function startQuoting(answers: Record<string, unknown>): Promise<McpServer> {
	const http = createServer(async (request, response) => {
		const body = String(Buffer.concat(await request.toArray()));
		const { method, id, params } = body === "" ? {} : JSON.parse(body);
		const result = answers[method];
		if (method === "initialize") expect(params.clientInfo.version).toBe(manifest.version);
		if (id === undefined) response.writeHead(request.method === "POST" ? 202 : 405).end();
		else if (result === undefined) {
			response
				.writeHead(400)
				.end(`${request.headers.authorization?.slice("Bearer ".length)} at ${request.url} is wrong`);
		} else {
			response.writeHead(200, { "content-type": "application/json" });
			response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
		}
	});
	http.listen(0, "127.0.0.1");
	await once(http, "listening");
	onTestFinished(() => {
		http.closeAllConnections();
		http.close();
	});
	const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp?key=secret-query`;
	return { name: "web", type: "http", url, headers: { authorization: "Bearer secret-header" } };
}

const INITIALIZED = {
	protocolVersion: "2025-06-18",
	capabilities: { tools: {} },
	serverInfo: { name: "web", version: "1" },
};
const LISTED = { tools: [{ name: "t", inputSchema: { type: "object" } }] };
const WRONG = { isError: true, content: [{ type: "text", text: "secret-header at /mcp?key=secret-query is wrong" }] };

for (const { title, answers } of [
	{ title: "when it starts", answers: {} },
	{ title: "when it is called", answers: { initialize: INITIALIZED, "tools/list": LISTED } },
	{
		title: "as the result of a call",
		answers: { initialize: INITIALIZED, "tools/list": LISTED, "tools/call": WRONG },
	},
]) {
	test(`masks a key that a server quotes in an error ${title}`, async () => {
		const server = await startQuoting(answers);
		const chat = await ChatFixture.begin({ mcpServers: [server], answers: [calls(["web__t", {}])] });
		await chat.prompt("Go");
		expect((await chat.lines())[1]).toMatch(/\*\*\* at \/mcp\?key=\*\*\* is wrong/);
		expect(JSON.stringify([await chat.entries(), chat.model.requests])).not.toMatch(/secret-(?:header|query)/);
	});
}

test("ends a server when all threads that used it are released", async () => {
	const answers = Array.from({ length: 4 }, () => [calls(["local__pid", {}]), says("Done.")]).flat();
	const { start, running } = inMemory();
	const chat = await ChatFixture.begin({ answers, startMcpServer: start });
	const first = chat.thread;
	const second = await chat.assist.create(first.workspace);
	const pidIn = async (thread: typeof first) => {
		chat.thread = thread;
		await chat.prompt("Go", { mcpServers: [PROCESS] });
		return Number((await outputs(chat)).at(-1));
	};
	const pid = await pidIn(first);
	expect(await pidIn(second)).toBe(pid);
	await chat.assist.release(first.id);
	expect(await pidIn(second)).toBe(pid);
	await chat.assist.release(second.id);
	await expect.poll(() => running).toEqual([false]);
	expect(await pidIn(first)).not.toBe(pid);
});

test("masks a key in a server's arguments", async () => {
	const server = { ...PROCESS, args: [...PROCESS.args, "key=secret-argument"] };
	const chat = await ChatFixture.begin({
		mcpServers: [server],
		startMcpServer: inMemory().start,
		answers: [calls(["local__quote", {}])],
	});
	await chat.prompt("Go");
	expect(await outputs(chat)).toEqual(["key=*** is wrong"]);
});

test("does not start servers once it is closed", async () => {
	const { root } = await ToolFixture.draw({});
	const servers = new McpServers(WAIT.timeout);
	const marking = { ...PROCESS, args: ["-e", "require('fs').writeFileSync('started', '')"] };
	const starting = servers.toolsOf([marking], { id: "1", workspace: root }, new AbortController().signal);
	await servers.close();
	expect((await starting).problems).toEqual(["The MCP server local did not start: the engine was closed"]);
	expect(await readdir(root)).toEqual([]);
});

test("does not request tools from a server without tools, and prints nothing", async () => {
	const debug = vi.spyOn(console, "debug");
	const server = await startQuoting({ initialize: { ...INITIALIZED, capabilities: {} } });
	const chat = await ChatFixture.begin({ mcpServers: [server], answers: [says("Done.")] });
	await chat.prompt("Go");
	expect(await chat.lines()).toEqual(["prompt: Go", "text: Done.", "end: done"]);
	expect(debug).not.toHaveBeenCalled();
});

test("asks again for a tool from another server with the same name", async () => {
	const answers = [1, 2, 3].flatMap(() => [calls(["local__pid", {}]), says("Done.")]);
	const chat = await ChatFixture.begin({ answers, startMcpServer: inMemory().start, approve: async () => "always" });
	const other = { ...PROCESS, args: [...PROCESS.args, "other"] };
	for (const server of [PROCESS, PROCESS, other]) await chat.prompt("Go", { mcpServers: [server] });
	const approvals = (await chat.lines()).filter((line) => line.startsWith("approval"));
	expect(approvals.map((line) => line.replace(/.* by /, ""))).toEqual(["person", "rule", "person"]);
});

test("times out if a server does not respond, and ends it", async () => {
	const { root } = await ToolFixture.draw({});
	const servers = new McpServers(1);
	const silent = { ...PROCESS, args: ["-e", "console.log('no JSON'); setInterval(() => {}, 1000)"] };
	const { tools, problems } = await servers.toolsOf(
		[silent],
		{ id: "1", workspace: root },
		new AbortController().signal,
	);
	expect(tools).toEqual([]);
	expect(problems).toEqual([expect.stringMatching(/^The MCP server local did not start: .*timed out/)]);
	await servers.close();
});

test("can be cancelled while a server starts", async () => {
	const requested = deferred();
	const http = createServer(() => requested.open()).listen(0, "127.0.0.1");
	await once(http, "listening");
	onTestFinished(() => {
		http.closeAllConnections();
		http.close();
	});
	const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
	const chat = await ChatFixture.begin({ mcpServers: [{ name: "slow", type: "http", url, headers: {} }] });
	const ended = chat.prompt("Go");
	await requested.opened;
	chat.turn.abort();
	expect(await ended).toBe("cancelled");
});

test("offers MCP tools only in edit mode", async () => {
	const chat = await ChatFixture.begin({ mcpServers: [PROCESS] });
	await chat.prompt("Explain", { mode: "ask" });
	expect(chat.model.requests[0]?.tools.map((tool) => tool.name).filter((name) => name.startsWith("local"))).toEqual([]);
});
