import { appendFileSync, closeSync, openSync } from "node:fs";
import { type PeerRole, writeTraceHeader, writeTraceRecord } from "@segue/rpc";
import { errorText } from "@segue/text";
import { StreamObserver } from "./stream-observer.js";

// What is read along is read when it has become quiet, so that whoever waits for an answer does not wait for us.
const QUIET_MS = 50;
// Where it does not become quiet, who looks at the page still sees what goes by.
const LATEST_MS = 1000;
// And it must not pile up.
const WAITING_BYTES_MAX = 2 ** 20;
// What a page that is opened later is shown of what was before: as many lines as the page keeps, and twice over.
const LINES_KEPT_MAX = 20_000;
// The same in characters, since a line may be a whole file.
const KEPT_LENGTH_MAX = 16 * 2 ** 20;
// What a page may have left unread: more than one that has just been opened is sent at once.
const UNREAD_BYTES_MAX = 4 * KEPT_LENGTH_MAX;

/** A socket of a page. */
export interface Watcher {
	readonly bufferedAmount: number;
	send(lines: string): void;
	terminate(): void;
	on(event: "close", listener: () => void): unknown;
}

/**
 * Writes down what goes by, to a file and to who watches. Nothing is left out of the file: it is written before anything else
 * is read, so that a slow disk makes both sides wait instead of filling the memory.
 */
export class Recorder {
	private readonly observers: Readonly<Record<PeerRole, StreamObserver>>;
	/** Undefined where there is none, or it cannot be written any more. */
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
		/** Told once, when the file cannot be written any more. */
		private readonly failed: (why: string) => void,
	) {
		this.head = writeTraceHeader(startedAt, command);
		this.orFail(() => {
			// What went by is nobody else's business.
			if (path !== undefined) this.file = openSync(path, "w", 0o600);
		});
		this.append(this.head);
		const observed = (from: PeerRole, text: string, atMs: number) =>
			this.fresh.push(writeTraceRecord({ from, text, atMs }));
		this.observers = { client: new StreamObserver("client", observed), agent: new StreamObserver("agent", observed) };
	}

	/** Some bytes went by. */
	take(from: PeerRole, chunk: Uint8Array): void {
		const atMs = this.now();
		this.waiting.push({ from, chunk, atMs });
		this.waitingBytes += chunk.length;
		const oldestMs = this.waiting[0]?.atMs ?? atMs;
		if (this.waitingBytes > WAITING_BYTES_MAX || atMs - oldestMs > LATEST_MS) this.read();
		else if (this.timer === undefined) this.timer = setTimeout(() => this.read(), QUIET_MS);
		else this.timer.refresh();
	}

	/** Shows what was, as far as it is kept, and what comes. Who does not read is let go, and can come again. */
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

	/** What goes by is more important than that it is written down. */
	private orFail(work: () => void): void {
		try {
			work();
		} catch (error) {
			this.file = undefined;
			this.failed(errorText(error));
		}
	}
}
