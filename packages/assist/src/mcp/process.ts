import { type ChildProcess, spawn } from "node:child_process";
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from "@modelcontextprotocol/client";
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";
import { atProcessExit } from "@segue/rpc/node";

/** How long a server may take to end by itself when its input has ended, before it is killed. */
const END_MS = 2_000;

/**
 * An MCP server that is a process, spoken to over its standard input and output. It leads a group of its own, and the whole
 * group is ended with it: what people configure is often a launcher, `npx` or a shell, which leaves the server behind when
 * only it is killed. What it writes to standard error is dropped, since nobody knows what is in it.
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
				// Of our own environment only what every program needs: there may be keys in it.
				env: { ...getDefaultEnvironment(), ...this.env },
				stdio: ["pipe", "pipe", "ignore"],
				detached: true,
			});
			this.child = child;
			const forgetExit = atProcessExit(() => this.kill("SIGKILL"));
			child.once("spawn", resolve);
			// It may come again after the start, as when there is nobody left to be told to end.
			child.on("error", (error) => {
				if (child.pid === undefined) forgetExit();
				reject(error);
				this.onerror?.(error);
			});
			child.once("exit", () => {
				forgetExit();
				// What it started goes with it.
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
			// A message that is too large, or none at all: there is no telling where the next one begins.
			this.onerror?.(error as Error);
			this.kill("SIGKILL");
		}
	}

	private kill(signal: "SIGTERM" | "SIGKILL"): void {
		if (this.child?.pid === undefined) return;
		try {
			process.kill(-this.child.pid, signal);
		} catch {
			// Nobody is left of the group.
		}
	}
}
