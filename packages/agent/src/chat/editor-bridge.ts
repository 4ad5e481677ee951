import { randomBytes, timingSafeEqual } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { type McpServer, type Tool, type ToolContext, ToolError } from "@segue/assist";
import * as z from "zod";

// A request contains only a tool name and its arguments.
const REQUEST_CHARACTERS_MAX = 10_000;

/** A request from our MCP server: a tool call or, without `call`, a request for the list of tools. */
const request = z.object({
	/** Echoed in the response. */
	id: z.number(),
	token: z.string(),
	call: z.object({ name: z.string(), input: z.unknown().optional() }).optional(),
});

/**
 * Connects an editor to our MCP server. Another agent starts that server, so it has no connection to the editor of its
 * own. The two communicate over a socket that only this user can open, and each request must contain a token.
 */
export class EditorBridge {
	private readonly folder = mkdtempSync(path.join(tmpdir(), "segue-editor-"));
	private readonly token = randomBytes(24).toString("base64url");
	private readonly sockets = new Set<Socket>();
	private readonly closing = new AbortController();
	private readonly server: Server;

	private constructor(
		private readonly tools: readonly Tool[],
		private readonly scope: Omit<ToolContext, "signal">,
	) {
		this.server = createServer((socket) => this.serve(socket));
		process.on("exit", this.clear);
	}

	static async open(tools: readonly Tool[], scope: Omit<ToolContext, "signal">): Promise<EditorBridge> {
		const bridge = new EditorBridge(tools, scope);
		try {
			await new Promise<void>((resolve, reject) => {
				bridge.server.once("error", reject);
				bridge.server.listen(bridge.address, resolve);
			});
		} catch (error) {
			bridge.close();
			throw error;
		}
		// The socket must not keep the process alive.
		bridge.server.unref();
		return bridge;
	}

	/**
	 * Returns the MCP server that an agent must start to access this bridge. `launcher` is the path of the `segue`
	 * command.
	 */
	mcpServer(launcher: string): McpServer {
		return {
			name: "editor",
			type: "stdio",
			command: process.execPath,
			args: [launcher, "editor-mcp", this.address],
			// Not passed as arguments, because all users on the machine can see the arguments of a process.
			env: { SEGUE_EDITOR_TOKEN: this.token },
		};
	}

	close(): void {
		this.closing.abort(new Error("the editor disconnected"));
		this.server.close();
		for (const socket of this.sockets) socket.destroy();
		this.clear();
		process.off("exit", this.clear);
	}

	private readonly clear = (): void => rmSync(this.folder, { recursive: true, force: true });

	private get address(): string {
		const name = path.join(this.folder, "socket");
		return process.platform === "win32" ? `\\\\.\\pipe\\${path.basename(this.folder)}` : name;
	}

	private serve(socket: Socket): void {
		this.sockets.add(socket);
		socket.on("close", () => this.sockets.delete(socket));
		// The client has disconnected.
		socket.on("error", () => socket.destroy());
		createInterface(socket).on("line", async (line) => {
			const answer = await this.answer(line);
			if (answer === undefined) socket.destroy();
			else socket.write(`${JSON.stringify(answer)}\n`);
		});
	}

	/** Returns undefined for an invalid request or a wrong token. */
	private async answer(line: string): Promise<unknown> {
		if (line.length > REQUEST_CHARACTERS_MAX) return undefined;
		const received = request.safeParse(parsed(line)).data;
		if (received === undefined || !isSame(received.token, this.token)) return undefined;
		const { id, call } = received;
		return { id, answer: call === undefined ? this.offer() : await this.outcome(call) };
	}

	private offer(): unknown {
		return this.tools.map(({ name, description, input }) => ({ name, description, schema: z.toJSONSchema(input) }));
	}

	private async outcome({ name, input }: NonNullable<z.infer<typeof request>["call"]>): Promise<unknown> {
		const tool = this.tools.find((each) => each.name === name);
		const read = tool?.input.safeParse(input ?? {});
		if (tool === undefined || read?.success !== true)
			return { output: "Unknown tool or invalid arguments.", failed: true };
		const { signal } = this.closing;
		try {
			const action = await tool.prepare(read.data, { ...this.scope, signal });
			// The bridge cannot ask the user for permission.
			if (action.permissions.length > 0) return { output: "Access denied: this file is ignored.", failed: true };
			const { output, failed } = await action.run(signal, () => {});
			return { output, failed };
		} catch (error) {
			const why = error instanceof ToolError ? error.message : "The editor did not answer.";
			return { output: why, failed: true };
		}
	}
}

function parsed(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined;
	}
}

function isSame(given: string, expected: string): boolean {
	const [a, b] = [Buffer.from(given), Buffer.from(expected)];
	return a.length === b.length && timingSafeEqual(a, b);
}
