import * as threads from "@segue/protocol/threads";
import { type Channel, type CloseReason, Connection, ErrorCode, type Handler, on, RpcError } from "@segue/rpc";
import { fileHandlers } from "./file-handlers.js";
import type { ThreadsHost } from "./threads-host.js";

/**
 * The editor's end of the thread draft. Sends messages to an agent in threads, and serves every request that an agent
 * may make under either interpretation of the draft. Requests reject with a `PeerError` from `@segue/rpc` if the agent
 * returns an error.
 */
export class ThreadsEditor {
	/** Resolves when the connection has closed. */
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

	/** Returns the agent's threads, starting with the threads in this folder. */
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

	/** Sends a message. The agent's reply is streamed to the host's `chunk`; resolves at the end of the turn. */
	async sendMessage(threadId: string, text: string): Promise<void> {
		const message = { role: "user" as const, chunks: [{ type: "text" as const, chunk: text }] };
		await this.connection.request(threads.sendMessage, { threadId, message });
	}

	/** Closes the connection and cancels a running turn. The text streamed so far is kept. */
	async close(): Promise<void> {
		this.connection.close();
		await this.closed;
	}

	private threadHandlers(): Handler<"either">[] {
		const { host } = this;
		const store = host.threads;
		return [
			on(threads.getThreads, async () => ({ threads: [...(await store.list())] })),
			on(threads.createThread, async () => ({ threadId: await store.create() })),
			on(threads.openThread, async ({ threadId }) => {
				if (!(await store.open(threadId))) throw noSuchThread();
				return null;
			}),
			on(threads.getThreadEntries, async ({ threadId }) => {
				const entries = await store.entries(threadId);
				if (entries === undefined) throw noSuchThread();
				return { entries: [...entries] };
			}),
			on(threads.sendMessage, async ({ threadId, message }) => {
				if (!(await store.add(threadId, message))) throw noSuchThread();
				if (message.role === "assistant") {
					for (const { chunk } of message.chunks) await host.chunk(threadId, chunk);
				}
				return null;
			}),
			// The store ignores chunks for threads that the agent stores itself.
			on(threads.streamMessageChunk, async ({ threadId, chunk }) => {
				await Promise.all([host.chunk(threadId, chunk.chunk), store.stream(threadId, chunk)]);
				return null;
			}),
		];
	}
}

function noSuchThread(): RpcError {
	return new RpcError(ErrorCode.invalidParams, "Invalid params: params.threadId: the editor has no such thread");
}
