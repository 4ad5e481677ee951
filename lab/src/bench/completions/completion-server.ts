import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** A server process that prints its address. */
export class CompletionServer {
	private readonly agent = new Agent({ keepAlive: true });

	private constructor(
		private readonly child: ChildProcess,
		private readonly origin: string,
	) {}

	static async start(args: readonly string[], folder: string): Promise<CompletionServer> {
		const child = spawn(process.execPath, args, {
			cwd: folder,
			stdio: ["pipe", "pipe", "inherit"],
			env: { ...process.env, SEGUE_HOME: join(folder, "home") },
		}) as ChildProcess & { readonly stdout: Readable };
		for await (const line of createInterface(child.stdout)) {
			const origin = /at (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
			if (origin !== undefined) return new CompletionServer(child, origin);
		}
		throw new Error(`${args.join(" ")} did not print its address`);
	}

	/** Sends a request body, and returns the response and the time it took. */
	ask(path: string, body: string, client = "bench"): Promise<{ timeMs: number; text: string }> {
		const startMs = performance.now();
		return new Promise((resolve, reject) => {
			const outgoing = request(`${this.origin}${path}`, {
				method: "POST",
				agent: this.agent,
				headers: {
					"content-type": "application/json",
					"content-length": Buffer.byteLength(body),
					"user-agent": client,
				},
			});
			outgoing.on("error", reject);
			outgoing.on("response", (response) => {
				let text = "";
				response.setEncoding("utf8").on("data", (chunk) => {
					text += chunk;
				});
				response.on("end", () => resolve({ timeMs: performance.now() - startMs, text }));
			});
			outgoing.end(body);
		});
	}

	async stop(): Promise<void> {
		this.agent.destroy();
		this.child.kill("SIGKILL");
		await once(this.child, "exit");
	}
}
