import { appendFileSync, closeSync, openSync } from "node:fs";
import { fileErrorText } from "@segue/agent/config/user-error";
import type { PeerRole } from "@segue/rpc";
import { writeTraceHeader, writeTraceRecord } from "@segue/rpc/trace";
import { StreamObserver } from "./stream-observer.js";

// Messages are decoded once traffic pauses for this long, so that decoding does not delay responses.
const QUIET_MS = 50;
// Without a pause, messages are decoded at least this often, so that the page stays up to date.
const LATEST_MS = 1000;
// Limits the memory used by messages that have not been decoded yet.
const WAITING_BYTES_MAX = 2 ** 20;
// The history for pages that are opened later: twice as many lines as a page keeps.
const LINES_KEPT_MAX = 20_000;
// Also limits the history in characters, because a line can contain a whole file.
const KEPT_LENGTH_MAX = 16 * 2 ** 20;
// A page this far behind has stopped reading. Larger than the history that a new page receives at once.
const UNREAD_BYTES_MAX = 4 * KEPT_LENGTH_MAX;

/** The WebSocket of a page. */
export interface Watcher {
	readonly bufferedAmount: number;
	send(lines: string): void;
	terminate(): void;
	on(event: "close", listener: () => void): unknown;
}

/**
 * Records relayed messages in a file and sends them to pages. The file is complete: writes are synchronous, so a slow
 * disk delays both sides instead of filling the memory.
 */
export class Recorder {
	private readonly observers: Readonly<Record<PeerRole, StreamObserver>>;
	/** Undefined without a file, or after a write has failed. */
	private file: number | undefined;
	private readonly head: string;
	private kept: string[] = [];
	private keptLength = 0;
	private waiting: { readonly from: PeerRole; readonly chunk: Uint8Array; readonly atMs: number }[] = [];
	private waitingBytes = 0;
	private timer: NodeJS.Timeout | undefined;
	private readonly watchers = new Set<Watcher>();
	private fresh: string[] = [];

	constructor(
		path: string | undefined,
		startedAt: Date,
		command: readonly string[],
		private readonly now: () => number,
		/** Called when writing the file fails, at most once. */
		private readonly failed: (why: string) => void,
	) {
		this.head = writeTraceHeader(startedAt, command);
		this.orFail(() => {
			// Messages can contain private data.
			if (path !== undefined) this.file = openSync(path, "w", 0o600);
		});
		this.append(this.head);
		const observed = (from: PeerRole, text: string, atMs: number) =>
			this.fresh.push(writeTraceRecord({ from, text, atMs }));
		this.observers = { client: new StreamObserver("client", observed), agent: new StreamObserver("agent", observed) };
	}

	/** Records relayed bytes. */
	take(from: PeerRole, chunk: Uint8Array): void {
		const atMs = this.now();
		this.waiting.push({ from, chunk, atMs });
		this.waitingBytes += chunk.length;
		const oldestMs = this.waiting[0]?.atMs ?? atMs;
		if (this.waitingBytes > WAITING_BYTES_MAX || atMs - oldestMs > LATEST_MS) this.read();
		else if (this.timer === undefined) this.timer = setTimeout(() => this.read(), QUIET_MS);
		else this.timer.refresh();
	}

	/** Sends the history and then new messages. A page that stops reading is disconnected and can reconnect. */
	watch(watcher: Watcher): void {
		this.read();
		watcher.send(this.head + this.kept.join(""));
		this.watchers.add(watcher);
		watcher.on("close", () => this.watchers.delete(watcher));
	}

	close(): void {
		this.read();
		for (const observer of Object.values(this.observers)) observer.end();
		this.write();
		const { file } = this;
		if (file !== undefined) this.orFail(() => closeSync(file));
		this.file = undefined;
	}

	private read(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		const { waiting } = this;
		this.waiting = [];
		this.waitingBytes = 0;
		for (const { from, chunk, atMs } of waiting) this.observers[from].push(chunk, atMs);
		this.write();
	}

	private write(): void {
		if (this.fresh.length === 0) return;
		const { fresh } = this;
		this.fresh = [];
		const text = fresh.join("");
		this.append(text);
		for (const watcher of this.watchers) {
			if (watcher.bufferedAmount > UNREAD_BYTES_MAX) watcher.terminate();
			else watcher.send(text);
		}
		this.kept = this.kept.concat(fresh);
		this.keptLength += text.length;
		let dropped = 0;
		while (this.kept.length - dropped > LINES_KEPT_MAX || this.keptLength > KEPT_LENGTH_MAX) {
			this.keptLength -= this.kept[dropped++]?.length ?? 0;
		}
		if (dropped > 0) this.kept = this.kept.slice(dropped);
	}

	private append(text: string): void {
		const { file } = this;
		if (file !== undefined) this.orFail(() => appendFileSync(file, text));
	}

	/** If recording fails, relaying continues. */
	private orFail(work: () => void): void {
		try {
			work();
		} catch (error) {
			this.file = undefined;
			this.failed(fileErrorText(error));
		}
	}
}
