import { type ChildProcess, spawn } from "node:child_process";
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from "@modelcontextprotocol/client";
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";
import { atProcessExit } from "@segue/rpc/node";

/** Grace period for a server to exit before it is killed. */
const END_MS = 2_000;

/**
 * Runs an MCP server as a child process and communicates over its standard input and output. The process leads its own
 * group, and the whole group is killed: configured commands are often launchers such as `npx` or a shell, and killing
 * only the launcher would leave the server running. Standard error is discarded, because it can contain anything.
 */
export class McpProcess implements Transport {
	onclose?: (() => void) | undefined;
	onerror?: ((error: Error) => void) | undefined;
	onmessage?: ((message: JSONRPCMessage) => void) | undefined;
	private child: ChildProcess | undefined;
	private readonly received = new ReadBuffer();

	constructor(
		private readonly command: string,
		private readonly args: readonly string[],
		private readonly env: Readonly<Record<string, string>>,
		private readonly folder: string,
	) {}

	start(): Promise<void> {
		return new Promise((resolve, reject) => {
			const child = spawn(this.command, this.args, {
				cwd: this.folder,
				// Pass on only basic variables, because this process's environment can contain keys.
				env: { ...getDefaultEnvironment(), ...this.env },
				stdio: ["pipe", "pipe", "ignore"],
				detached: true,
			});
			this.child = child;
			const forgetExit = atProcessExit(() => this.kill("SIGKILL"));
			child.once("spawn", resolve);
			// Can also fire after the start, for example if a signal cannot be sent.
			child.on("error", (error) => {
				if (child.pid === undefined) forgetExit();
				reject(error);
				this.onerror?.(error);
			});
			child.once("exit", () => {
				forgetExit();
				// Kill its children.
				this.kill("SIGKILL");
				this.onclose?.();
			});
			child.stdin.on("error", (error) => this.onerror?.(error));
			child.stdout.on("error", (error) => this.onerror?.(error));
			child.stdout.on("data", (bytes: Buffer) => this.receive(bytes));
		});
	}

	send(message: JSONRPCMessage): Promise<void> {
		return new Promise((resolve, reject) => {
			const input = this.child?.stdin;
			if (input?.writable !== true) reject(new Error("the server has ended"));
			else input.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
		});
	}

	async close(): Promise<void> {
		const child = this.child;
		if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
		const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
		const late = setTimeout(() => this.kill("SIGKILL"), END_MS);
		child.stdin?.end();
		this.kill("SIGTERM");
		await ended;
		clearTimeout(late);
	}

	private receive(bytes: Buffer): void {
		try {
			this.received.append(bytes);
			for (let message = this.received.readMessage(); message !== null; message = this.received.readMessage()) {
				this.onmessage?.(message);
			}
		} catch (error) {
			// After a message that is too large or invalid, the start of the next one is unknown.
			this.onerror?.(error as Error);
			this.kill("SIGKILL");
		}
	}

	private kill(signal: "SIGTERM" | "SIGKILL"): void {
		if (this.child?.pid === undefined) return;
		try {
			process.kill(-this.child.pid, signal);
		} catch {
			// The whole group has ended.
		}
	}
}
