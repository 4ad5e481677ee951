import { signal } from "@preact/signals";
import { type Connection, readTrace, type TraceRecord, writeTraceHeader, writeTraceRecord } from "@segue/rpc";

// A day of typing makes some thousands. Older ones are let go.
const RECORDS_MAX = 20_000;

/** Every message of both directions, as they went. */
export class MessageTrace {
	readonly records = signal<readonly TraceRecord[]>([]);
	/** Where it is from, when it was loaded. */
	readonly file = signal<string | undefined>(undefined);
	private live: TraceRecord[] = [];
	private startedAt: Date;
	private head = "";
	private isDrawing = false;

	constructor(
		private readonly now: () => number = Date.now,
		/** Runs something before the next picture is drawn. */
		private readonly beforeDrawing: (run: () => void) => void = (run) => requestAnimationFrame(run),
	) {
		this.startedAt = new Date(now());
	}

	/** Hears a connection from now on. */
	listen(connection: Connection<"client">): void {
		connection.tap(({ direction, phase, text }) => {
			const atMs = this.now() - this.startedAt.getTime();
			if (phase === "before") this.keep({ atMs, from: direction === "out" ? "client" : "agent", text });
		});
	}

	/** Takes lines of a trace file as they are written, the first of which is its head. */
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
		// Many come at once; what is drawn need not be newer than the next picture.
		if (this.isDrawing || this.file.value !== undefined) return;
		this.isDrawing = true;
		this.beforeDrawing(() => {
			this.isDrawing = false;
			if (this.file.value === undefined) this.records.value = [...this.live];
		});
	}

	/** Lets go of what happened so far. */
	clear(): void {
		this.live = [];
		this.startedAt = new Date(this.now());
		this.records.value = [];
	}

	/** Shows what happens now again, with all that happened while a file was shown. */
	unload(): void {
		this.file.value = undefined;
		this.records.value = [...this.live];
	}

	/** As a trace file, with secrets masked. */
	write(): string {
		return writeTraceHeader(this.startedAt) + this.records.value.map(writeTraceRecord).join("");
	}

	/** Shows a trace file instead of what happens now, until it is unloaded. Throws a `TraceError`. */
	load(name: string, text: string): void {
		this.records.value = readTrace(text).records;
		this.file.value = name;
	}
}
