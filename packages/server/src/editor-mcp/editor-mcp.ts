import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

/** Tools offered by the editor bridge. */
const tools = z.array(
	z.object({
		name: z.string(),
		description: z.string(),
		schema: z.looseObject({ type: z.literal("object") }),
	}),
);

const reply = z.object({ id: z.number(), answer: z.unknown() });

const outcome = z.object({ output: z.string(), failed: z.boolean() });

/**
 * Serves the editor's state as MCP tools over standard input and output, for agents that cannot query the editor
 * directly. Calls are forwarded to the editor bridge at `address`, which runs in the process that is connected to the
 * editor.
 */
export async function serveEditorMcp(address: string, token: string, version: string): Promise<void> {
	const socket = connect(address);
	await once(socket, "connect");
	// Exit when the editor disconnects.
	socket.on("close", () => process.exit());
	const bridge = new BridgeConnection(socket, token);
	serveStdio(() => {
		const server = new Server({ name: "segue-editor", version }, { capabilities: { tools: {} } });
		server.setRequestHandler("tools/list", async () => ({
			tools: tools.parse(await bridge.request({})).map(({ schema, ...tool }) => ({ ...tool, inputSchema: schema })),
		}));
		server.setRequestHandler("tools/call", async ({ params: { name, arguments: input } }) => {
			const { output, failed } = outcome.parse(await bridge.request({ call: { name, input } }));
			return { content: [{ type: "text", text: output }], isError: failed };
		});
		return server;
	});
}

/** Sends requests over a socket, one JSON object per line. Responses can arrive in any order. */
class BridgeConnection {
	private readonly waiting = new Map<number, (answer: unknown) => void>();
	private count = 0;

	constructor(
		private readonly socket: Socket,
		private readonly token: string,
	) {
		createInterface(socket).on("line", (line) => {
			const { id, answer } = reply.parse(JSON.parse(line));
			this.waiting.get(id)?.(answer);
			this.waiting.delete(id);
		});
	}

	request(params: object): Promise<unknown> {
		const id = ++this.count;
		this.socket.write(`${JSON.stringify({ id, token: this.token, ...params })}\n`);
		return new Promise((resolve) => this.waiting.set(id, resolve));
	}
}
