import { McpServer as Server } from "@modelcontextprotocol/server";
import type { McpServer } from "@segue/assist";
import { McpInMemory } from "@segue/testing/agents/mcp-in-memory";
import { ECA_CURRENT, EcaEditor } from "@segue/testing/editors/eca-editor";
import { WAIT } from "@segue/testing/setup/tier";
import { expect, test, vi } from "vitest";
import * as z from "zod";

const SECRET = "sk-hidden-1234567890";

/** Creates a server with one tool. */
function echoes(): Server {
	const server = new Server({ name: "test", version: "1.0.0" });
	const echo = { description: "Echoes text.", inputSchema: z.object({ text: z.string() }) };
	server.registerTool("echo", echo, async ({ text }) => ({ content: [{ type: "text", text }] }));
	return server;
}

const RUNS: McpServer = {
	...{ name: "runs", type: "stdio", command: process.execPath },
	...{ args: [`--key=${SECRET}`], env: { TOKEN: SECRET } },
};
const FAILS: McpServer = {
	...{ name: "fails", type: "http", url: `http://127.0.0.1:1/mcp?key=${SECRET}` },
	headers: { Authorization: `Bearer ${SECRET}` },
};

/** Returns the updates about a server, in order. */
function statesOf(editor: EcaEditor, name: string) {
	return editor.messages
		.filter(({ method, params }) => method === "tool/serverUpdated" && params?.["name"] === name)
		.map(({ params }) => params ?? {});
}

async function until(editor: EcaEditor, name: string, ...statuses: readonly string[]): Promise<void> {
	await editor.until(() => statesOf(editor, name).length >= statuses.length);
	expect(statesOf(editor, name).map(({ status }) => status)).toEqual(statuses);
}

/** Starts an editor that has received nothing before `initialized`. */
async function ready(capabilities: object): Promise<EcaEditor> {
	const editor = await EcaEditor.open({ mcpServers: [RUNS, FAILS], startMcpServer: new McpInMemory(echoes).start });
	await editor.initialize({ capabilities: { codeAssistant: { ...ECA_CURRENT, ...capabilities } } });
	editor.notify("initialized");
	return editor;
}

test("an editor gets our tools first, then the states of all MCP servers, without secrets", async () => {
	const editor = await ready({ editor: { diagnostics: true } });
	await until(editor, "runs", "stopped", "starting", "running");
	await until(editor, "fails", "stopped", "starting", "failed");
	const first = editor.messages.find(({ method }) => method === "tool/serverUpdated")?.params;
	expect(first).toMatchObject({ type: "native", name: "ECA", status: "running" });
	const tools = first?.["tools"] as { name: string; parameters: object }[];
	expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["read_file", "edit_file", "run_command"]));
	expect(tools.find(({ name }) => name === "read_file")?.parameters).toMatchObject({
		type: "object",
		required: ["path"],
	});
	expect(statesOf(editor, "runs").at(-1)).toMatchObject({
		...{ type: "mcp", command: process.execPath, disabled: false, hasAuth: false },
		tools: [{ name: "echo", description: "Echoes text.", parameters: { type: "object", required: ["text"] } }],
	});
	expect(statesOf(editor, "fails").at(-1)).toMatchObject({ url: "http://127.0.0.1:1", tools: [] });
	await editor.until((messages) => messages.some(({ method }) => method === "$/showMessage"));
	expect(JSON.stringify(editor.messages)).not.toContain(SECRET);
});

test("tools for editor queries and questions require the editor's support", async () => {
	const toolsOf = async (capabilities: object) => {
		const editor = await ready(capabilities);
		await editor.until(() => statesOf(editor, "ECA").length > 0);
		const [first] = statesOf(editor, "ECA") as unknown as [{ tools: { name: string }[] }];
		return first.tools.map(({ name }) => name);
	};
	const few = await toolsOf({});
	const more = await toolsOf({
		editor: { diagnostics: true, definition: true, references: true },
		chatCapabilities: { askQuestion: true },
	});
	expect(more.length).toBe(few.length + 4);
});

test("an editor gets a server's prompts and resources, and the model gets a resource attached to a prompt", async () => {
	const make = () => {
		const server = echoes();
		server.registerPrompt("greet", { description: "Greets." }, () => ({
			messages: [{ role: "user", content: { type: "text", text: "Greet them." } }],
		}));
		server.registerResource("Notes", "notes://today", { mimeType: "text/plain" }, async ({ href }) => ({
			contents: [{ uri: href, text: "Buy milk." }],
		}));
		return server;
	};
	const editor = await EcaEditor.open({ mcpServers: [RUNS], startMcpServer: new McpInMemory(make).start });
	await editor.initialize({ capabilities: { codeAssistant: ECA_CURRENT } });
	editor.notify("initialized");
	await until(editor, "runs", "stopped", "starting", "running");
	const resource = { uri: "notes://today", name: "Notes", description: "Notes", mimeType: "text/plain" };
	// A server is running once its tools are known. Prompts and resources are listed later.
	await vi.waitFor(() => {
		expect(statesOf(editor, "runs").at(-1)).toMatchObject({
			prompts: [{ name: "greet", description: "Greets.", arguments: [] }],
			resources: [resource],
		});
	}, WAIT);
	const commands = await editor.request("chat/queryCommands", { query: "greet" });
	expect(commands.result.commands).toEqual([
		{ name: "runs:greet", description: "Greets.", type: "mcpPrompt", arguments: [] },
	]);
	const context = { type: "mcpResource", ...resource, server: "runs" };
	const query = async (params: object) => (await editor.request("chat/queryContext", params)).result.contexts;
	expect(await query({ query: "notes" })).toContainEqual(context);
	expect(await query({ query: "notes", contexts: [context] })).not.toContainEqual(context);
	await editor.turn("/runs:greet", { contexts: [context] });
	expect(JSON.stringify(editor.conversation.model.requests[0]?.messages)).toMatch(/Buy milk.*Greet them/s);
});

test("stopping, starting, disabling and enabling a server is reported", async () => {
	const editor = await ready({});
	const expected = ["stopped", "starting", "running"];
	await until(editor, "runs", ...expected);
	for (const [method, ...statuses] of [
		["mcp/stopServer", "stopped"],
		["mcp/startServer", "starting", "running"],
		["mcp/disableServer", "disabled"],
		["mcp/enableServer", "stopped", "starting", "running"],
	] as const) {
		editor.notify(method, { name: "runs" });
		expected.push(...statuses);
		await until(editor, "runs", ...expected);
	}
	expect(statesOf(editor, "runs").map(({ disabled }) => disabled)).toEqual(
		expected.map((status) => status === "disabled"),
	);
});

test.for(["mcp/startServer", "mcp/stopServer", "mcp/enableServer", "mcp/disableServer"])(
	"%s shows a warning for an unknown server",
	async (method) => {
		const editor = await EcaEditor.ready();
		editor.notify(method, { name: "unheard-of" });
		await editor.until((messages) => messages.some((message) => message.method === "$/showMessage"));
		expect(editor.messages.at(-1)?.params).toEqual({
			type: "warning",
			message: "Unknown MCP server. Configure it as mcpServers.NAME.",
		});
	},
);
