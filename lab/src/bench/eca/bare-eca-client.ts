import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

/** A minimal ECA client with little overhead, so that the server dominates the measurements. */
export class BareEcaClient {
	private readonly child: ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };
	private readonly waiting = new Map<number, (result: Record<string, unknown>) => void>();
	private rest: Buffer = Buffer.alloc(0);
	private id = 0;
	/** Called with each content item in a chat. */
	onContent: (content: Content) => void = () => {};

	constructor(args: readonly string[], env: Readonly<Record<string, string>>, cwd: string) {
		const stdio: ["pipe", "pipe", "inherit", "ipc"] = ["pipe", "pipe", "inherit", "ipc"];
		this.child = spawn(process.execPath, args, { stdio, cwd, env: { ...process.env, ...env } }) as typeof this.child;
		this.child.stdout.on("data", (bytes: Buffer) => this.read(bytes));
		this.child.on("exit", () => {
			if (this.waiting.size > 0) throw new Error("the server exited before it answered");
		});
	}

	request(method: string, params: unknown): Promise<Record<string, unknown>> {
		const id = this.id++;
		const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
		this.child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
		return new Promise((resolve) => this.waiting.set(id, resolve));
	}

	async initialize(folder: string): Promise<void> {
		const capabilities = { codeAssistant: { chat: true, editor: {} } };
		const workspaceFolders = [{ uri: `file://${folder}`, name: "bench" }];
		await this.request("initialize", { processId: null, capabilities, workspaceFolders });
	}

	/** Sends a prompt and resolves when the turn has finished. */
	async prompt(chatId: string, message: string): Promise<void> {
		const finished = new Promise<void>((resolve) => {
			const before = this.onContent;
			this.onContent = (content) => {
				before(content);
				if (content.type !== "progress" || content.state !== "finished") return;
				this.onContent = before;
				resolve();
			};
		});
		await this.request("chat/prompt", { chatId, message });
		await finished;
	}

	/** Returns the heap size after garbage collection. Requires `heap.mjs`. */
	async heapUsed(): Promise<number> {
		this.child.send("heap");
		const [bytes] = await once(this.child, "message");
		return bytes as number;
	}

	async stop(): Promise<void> {
		const exit = once(this.child, "exit");
		this.child.stdin.end();
		if (this.child.connected) this.child.disconnect();
		await exit;
	}

	private read(bytes: Buffer): void {
		this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
		for (;;) {
			const end = this.rest.indexOf("\r\n\r\n");
			if (end < 0) return;
			const length = Number(/Content-Length: (\d+)/.exec(this.rest.toString("latin1", 0, end))?.[1]);
			const from = end + 4;
			if (this.rest.length < from + length) return;
			this.take(JSON.parse(this.rest.toString("utf8", from, from + length)));
			this.rest = this.rest.subarray(from + length);
		}
	}

	private take(message: {
		id?: number;
		method?: string;
		result?: Record<string, unknown>;
		params?: { content?: Content };
	}): void {
		const { id, method, result, params } = message;
		if (method === "chat/contentReceived" && params?.content !== undefined) this.onContent(params.content);
		else if (id !== undefined && result !== undefined) {
			this.waiting.get(id)?.(result);
			this.waiting.delete(id);
		}
	}
}

interface Content {
	readonly type: string;
	readonly state?: string;
	readonly text?: string;
}
