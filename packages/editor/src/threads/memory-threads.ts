import type * as threads from "@segue/protocol/threads";
import type { ThreadStore } from "./threads-host.js";

// More than a user needs. Beyond this, the least recently used thread is dropped.
const THREADS_MAX = 1000;
// More than a user reads. Beyond this, the oldest entries are dropped.
const ENTRIES_MAX = 10_000;
// Limit for one streamed message. The rest is dropped.
const STREAMED_CHARACTERS_MAX = 2 ** 20;
// Short enough for one line in a list.
const TITLE_CHARACTERS_MAX = 60;

/** Keeps threads in memory while the editor runs. */
export class MemoryThreads implements ThreadStore {
	/** The most recently used last. */
	private readonly threads = new Map<string, StoredThread>();

	constructor(
		private readonly now: () => Date = () => new Date(),
		private readonly newId: () => string = () => crypto.randomUUID(),
	) {}

	list(): threads.ThreadMetadata[] {
		return [...this.threads.values()].reverse().map(({ id, title, modifiedAt }) => ({ id, title, modifiedAt }));
	}

	create(): string {
		const id = this.newId();
		this.touch({ id, title: "", modifiedAt: "", entries: [], isStreaming: false, streamed: 0 });
		return id;
	}

	open(threadId: string): boolean {
		return this.threads.has(threadId);
	}

	entries(threadId: string): readonly threads.ThreadEntry[] | undefined {
		return this.threads.get(threadId)?.entries;
	}

	add(threadId: string, { role, chunks }: threads.Message): boolean {
		const thread = this.threads.get(threadId);
		if (thread === undefined) return false;
		thread.isStreaming = false;
		this.append(thread, { type: "message", role, chunks });
		if (role === "user" && thread.title === "") thread.title = titleOf(chunks);
		return true;
	}

	stream(threadId: string, chunk: threads.MessageChunk): boolean {
		const thread = this.threads.get(threadId);
		if (thread === undefined) return false;
		const last = thread.entries.at(-1);
		if (thread.isStreaming && last?.type === "message") {
			const room = STREAMED_CHARACTERS_MAX - thread.streamed;
			if (chunk.chunk !== "" && chunk.chunk.length <= room) last.chunks.push(chunk);
			thread.streamed += chunk.chunk.length;
			this.touch(thread);
			return true;
		}
		thread.isStreaming = true;
		thread.streamed = chunk.chunk.length;
		this.append(thread, { type: "message", role: "assistant", chunks: [chunk] });
		return true;
	}

	private append(thread: StoredThread, entry: threads.ThreadEntry): void {
		thread.entries.push(entry);
		if (thread.entries.length > ENTRIES_MAX) thread.entries.shift();
		this.touch(thread);
	}

	private touch(thread: StoredThread): void {
		thread.modifiedAt = this.now().toISOString();
		this.threads.delete(thread.id);
		this.threads.set(thread.id, thread);
		const [oldest] = this.threads.keys();
		if (this.threads.size > THREADS_MAX && oldest !== undefined) this.threads.delete(oldest);
	}
}

interface StoredThread {
	readonly id: string;
	title: string;
	modifiedAt: string;
	readonly entries: threads.ThreadEntry[];
	/** Whether the next chunk continues the last message. */
	isStreaming: boolean;
	/** Number of characters streamed into the last message. */
	streamed: number;
}

function titleOf(chunks: readonly threads.MessageChunk[]): string {
	const words = chunks.map(({ chunk }) => chunk).join("");
	return [...words.replace(/\s+/g, " ").trim()].slice(0, TITLE_CHARACTERS_MAX).join("");
}
