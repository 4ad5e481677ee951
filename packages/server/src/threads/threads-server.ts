import type { Chat } from "@segue/agent/chat/chat";
import type { Assist, RestrictedView, Thread } from "@segue/assist";
import { NoSuchThread } from "@segue/assist/failures";
import * as threads from "@segue/protocol/threads";
import { type Call, type Channel, Connection, ErrorCode, type Handler, on, type Problem, RpcError } from "@segue/rpc";
import { noSuchThread, OpenThreads } from "./open-threads.js";
import { ThreadFiles } from "./thread-files.js";
import { ThreadTurns } from "./thread-turns.js";
import { ThreadsPeer } from "./threads-peer.js";
import { threadEntriesOf } from "./to-wire.js";

// More than users scroll through. The draft has no paging.
const LISTED_MAX = 200;

export interface ThreadsOptions {
	readonly chat: Chat;
	/** The absolute path of the folder for new threads. Its threads are listed first. */
	readonly folder: string;
	/** Logs problems that no response reports. */
	readonly report: (problem: Problem) => void;
}

/**
 * Serves one editor over the thread draft. The draft is ambiguous about which side calls which method, so all ten
 * methods are served. An editor starts a turn with `sendMessage` or by streaming the user's message.
 */
export function serveThreads(channel: Channel, options: ThreadsOptions): ServedThreads {
	return new ThreadsServer(channel, options);
}

export interface ServedThreads {
	readonly connection: Connection<"agent">;
	/** Resolves once the connection is closed and its turns have ended and are stored. Keep the chat open until then. */
	readonly over: Promise<void>;
}

class ThreadsServer implements ServedThreads {
	readonly connection: Connection<"agent">;
	readonly over: Promise<void>;
	/** Threads created on this connection. */
	private readonly created = new Set<string>();
	private readonly open: OpenThreads;
	private readonly turns: ThreadTurns;
	private readonly files = new ThreadFiles();

	constructor(
		channel: Channel,
		private readonly options: ThreadsOptions,
	) {
		const { chat, report } = options;
		const handlers = [...this.threadHandlers(), ...this.fileHandlers()];
		this.connection = new Connection<"agent">(channel, { dialect: threads.dialect, handlers, report });
		this.open = new OpenThreads(chat);
		const failed = (error: unknown) => report({ kind: "handler-failed", text: "a background task failed", error });
		this.turns = new ThreadTurns(this.open, new ThreadsPeer(this.connection, chat.clock), failed);
		this.over = this.connection.closed.then(() => this.end()).catch(failed);
	}

	private threadHandlers(): Handler<"either">[] {
		return [
			on(threads.getThreads, () => this.list()),
			on(threads.createThread, () => {
				const { folder } = this.options;
				return this.open.withEngine(folder, async ({ assist }) => {
					const { id } = await assist.create(folder);
					this.created.add(id);
					return { threadId: id };
				});
			}),
			on(threads.openThread, async ({ threadId }) => {
				this.turns.finish();
				await this.open.find(threadId);
				// A reopened thread uses the current configuration.
				await this.open.releaseIdle(() => true);
				return null;
			}),
			on(threads.getThreadEntries, ({ threadId }) => {
				return this.open.withEngine(undefined, async ({ assist }) => {
					const entries = await assist.entries(threadId).catch(throwMissing);
					return { entries: threadEntriesOf(entries, this.turns.gatheredFor(threadId)) };
				});
			}),
			on(
				threads.sendMessage,
				async ({ threadId, message }, call) => {
					await this.turns.send(threadId, userTextOf(message), call.signal);
					return null;
				},
				{ isTalk: true },
			),
			on(threads.streamMessageChunk, async ({ threadId, chunk }) => {
				const undo = this.turns.gather(threadId, chunk.chunk);
				try {
					await this.open.find(threadId);
				} catch (error) {
					undo();
					throw error;
				}
				return null;
			}),
		];
	}

	private fileHandlers(): Handler<"either">[] {
		const { files } = this;
		return [
			on(threads.readTextFile, (params, call) => {
				return this.withView(params.threadId, call, (view) => files.readText(view, params, call.signal));
			}),
			on(threads.readBinaryFile, (params, call) => {
				return this.withView(params.threadId, call, (view) => files.readBinary(view, params));
			}),
			on(threads.stat, ({ threadId, path }, call) => {
				return this.withView(threadId, call, (view) => files.stat(view, path));
			}),
			on(threads.globSearch, ({ threadId, pattern }, call) => {
				return this.withView(threadId, call, (view) => files.glob(view, pattern));
			}),
		];
	}

	private async withView<T>(threadId: string, { signal }: Call, use: (view: RestrictedView) => Promise<T>): Promise<T> {
		const thread = await this.open.find(threadId);
		return this.open.withEngine(thread.workspace, ({ assist }) => use(assist.restrictedView(thread, signal)));
	}

	/** Lists the folder's threads, then the threads in other folders. Each group is sorted newest first. */
	private async list(): Promise<{ threads: threads.ThreadMetadata[] }> {
		const { folder } = this.options;
		const [own, all] = await this.open.withEngine(undefined, ({ assist }) => {
			const limit = LISTED_MAX;
			return Promise.all([assist.list({ workspace: folder, limit }), assist.list({ limit })]);
		});
		const others = all.filter(({ workspace }) => workspace !== folder);
		return { threads: [...own, ...others].slice(0, LISTED_MAX).map(metadataOf) };
	}

	private async end(): Promise<void> {
		await this.turns.end();
		await this.open.releaseIdle(() => true);
		if (this.created.size > 0) await this.open.withEngine(undefined, ({ assist }) => this.deleteEmpty(assist));
	}

	/** Deletes empty threads, because some editors create one on every start. */
	private async deleteEmpty(assist: Assist): Promise<void> {
		for (const id of this.created) {
			const exists = (await assist.thread(id)) !== undefined;
			if (exists && (await assist.entries(id)).length === 0) await assist.delete(id);
		}
	}
}

function metadataOf({ id, title, modifiedAt }: Thread): threads.ThreadMetadata {
	return { id, title, modifiedAt };
}

function userTextOf({ role, chunks }: threads.Message): string {
	if (role === "user") return chunks.map(({ chunk }) => chunk).join("");
	const why = 'expected "user", because the agent writes the messages of the "assistant"';
	throw new RpcError(ErrorCode.invalidParams, `Invalid params: params.message.role: ${why}`);
}

function throwMissing(error: unknown): never {
	throw error instanceof NoSuchThread ? noSuchThread() : error;
}
