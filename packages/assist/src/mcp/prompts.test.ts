import { McpServer as Server } from "@modelcontextprotocol/server";
import { McpInMemory } from "@segue/testing/agents/mcp-in-memory";
import { ChatFixture, type ChatFixtureOptions, says } from "@segue/testing/chat/chat-fixture";
import { WAIT } from "@segue/testing/setup/tier";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import type { McpServer } from "./server.js";
import { McpServers } from "./servers.js";

/** A server with a prompt and resources, but no tools. */
function offers(): Server {
	const server = new Server({ name: "test", version: "1.0.0" });
	const argsSchema = z.object({ file: z.string().describe("The file"), focus: z.string().optional() });
	server.registerPrompt("review.it", { description: "Reviews a file.", argsSchema }, ({ file, focus }) => ({
		messages: [
			{ role: "user", content: { type: "text", text: `Review ${file} for ${focus ?? "everything"}.` } },
			{ role: "assistant", content: { type: "text", text: "I will." } },
		],
	}));
	server.registerResource("Notes", "notes://today", { mimeType: "text/plain" }, async ({ href }) => ({
		contents: [{ uri: href, text: "Buy milk." }],
	}));
	server.registerResource("Data", "notes://data", {}, async ({ href }) => ({
		contents: [{ uri: href, blob: "AA==", mimeType: "application/zip" }],
	}));
	server.registerResource("Picture", "notes://picture", {}, async ({ href }) => ({
		contents: [{ uri: href, blob: "AA==", mimeType: "image/png" }],
	}));
	return server;
}

const SERVER: McpServer = { name: "notes", type: "stdio", command: "notes", args: [], env: {} };

async function withServer(conditions: ChatFixtureOptions = {}): Promise<ChatFixture> {
	return ChatFixture.begin({
		mcpServers: [SERVER],
		startMcpServer: new McpInMemory(offers).start,
		answers: [says("Fine."), says("Again.")],
		...conditions,
	});
}

describe("a prompt of an MCP server", () => {
	test("is a command that sends its messages as the user's prompt and takes its arguments in order", async () => {
		const chat = await withServer();
		expect(await chat.prompt('/notes:review_it "a file.ts" naming and style')).toBe("done");
		const [message] = chat.model.requests[0]?.messages ?? [];
		expect(JSON.stringify(message)).toMatch(/Review a file\.ts for naming and style\..*As the assistant.*I will\./);
		await chat.prompt("Go on");
		expect(JSON.stringify(chat.model.requests[1]?.messages)).toContain("Review a file.ts");
	});

	test("is listed by /help once its server is running", async () => {
		const chat = await withServer();
		expect(chat.assist.mcp.commands()).toEqual([]);
		await chat.assist.mcp.start("notes", chat.tools.root);
		await chat.prompt("/help");
		expect((await chat.lines())[1]).toContain("/notes:review_it FILE [FOCUS]: Reviews a file.");
	});

	test("reports a missing argument and sends no request", async () => {
		const chat = await withServer();
		expect(await chat.prompt("/notes:review_it")).toBe("done");
		expect((await chat.lines())[1]).toBe(
			"warning: /notes:review_it needs file: The file. Usage: /notes:review_it file [focus]",
		);
		expect(chat.model.requests).toEqual([]);
	});

	test.each(["notes/*", "notes/review.it"])("is refused if the rule mcp:%s denies it", async (pattern) => {
		const chat = await withServer({ rules: [{ kind: "mcp", pattern, answer: "deny" }] });
		await chat.prompt("/notes:review_it a.ts");
		expect((await chat.lines())[1]).toBe("warning: A rule denies the use of notes.");
		expect(chat.model.requests).toEqual([]);
	});

	test("does not start a server that a rule denies", async () => {
		const servers = new McpInMemory(offers);
		const rules = [{ kind: "mcp", pattern: "notes/**", answer: "deny" } as const];
		const chat = await withServer({ startMcpServer: servers.start, rules });
		await chat.prompt("/notes:review_it a.ts");
		expect(servers.running).toEqual([]);
	});

	test.each([
		["server begins with a digit", "1password", "find", "/1password:find"],
		["server begins with a character that commands don't allow", "@web", "find", "/_web:find"],
		["prompt ends with a character that commands don't allow", "web", "ask?", "/web:ask_"],
	])("is recognized if the name of the %s", async (_what, server, prompt, command) => {
		const made = () => {
			const one = new Server({ name: "test", version: "1.0.0" });
			one.registerPrompt(prompt, {}, () => ({
				messages: [{ role: "user", content: { type: "text", text: "Look." } }],
			}));
			return one;
		};
		const startMcpServer = new McpInMemory(made).start;
		const chat = await withServer({ mcpServers: [{ ...SERVER, name: server }], startMcpServer });
		await chat.prompt(command);
		expect(chat.assist.mcp.commands().map(({ name }) => `/${name}`)).toEqual([command]);
		expect(JSON.stringify(chat.model.requests[0]?.messages)).toContain("Look.");
	});

	test("is truncated if it has too many messages or characters, and a note is added", async () => {
		const made = () => {
			const one = new Server({ name: "test", version: "1.0.0" });
			const text = (words: string) => ({ role: "user" as const, content: { type: "text" as const, text: words } });
			const image = { type: "image" as const, mimeType: "image/png", data: "A".repeat(4_000_000) };
			one.registerPrompt("many", {}, () => ({ messages: Array.from({ length: 1000 }, (_, i) => text(`n${i}.`)) }));
			one.registerPrompt("long", {}, () => ({ messages: Array.from({ length: 9 }, () => text("x".repeat(40_000))) }));
			one.registerPrompt("images", {}, () => ({
				messages: Array.from({ length: 4 }, () => ({ role: "user" as const, content: image })),
			}));
			return one;
		};
		const servers = new McpServers(WAIT.timeout, new McpInMemory(made).start);
		onTestFinished(() => servers.close());
		const thread = { id: "t", workspace: process.cwd() };
		const got = async (name: string) => {
			const parts = await servers.prompt(SERVER, thread, { name, arguments: {} }, new AbortController().signal);
			return parts.map((part) => (part.type === "text" ? part.text.slice(0, 60) : part.type));
		};
		expect(await got("many")).toEqual([...Array.from({ length: 100 }, (_, i) => `n${i}.`), "(900 more parts omitted)"]);
		expect((await got("long")).slice(4)).toEqual([expect.stringMatching(/^x+$/), "(4 more parts omitted)"]);
		expect(await got("images")).toEqual(["image", "image", "(2 more parts omitted)"]);
	});

	test("is an unknown command if it does not exist", async () => {
		const chat = await withServer();
		await chat.prompt("/notes:reviw_it a.ts");
		expect((await chat.lines())[1]).toMatch(/^warning: Unknown command .*Did you mean \/notes:review_it\?/);
	});
});

test("a server that does not list its resources still offers its tools and prompts", async () => {
	const listings: AbortSignal[] = [];
	const hanging = () => {
		const one = offers();
		one.registerTool("add", {}, async () => ({ content: [{ type: "text", text: "3" }] }));
		one.server.setRequestHandler("resources/list", (_request, { mcpReq }) => {
			listings.push(mcpReq.signal);
			return new Promise(() => {});
		});
		return one;
	};
	const chat = await withServer({ startMcpServer: new McpInMemory(hanging).start });
	expect(await chat.prompt("Hi")).toBe("done");
	await vi.waitUntil(() => listings.length > 0, WAIT);
	expect(listings[0]?.aborted).toBe(false);
	expect(JSON.stringify(chat.model.requests[0]?.tools)).toContain("notes__add");
	await vi.waitUntil(() => chat.assist.mcp.commands().length === 1, WAIT);
});

describe("a resource of an MCP server", () => {
	const read = async (chat: ChatFixture, uri: string, isDenied = () => false) => {
		return chat.assist.mcp.read("notes", uri, chat.thread, isDenied, chat.turn.signal);
	};

	test("is listed with its server", async () => {
		const chat = await withServer();
		await chat.assist.mcp.start("notes", chat.tools.root);
		expect(chat.assist.mcp.states()[0]?.resources[0]).toEqual({
			...{ uri: "notes://today", name: "Notes", description: "Notes", mimeType: "text/plain" },
		});
	});

	test("is read as text or an image, or else described by its type", async () => {
		const chat = await withServer();
		const label = (uri: string) => `The resource ${uri} from the MCP server notes`;
		expect(await read(chat, "notes://today")).toEqual([
			{ type: "excerpt", label: label("notes://today"), content: "Buy milk." },
		]);
		expect(await read(chat, "notes://data")).toMatchObject([
			{ content: "(application/zip, which cannot be shown here)" },
		]);
		expect(await read(chat, "notes://picture")).toEqual([{ type: "image", mediaType: "image/png", base64: "AA==" }]);
	});

	test("is refused if it does not exist, a rule denies it, or its server is off", async () => {
		const chat = await withServer();
		await expect(read(chat, "notes://none")).rejects.toThrow(/^The MCP server notes: /);
		await expect(read(chat, "notes://today", () => true)).rejects.toThrow("a rule denies the use of notes.");
		await chat.assist.mcp.disable("notes");
		await expect(read(chat, "notes://today")).rejects.toThrow(/turned off/);
	});
});
