import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** A server in a process of its own, whose output names its address. */
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
		throw new Error(`${args.join(" ")} did not say where it listens`);
	}

	/** Sends a body, and gives the answer and how long it took. */
	ask(path: string, body: string, client = "bench"): Promise<{ timeMs: number; text: string }> {
		const startMs = performance.now();
		return new Promise((resolve, reject) => {
			const asked = request(`${this.origin}${path}`, {
				method: "POST",
				agent: this.agent,
				headers: {
					"content-type": "application/json",
					"content-length": Buffer.byteLength(body),
					"user-agent": client,
				},
			});
			asked.on("error", reject);
			asked.on("response", (response) => {
				let text = "";
				response.setEncoding("utf8").on("data", (chunk) => {
					text += chunk;
				});
				response.on("end", () => resolve({ timeMs: performance.now() - startMs, text }));
			});
			asked.end(body);
		});
	}

	async stop(): Promise<void> {
		this.agent.destroy();
		this.child.kill("SIGKILL");
		await once(this.child, "exit");
	}
}
