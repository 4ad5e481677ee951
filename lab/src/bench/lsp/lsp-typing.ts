import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { contentLength } from "@segue/rpc";
import { HOME } from "../nes/line-process.js";
import { SEGUE } from "../nes/next-edit-client.js";
import { keystrokes } from "../nes/project.js";
import type { RandomFile } from "../random-code.js";

/** An LSP client that types in its first document. */
export class LspTyping {
	/** Number of responses that contained a suggestion. */
	suggested = 0;
	private version = 1;
	private id = 0;
	private bytes = "";
	private readonly keystrokes = keystrokes();
	private readonly child: ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };
	/** The pending request, and the handler for its result. */
	private waiting: { readonly id: number; readonly take: (result: unknown) => void } | undefined;

	/** Starts `segue lsp`, initializes it and opens the documents. */
	static async start(documents: readonly RandomFile[]): Promise<LspTyping> {
		const typing = new LspTyping(documents[0]?.uri ?? "");
		await typing.exchange(typing.request("initialize", { capabilities: {} }));
		typing.child.stdin.write(write({ method: "initialized", params: {} }));
		for (const { uri, text } of documents) {
			const textDocument = { uri, languageId: "typescript", version: 1, text };
			typing.child.stdin.write(write({ method: "textDocument/didOpen", params: { textDocument } }));
		}
		return typing;
	}

	private constructor(private readonly uri: string) {
		const env = { ...process.env, SEGUE_HOME: HOME };
		const stdio = ["pipe", "pipe", "inherit"] as ["pipe", "pipe", "inherit"];
		this.child = spawn(process.execPath, [SEGUE, "lsp"], { stdio, env }) as typeof this.child;
		const receiver = {
			message: (text: string) => this.take(JSON.parse(text)),
			unreadable: (error: Error) => {
				throw error;
			},
		};
		const decoder = contentLength.decoder(receiver, Number.POSITIVE_INFINITY);
		this.child.stdout.on("data", (chunk: Uint8Array) => decoder.push(chunk));
	}

	next(): void {
		const { uri } = this;
		const version = ++this.version;
		const { change, cursor } = this.keystrokes.next().value;
		const textDocument = { uri, version };
		this.bytes =
			write({ method: "textDocument/didChange", params: { textDocument, contentChanges: [change] } }) +
			this.request("textDocument/copilotInlineEdit", { textDocument, position: cursor });
	}

	/** Returns the time from sending a keystroke's didChange and request until the response arrives. */
	async agentTime(): Promise<number> {
		const start = performance.now();
		const { edits } = (await this.exchange(this.bytes)) as { edits: unknown[] };
		const time = performance.now() - start;
		if (edits.length > 0) this.suggested++;
		return time;
	}

	async stop(): Promise<void> {
		const exit = once(this.child, "exit");
		this.child.kill();
		await exit;
	}

	private request(method: string, params: object): string {
		return write({ id: ++this.id, method, params });
	}

	/** Sends the text in one write, and waits for the response to the last request. */
	private exchange(bytes: string): Promise<unknown> {
		return new Promise((resolve, reject) => {
			const onExit = () => reject(new Error("segue lsp exited before it answered"));
			this.child.once("exit", onExit);
			const take = (result: unknown) => {
				this.child.off("exit", onExit);
				resolve(result);
			};
			this.waiting = { id: this.id, take };
			this.child.stdin.write(bytes);
		});
	}

	private take({ id, result, error }: { id?: unknown; result?: unknown; error?: unknown }): void {
		const { waiting } = this;
		if (waiting === undefined || id !== waiting.id) return;
		if (error !== undefined) throw new Error(`segue lsp answered ${JSON.stringify(error)}`);
		this.waiting = undefined;
		waiting.take(result);
	}
}

function write(message: object): string {
	const body = JSON.stringify({ jsonrpc: "2.0", ...message });
	return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
