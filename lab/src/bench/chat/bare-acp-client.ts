import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** A minimal ACP client with little overhead, so that the agent dominates the measurements. */
export class BareAcpClient {
	private readonly child: ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };
	private readonly waiting = new Map<number, (result: Record<string, unknown>) => void>();
	private rest = "";
	private id = 0;
	/** Called with the text of each chunk in an answer. */
	onText: (text: string) => void = () => {};

	constructor(args: readonly string[], env: Readonly<Record<string, string>>, cwd: string) {
		const stdio: ["pipe", "pipe", "inherit"] = ["pipe", "pipe", "inherit"];
		this.child = spawn(process.execPath, args, { stdio, cwd, env: { ...process.env, ...env } }) as typeof this.child;
		this.child.stdout.setEncoding("utf8").on("data", (text: string) => {
			const lines = (this.rest + text).split("\n");
			this.rest = lines.pop() ?? "";
			for (const line of lines) this.take(JSON.parse(line));
		});
		this.child.on("exit", () => {
			if (this.waiting.size > 0) throw new Error("the agent exited before it answered");
		});
	}

	request(method: string, params: unknown): Promise<Record<string, unknown>> {
		const id = ++this.id;
		this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
		return new Promise((resolve) => this.waiting.set(id, resolve));
	}

	async open(cwd: string): Promise<string> {
		await this.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
		const { sessionId } = await this.request("session/new", { cwd, mcpServers: [] });
		return sessionId as string;
	}

	stop(): void {
		this.child.stdin.end();
	}

	private take(message: {
		id?: number;
		result?: Record<string, unknown>;
		params?: { update?: { sessionUpdate: string; content?: { text?: string } } };
	}): void {
		const { id, result, params } = message;
		if (params?.update?.sessionUpdate === "agent_message_chunk") this.onText(params.update.content?.text ?? "");
		else if (id !== undefined && result !== undefined) {
			this.waiting.get(id)?.(result);
			this.waiting.delete(id);
		}
	}
}
