import { signal } from "@preact/signals";
import {
	type Connection,
	readTrace,
	type TraceHeader,
	type TraceRecord,
	writeTraceHeader,
	writeTraceRecord,
} from "@segue/rpc";

// A day of typing makes some thousands. Older ones are let go.
const RECORDS_MAX = 20_000;

/** Every message of both directions, as they went. */
export class MessageTrace {
	readonly records = signal<readonly TraceRecord[]>([]);
	/** Where it is from, when it was loaded. */
	readonly file = signal<string | undefined>(undefined);
	/** What is looked for in it, and the index of the message that is looked at. */
	readonly sought = {
		method: signal(""),
		text: signal(""),
		chosen: signal<number | undefined>(undefined),
	};
	private live: TraceRecord[] = [];
	private startedAt: Date;
	/** Of what is written elsewhere and shown here, the first line; times are since what it says. */
	private head = "";
	/** Of the file. */
	private loaded: TraceHeader | undefined;
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

	/** Lets go of what happened so far. Time begins anew, but for what is written elsewhere. */
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
		const { startedAt, command } = this.header();
		return writeTraceHeader(startedAt, command) + this.records.value.map(writeTraceRecord).join("");
	}

	/** Of what is shown. */
	private header(): { readonly startedAt: Date; readonly command?: readonly string[] | undefined } {
		const known =
			this.file.value !== undefined ? this.loaded : this.head === "" ? undefined : readTrace(this.head).header;
		const startedAt = new Date(known?.startedAt ?? Number.NaN);
		// A file may say anything of when it began, or nothing.
		return { startedAt: Number.isNaN(startedAt.getTime()) ? this.startedAt : startedAt, command: known?.command };
	}

	/** Shows a trace file instead of what happens now, until it is unloaded. Throws a `TraceError`. */
	load(name: string, text: string): void {
		const { header, records } = readTrace(text);
		this.loaded = header;
		this.records.value = records;
		this.file.value = name;
	}
}
