import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

/** A tool as the editor bridge describes it. */
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
 * Serves, over standard input and output, what an editor knows of itself as tools of MCP, for agents that know no other way to
 * ask. All of it comes from the editor bridge at the address, which is in the process that has the editor.
 */
export async function serveEditorMcp(address: string, token: string, version: string): Promise<void> {
	const socket = connect(address);
	await once(socket, "connect");
	// Without the editor there is nothing left to serve.
	socket.on("close", () => process.exit());
	const bridge = new Line(socket, token);
	serveStdio(() => {
		const server = new Server({ name: "segue-editor", version }, { capabilities: { tools: {} } });
		server.setRequestHandler("tools/list", async () => ({
			tools: tools.parse(await bridge.ask({})).map(({ schema, ...tool }) => ({ ...tool, inputSchema: schema })),
		}));
		server.setRequestHandler("tools/call", async ({ params: { name, arguments: input } }) => {
			const { output, failed } = outcome.parse(await bridge.ask({ call: { name, input } }));
			return { content: [{ type: "text", text: output }], isError: failed };
		});
		return server;
	});
}

/** Questions and answers over a socket, a line each. Answers come in any order. */
class Line {
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

	ask(question: object): Promise<unknown> {
		const id = ++this.count;
		this.socket.write(`${JSON.stringify({ id, token: this.token, ...question })}\n`);
		return new Promise((resolve) => this.waiting.set(id, resolve));
	}
}
