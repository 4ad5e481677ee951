import * as threads from "@segue/protocol/threads";
import { type Channel, type CloseReason, Connection, ErrorCode, type Handler, on, RpcError } from "@segue/rpc";
import { fileHandlers } from "./file-handlers.js";
import type { ThreadsHost } from "./threads-host.js";

/**
 * An editor's end of the thread draft: it talks with an agent in threads, and serves all that either reading of the draft lets
 * an agent ask of an editor. Requests reject with a `PeerError` of `@segue/rpc` where the agent answers with an error.
 */
export class ThreadsEditor {
	/** Resolves when the connection is over. */
	readonly closed: Promise<CloseReason>;
	private readonly connection: Connection<"client">;

	constructor(
		channel: Channel,
		private readonly host: ThreadsHost,
	) {
		this.connection = new Connection<"client">(channel, {
			dialect: threads.dialect,
			handlers: [...this.threadHandlers(), ...fileHandlers(host)],
			report: (problem) => host.report(problem),
		});
		this.closed = this.connection.closed;
	}

	/** The agent's threads, of this folder first. */
	async getThreads(): Promise<readonly threads.ThreadMetadata[]> {
		return (await this.connection.request(threads.getThreads, null)).threads;
	}

	async createThread(): Promise<string> {
		return (await this.connection.request(threads.createThread, null)).threadId;
	}

	async openThread(threadId: string): Promise<void> {
		await this.connection.request(threads.openThread, { threadId });
	}

	async getThreadEntries(threadId: string): Promise<readonly threads.ThreadEntry[]> {
		return (await this.connection.request(threads.getThreadEntries, { threadId })).entries;
	}

	/** Says something to the agent. What it answers comes to the host as it is said, and this resolves when that is all. */
	async sendMessage(threadId: string, text: string): Promise<void> {
		const message = { role: "user" as const, chunks: [{ type: "text" as const, chunk: text }] };
		await this.connection.request(threads.sendMessage, { threadId, message });
	}

	/** Leaves the agent. A turn that is under way is cancelled, and what was said so far is kept. */
	async close(): Promise<void> {
		this.connection.close();
		await this.closed;
	}

	private threadHandlers(): Handler<"either">[] {
		const { host } = this;
		const kept = host.threads;
		return [
			on(threads.getThreads, async () => ({ threads: [...(await kept.list())] })),
			on(threads.createThread, async () => ({ threadId: await kept.create() })),
			on(threads.openThread, async ({ threadId }) => {
				if (!(await kept.open(threadId))) throw noSuchThread();
				return null;
			}),
			on(threads.getThreadEntries, async ({ threadId }) => {
				const entries = await kept.entries(threadId);
				if (entries === undefined) throw noSuchThread();
				return { entries: [...entries] };
			}),
			on(threads.sendMessage, async ({ threadId, message }) => {
				if (!(await kept.add(threadId, message))) throw noSuchThread();
				if (message.role === "assistant") {
					for (const { chunk } of message.chunks) await host.chunk(threadId, chunk);
				}
				return null;
			}),
			// A thread of the agent's is none of those that are kept here.
			on(threads.streamMessageChunk, async ({ threadId, chunk }) => {
				await Promise.all([host.chunk(threadId, chunk.chunk), kept.stream(threadId, chunk)]);
				return null;
			}),
		];
	}
}

function noSuchThread(): RpcError {
	return new RpcError(ErrorCode.invalidParams, "Invalid params: params.threadId: the editor keeps no such thread");
}
