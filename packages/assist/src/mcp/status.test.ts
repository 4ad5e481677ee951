import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer as Server } from "@modelcontextprotocol/server";
import { McpInMemory, type McpSetting } from "@segue/testing/agents/mcp-in-memory";
import { ChatFixture, calls } from "@segue/testing/chat/chat-fixture";
import { deferred } from "@segue/testing/rpc/peers";
import { expect, onTestFinished, test } from "vitest";
import type { McpServer } from "./server.js";
import type { ServerState } from "./status.js";

/** A server with one tool that adds another tool and one that exits. */
function grows({ exit }: McpSetting): Server {
	const server = new Server({ name: "test", version: "1.0.0" });
	const done = async () => ({ content: [{ type: "text" as const, text: "done" }] });
	server.registerTool("grow", { description: "Grows." }, () => {
		server.registerTool("grown", {}, done);
		return done();
	});
	server.registerTool("die", {}, async () => {
		await exit();
		return done();
	});
	return server;
}

const PROCESS: McpServer = {
	name: "local",
	type: "stdio",
	command: "grows",
	args: [],
	env: { KEY: "secret-value" },
};

/** A chat with one server, and the states that a listener received. */
async function watched(server: McpServer = PROCESS, answers: ReturnType<typeof calls>[] = []) {
	const chat = await ChatFixture.begin({
		mcpServers: [server],
		...(server.type === "stdio" && server.command === "grows" && { startMcpServer: new McpInMemory(grows).start }),
		answers,
		rules: [{ kind: "mcp", pattern: "local/*", answer: "allow" }],
	});
	const lines: string[] = [];
	const unwatch = chat.assist.mcp.watch((state) => lines.push(line(state)));
	const offered = async () => {
		await chat.prompt("Go");
		const names = chat.model.requests.at(-1)?.tools.map(({ name }) => name) ?? [];
		return names.filter((name) => name.startsWith(server.name));
	};
	return { chat, status: chat.assist.mcp, lines, unwatch, offered };
}

function line({ status, tools, why }: ServerState): string {
	return [status, ...tools.map(({ name }) => name), ...(why === undefined ? [] : [why])].join(" ");
}

test("a server is stopped until a turn needs it", async () => {
	const { chat, status, lines, offered } = await watched();
	expect(status.states()).toMatchObject([{ server: PROCESS, status: "stopped", tools: [], why: undefined }]);
	expect(await offered()).toEqual(["local__grow", "local__die"]);
	expect(lines).toEqual(["starting", "running grow die"]);
	expect(status.states()).toMatchObject([
		{
			server: PROCESS,
			status: "running",
			tools: [{ name: "grow", description: "Grows.", schema: { type: "object" } }, {}],
		},
	]);
	await chat.prompt("Go", { mcpServers: [{ ...PROCESS, name: "ofTheSession" }] });
	expect(lines).toHaveLength(2);
});

test("a stopped server offers nothing until it is started or enabled", async () => {
	const { chat, status, lines, offered } = await watched();
	await status.start("local", chat.tools.root);
	await status.stop("local");
	expect(await offered()).toEqual([]);
	await status.start("local", chat.tools.root);
	expect(await offered()).toEqual(["local__grow", "local__die"]);
	await status.stop("local");
	status.enable("local");
	expect(await offered()).toEqual(["local__grow", "local__die"]);
	const run = ["starting", "running grow die"];
	expect(lines).toEqual([...run, "stopped", ...run, "stopped", "stopped", ...run]);
});

test("a disabled server ends and offers nothing until it is enabled", async () => {
	const { status, lines, offered } = await watched();
	await offered();
	await status.disable("local");
	expect(status.states()).toMatchObject([{ status: "disabled", tools: [] }]);
	expect(await offered()).toEqual([]);
	status.enable("local");
	expect(status.states()).toMatchObject([{ status: "stopped" }]);
	expect(await offered()).toEqual(["local__grow", "local__die"]);
	expect(lines).toEqual(["starting", "running grow die", "disabled", "stopped", "starting", "running grow die"]);
});

test("a call to a server that was just stopped fails, and the turn continues", async () => {
	const { chat, status } = await watched(PROCESS, [calls(["local__grow", {}])]);
	const { stream } = chat.model;
	chat.model.stream = async function* (...args) {
		await status.stop("local");
		yield* stream.apply(chat.model, args);
	};
	expect(await chat.prompt("Go")).toBe("done");
	expect(await chat.lines()).toContainEqual(
		expect.stringMatching(/^failed: local: grow: .*(?:connected|closed|ended)/i),
	);
});

test("a server's tools are listed again when it reports a change", async () => {
	const { status, lines, unwatch, offered } = await watched(PROCESS, [calls(["local__grow", {}])]);
	await offered();
	await expect.poll(() => lines).toEqual(["starting", "running grow die", "running grow die grown"]);
	expect(status.states().map(line)).toEqual(["running grow die grown"]);
	expect(await offered()).toEqual(["local__grow", "local__die", "local__grown"]);
	unwatch();
	await status.stop("local");
	expect(lines).toHaveLength(3);
});

test("a server that ends unexpectedly has failed, and the next turn restarts it", async () => {
	const { lines, offered } = await watched(PROCESS, [calls(["local__die", {}])]);
	await offered();
	expect(lines).toEqual(["starting", "running grow die", "failed It ended unexpectedly."]);
	await offered();
	expect(lines.slice(3)).toEqual(["starting", "running grow die"]);
});

test("a server that does not start has an error with masked keys", async () => {
	const { chat, status, lines } = await watched({ ...PROCESS, command: "no-such-secret-value" });
	await status.start("local", chat.tools.root);
	expect(lines).toEqual(["starting", expect.stringMatching(/^failed .*no-such-\*\*\* ENOENT/)]);
});

test("a server can be stopped while it is starting, and then started again", async () => {
	const requested = deferred();
	const http = createServer(() => requested.open()).listen(0, "127.0.0.1");
	await once(http, "listening");
	onTestFinished(() => {
		http.closeAllConnections();
		http.close();
	});
	const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
	const { chat, status, lines } = await watched({ name: "slow", type: "http", url, headers: {} });
	const starting = status.start("slow", chat.tools.root);
	await requested.opened;
	await status.stop("slow");
	await starting;
	expect(lines).toEqual(["starting", "stopped"]);
	const again = status.start("slow", chat.tools.root);
	expect(status.states().map(line)).toEqual(["starting"]);
	await status.disable("slow");
	await again;
});

test("a server can be restarted before its last process has ended", async () => {
	const { chat, status, lines } = await watched();
	await status.start("local", chat.tools.root);
	const stopping = status.stop("local");
	await status.start("local", chat.tools.root);
	await stopping;
	expect(status.states().map(line)).toEqual(["running grow die"]);
	expect(lines.slice(2)).toEqual(["stopped", "starting", "running grow die"]);
});

test("a server is shown as running if it runs in any folder", async () => {
	const { chat, status, lines } = await watched();
	await status.start("local", chat.tools.root);
	await status.start("local", `${chat.tools.root}/nowhere`);
	expect(lines.slice(2)).toEqual(["running grow die", "running grow die"]);
	expect(status.states().map(line)).toEqual(["running grow die"]);
});

test("a configured server that a session also provides is started once", async () => {
	const { chat, status, lines } = await watched();
	await chat.prompt("Go", { mcpServers: [structuredClone(PROCESS)] });
	expect(lines).toEqual(["starting", "running grow die"]);
	await status.stop("local");
	await chat.prompt("Go", { mcpServers: [structuredClone(PROCESS)] });
	expect(status.states().map(line)).toEqual(["stopped"]);
});

test("an unknown server cannot be controlled", async () => {
	const { chat, status } = await watched();
	await expect(status.start("other", chat.tools.root)).rejects.toThrow(new RangeError("Unknown MCP server other."));
	await expect(status.stop("other")).rejects.toThrow(RangeError);
	await expect(status.disable("other")).rejects.toThrow(RangeError);
	expect(() => status.enable("other")).toThrow(RangeError);
});
