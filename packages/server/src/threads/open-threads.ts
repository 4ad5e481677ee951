import type { AcquiredEngine, Chat, ChatEngine } from "@segue/agent/chat/chat";
import type { Thread } from "@segue/assist";
import { ErrorCode, RpcError } from "@segue/rpc";
import { rejectForPeer } from "../engine-error.js";

/**
 * The threads that are worked on over one connection. The draft has no word for closing one: a thread stays open, with what its
 * engine knows of it, until the editor turns to another or opens it anew.
 */
export class OpenThreads {
	/** With the engine of the folder that each is about. */
	private readonly open = new Map<string, Promise<AcquiredEngine>>();
	/** Those that are being let go. */
	private readonly leaving = new Map<string, Promise<void>>();
	private readonly busy = new Set<string>();

	constructor(private readonly chat: Chat) {}

	/** Works on a thread, which is busy until that is done. The engine may not be had. */
	async work<T>(threadId: string, use: (engine: Promise<ChatEngine>) => Promise<T>): Promise<T> {
		this.busy.add(threadId);
		try {
			return await use(this.engineOf(threadId));
		} finally {
			this.busy.delete(threadId);
		}
	}

	/** Rejects for one that is not there. */
	async find(threadId: string): Promise<Thread> {
		const thread = await this.withEngine(undefined, ({ assist }) => assist.thread(threadId));
		if (thread === undefined) throw noSuchThread();
		return thread;
	}

	/** Lends the engine of a folder, or, for what only the store has to say, the usual one. */
	async withEngine<T>(folder: string | undefined, use: (engine: ChatEngine) => Promise<T>): Promise<T> {
		const { engine, release } = await this.chat.acquireEngine(folder).catch(rejectForPeer);
		try {
			return await use(engine);
		} finally {
			release();
		}
	}

	/** Lets go of those that fit and are not busy. */
	async leave(fits: (threadId: string) => boolean): Promise<void> {
		const idle = [...this.open.keys()].filter((id) => !this.busy.has(id) && fits(id));
		await Promise.all(idle.map((id) => this.release(id)));
	}

	private async engineOf(threadId: string): Promise<ChatEngine> {
		await this.leave((each) => each !== threadId);
		return (await this.opened(threadId)).engine;
	}

	private async opened(threadId: string): Promise<AcquiredEngine> {
		await this.leaving.get(threadId);
		const known = this.open.get(threadId);
		if (known !== undefined) return known;
		const opening = this.begin(threadId);
		this.open.set(threadId, opening);
		opening.catch(() => this.open.delete(threadId));
		return opening;
	}

	private async begin(threadId: string): Promise<AcquiredEngine> {
		const { workspace } = await this.find(threadId);
		return this.chat.acquireEngine(workspace).catch(rejectForPeer);
	}

	private async release(threadId: string): Promise<void> {
		const opening = this.open.get(threadId);
		this.open.delete(threadId);
		const left = (async () => {
			const acquired = await opening?.catch(() => undefined); // it was never open
			await acquired?.engine.assist.release(threadId);
			acquired?.release();
		})();
		this.leaving.set(threadId, left);
		await left.finally(() => this.leaving.delete(threadId));
	}
}

export function noSuchThread(): RpcError {
	return new RpcError(ErrorCode.invalidParams, "Invalid params: params.threadId: there is no such thread");
}
