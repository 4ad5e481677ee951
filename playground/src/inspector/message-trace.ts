import { signal } from "@preact/signals";
import type { Connection } from "@segue/rpc";
import type { TraceRecord } from "@segue/rpc/trace";

// A day of typing produces a few thousand messages. Older messages are dropped.
const RECORDS_MAX = 20_000;

/** The start time of a trace, and the agent's command line if `segue inspect` started the agent. */
export interface TraceOrigin {
	readonly startedAt: Date;
	readonly command?: readonly string[] | undefined;
}

/**
 * Every message in both directions, in order. The page records them from the start; `trace-file.ts` reads and writes files, and is
 * loaded with the Inspector.
 */
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
	/** Times of live messages are relative to this. */
	private liveOrigin: TraceOrigin;
	/** The origin of the trace in the loaded file. */
	private fileOrigin: TraceOrigin | undefined;
	private isRemote = false;
	private isDrawing = false;

	constructor(
		private readonly now: () => number = Date.now,
		/** Runs a callback before the next frame. */
		private readonly beforeDrawing: (run: () => void) => void = (run) => requestAnimationFrame(run),
	) {
		this.liveOrigin = { startedAt: new Date(now()) };
	}

	/** The origin of the messages being shown. */
	get origin(): TraceOrigin {
		return this.fileOrigin ?? this.liveOrigin;
	}

	/** Starts recording the messages on a connection. */
	listen(connection: Connection<"client">): void {
		connection.tap(({ direction, phase, text }) => {
			const atMs = this.now() - this.liveOrigin.startedAt.getTime();
			if (phase === "before") this.add({ atMs, from: direction === "out" ? "client" : "agent", text });
		});
	}

	/** Starts over with the messages that `segue inspect` records. */
	restart(origin: TraceOrigin): void {
		this.isRemote = true;
		this.liveOrigin = origin;
		this.live = [];
	}

	add(record: TraceRecord): void {
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

	/** Drops all messages. Also restarts the clock, unless `segue inspect` is recording the trace. */
	clear(): void {
		this.live = [];
		if (!this.isRemote) this.liveOrigin = { startedAt: new Date(this.now()) };
		this.records.value = [];
	}

	/** Shows the messages from a file in place of live ones, until the file is unloaded. */
	show(name: string, origin: TraceOrigin | undefined, records: readonly TraceRecord[]): void {
		this.fileOrigin = origin ?? { startedAt: this.liveOrigin.startedAt };
		this.records.value = records;
		this.file.value = name;
	}

	/** Shows live messages again, including those that arrived while a file was shown. */
	unload(): void {
		this.fileOrigin = undefined;
		this.file.value = undefined;
		this.records.value = [...this.live];
	}
}
