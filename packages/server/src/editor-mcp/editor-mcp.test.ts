import { once } from "node:events";
import { connect } from "node:net";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { EditorBridge } from "@segue/agent/chat/editor-bridge";
import { type EditorKnowledge, editorTools } from "@segue/assist";
import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import { deferred } from "@segue/testing/rpc/peers";
import { isAll } from "@segue/testing/setup/tier";
import { expect, onTestFinished, test } from "vitest";

const LAUNCHER = path.join(import.meta.dirname, "..", "..", "..", "cli", "bin", "segue.js");

/** Opens a bridge to an editor with these files open. */
async function bridgeFor(
	names: readonly string[],
	before = async () => {},
): Promise<{ bridge: EditorBridge; box: ToolFixture }> {
	const box = await ToolFixture.draw({ "a.ts": "a", "b.ts": "b", ".env": "KEY=1" });
	const editor: EditorKnowledge = {
		openDocuments: async () => {
			await before();
			return names.map((name) => ({ path: path.join(box.root, name), text: "typescript" }));
		},
		activeDocument: () => Promise.reject(new Error("the editor failed")),
	};
	const { workspace } = box;
	const bridge = await EditorBridge.open(editorTools(editor), { workspace, client: { buffers: undefined, editor } });
	onTestFinished(() => bridge.close());
	return { bridge, box };
}

async function clientOf(bridge: EditorBridge): Promise<Client> {
	const server = bridge.mcpServer(LAUNCHER);
	if (server.type !== "stdio") throw new Error("expected a stdio server");
	const client = new Client({ name: "test", version: "1.0.0" });
	await client.connect(new StdioClientTransport({ command: server.command, args: [...server.args], env: server.env }));
	onTestFinished(() => client.close());
	return client;
}

test("lists open files over MCP, without secret files", async () => {
	const { bridge } = await bridgeFor(["a.ts", ".env", "b.ts"]);
	const client = await clientOf(bridge);
	expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["open_documents", "active_document"]);
	const { content, isError } = await client.callTool({ name: "open_documents" });
	expect(content).toEqual([{ type: "text", text: "a.ts: typescript\nb.ts: typescript" }]);
	expect(isError).toBe(false);
});

test.runIf(isAll)("handles concurrent calls", async () => {
	const { opened, open } = deferred();
	const { bridge } = await bridgeFor(["a.ts"], () => opened);
	const client = await clientOf(bridge);
	const slow = client.callTool({ name: "open_documents" });
	const quick = await client.callTool({ name: "active_document" });
	open();
	expect(quick).toMatchObject({ content: [{ text: "The editor did not answer." }] });
	expect(await slow).toMatchObject({ content: [{ text: "a.ts: typescript" }] });
});

test.runIf(isAll)("reports failed and unknown calls as tool errors", async () => {
	const { bridge } = await bridgeFor([]);
	const client = await clientOf(bridge);
	expect(await client.callTool({ name: "active_document" })).toMatchObject({
		content: [{ text: "The editor did not answer." }],
		isError: true,
	});
	expect(await client.callTool({ name: "close_everything" })).toMatchObject({ isError: true });
});

test.each([
	["no token", "{}"],
	["a wrong token", JSON.stringify({ id: 1, token: "x".repeat(32) })],
	["invalid JSON", "hello"],
	["an oversized line", "x".repeat(20_000)],
])("the bridge closes a connection that sends %s, without a response", async (_title, line) => {
	const { bridge } = await bridgeFor(["a.ts"]);
	const server = bridge.mcpServer(LAUNCHER);
	const socket = connect((server.type === "stdio" && server.args[2]) || "");
	let answer = "";
	socket.setEncoding("utf8").on("data", (text) => {
		answer += text;
	});
	socket.write(`${line}\n`);
	await once(socket, "close");
	expect(answer).toBe("");
});

test("the server exits when the editor disconnects", async () => {
	const { bridge } = await bridgeFor([]);
	const client = await clientOf(bridge);
	const closed = new Promise<void>((resolve) => {
		client.onclose = resolve;
	});
	bridge.close();
	await closed;
});
