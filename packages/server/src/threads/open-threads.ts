import type { AcquiredEngine, Chat, ChatEngine } from "@segue/agent/chat/chat";
import type { Thread } from "@segue/assist";
import { ErrorCode, RpcError } from "@segue/rpc";
import { rejectForPeer } from "../engine-error.js";

/**
 * The threads in use on one connection. The draft has no method to close a thread, so a thread keeps its engine until
 * the editor uses another thread or reopens this one.
 */
export class OpenThreads {
	/** The engine for each thread's folder. */
	private readonly open = new Map<string, Promise<AcquiredEngine>>();
	/** Pending releases. */
	private readonly releasing = new Map<string, Promise<void>>();
	private readonly busy = new Set<string>();

	constructor(private readonly chat: Chat) {}

	/** Marks a thread as busy while `use` runs. `use` receives the engine as a promise, which may reject. */
	async work<T>(threadId: string, use: (engine: Promise<ChatEngine>) => Promise<T>): Promise<T> {
		this.busy.add(threadId);
		try {
			return await use(this.engineOf(threadId));
		} finally {
			this.busy.delete(threadId);
		}
	}

	/** Rejects if the thread is unknown. */
	async find(threadId: string): Promise<Thread> {
		const thread = await this.withEngine(undefined, ({ assist }) => assist.thread(threadId));
		if (thread === undefined) throw noSuchThread();
		return thread;
	}

	/**
	 * Acquires the engine for a folder while `use` runs. Without a folder, acquires the default engine, which gives
	 * access to the store.
	 */
	async withEngine<T>(folder: string | undefined, use: (engine: ChatEngine) => Promise<T>): Promise<T> {
		const { engine, release } = await this.chat.acquireEngine(folder).catch(rejectForPeer);
		try {
			return await use(engine);
		} finally {
			release();
		}
	}

	/** Releases the idle threads that match. */
	async releaseIdle(matches: (threadId: string) => boolean): Promise<void> {
		const idle = [...this.open.keys()].filter((id) => !this.busy.has(id) && matches(id));
		await Promise.all(idle.map((id) => this.release(id)));
	}

	private async engineOf(threadId: string): Promise<ChatEngine> {
		await this.releaseIdle((each) => each !== threadId);
		return (await this.opened(threadId)).engine;
	}

	private async opened(threadId: string): Promise<AcquiredEngine> {
		await this.releasing.get(threadId);
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
		const released = (async () => {
			const acquired = await opening?.catch(() => undefined); // failed to open
			await acquired?.engine.assist.release(threadId);
			acquired?.release();
		})();
		this.releasing.set(threadId, released);
		await released.finally(() => this.releasing.delete(threadId));
	}
}

export function noSuchThread(): RpcError {
	return new RpcError(ErrorCode.invalidParams, "Invalid params: params.threadId: unknown thread");
}
