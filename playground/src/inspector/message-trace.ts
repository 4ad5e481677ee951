import { signal } from "@preact/signals";
import {
	type Connection,
	readTrace,
	type TraceHeader,
	type TraceRecord,
	writeTraceHeader,
	writeTraceRecord,
} from "@segue/rpc";

// A day of typing makes a few thousand. Older messages are dropped.
const RECORDS_MAX = 20_000;

/** Every message in both directions, in order. */
export class MessageTrace {
	readonly records = signal<readonly TraceRecord[]>([]);
	/** The name of the loaded trace file; undefined while live messages are shown. */
	readonly file = signal<string | undefined>(undefined);
	/** The filters, and the index of the selected message. */
	readonly sought = {
		method: signal(""),
		text: signal(""),
		chosen: signal<number | undefined>(undefined),
	};
	private live: TraceRecord[] = [];
	private startedAt: Date;
	/** The header line of a trace that `segue inspect` writes. Times are relative to it. */
	private head = "";
	/** The header of the loaded file. */
	private loaded: TraceHeader | undefined;
	private isDrawing = false;

	constructor(
		private readonly now: () => number = Date.now,
		/** Runs a callback before the next frame. */
		private readonly beforeDrawing: (run: () => void) => void = (run) => requestAnimationFrame(run),
	) {
		this.startedAt = new Date(now());
	}

	/** Records the messages of a connection from now on. */
	listen(connection: Connection<"client">): void {
		connection.tap(({ direction, phase, text }) => {
			const atMs = this.now() - this.startedAt.getTime();
			if (phase === "before") this.keep({ atMs, from: direction === "out" ? "client" : "agent", text });
		});
	}

	/** Adds lines of a trace that is being written. The first one is its header. */
	addLines(lines: string): void {
		const hasHead = lines.startsWith('{"trace"');
		if (hasHead) {
			this.head = lines.slice(0, lines.indexOf("\n") + 1);
			this.live = [];
		}
		for (const record of readTrace(hasHead ? lines : this.head + lines).records) this.keep(record);
	}

	private keep(record: TraceRecord): void {
		this.live.push(record);
		if (this.live.length > RECORDS_MAX) this.live.splice(0, this.live.length - RECORDS_MAX);
		// Messages arrive in bursts, so they are drawn once per frame.
		if (this.isDrawing || this.file.value !== undefined) return;
		this.isDrawing = true;
		this.beforeDrawing(() => {
			this.isDrawing = false;
			if (this.file.value === undefined) this.records.value = [...this.live];
		});
	}

	/** Drops all messages and restarts the clock, except for a trace that `segue inspect` writes. */
	clear(): void {
		this.live = [];
		this.startedAt = new Date(this.now());
		this.records.value = [];
	}

	/** Shows live messages again, including those that arrived while a file was shown. */
	unload(): void {
		this.file.value = undefined;
		this.records.value = [...this.live];
	}

	/** Formats the shown messages as a trace file, with secrets masked. */
	write(): string {
		const { startedAt, command } = this.header();
		return writeTraceHeader(startedAt, command) + this.records.value.map(writeTraceRecord).join("");
	}

	/** The header of the shown messages. */
	private header(): { readonly startedAt: Date; readonly command?: readonly string[] | undefined } {
		const known =
			this.file.value !== undefined ? this.loaded : this.head === "" ? undefined : readTrace(this.head).header;
		const startedAt = new Date(known?.startedAt ?? Number.NaN);
		// The time in a file may be missing or invalid.
		return { startedAt: Number.isNaN(startedAt.getTime()) ? this.startedAt : startedAt, command: known?.command };
	}

	/** Shows a trace file in place of live messages, until it is unloaded. Throws a `TraceError`. */
	load(name: string, text: string): void {
		const { header, records } = readTrace(text);
		this.loaded = header;
		this.records.value = records;
		this.file.value = name;
	}
}
