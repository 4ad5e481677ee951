import { readTrace, type TraceHeader, writeTraceHeader, writeTraceRecord } from "@segue/rpc/trace";
import type { MessageTrace, TraceOrigin } from "./message-trace.js";

/** Formats the shown messages as a trace file, with secrets masked. */
export function writeTraceFile({ origin, records }: MessageTrace): string {
	return writeTraceHeader(origin.startedAt, origin.command) + records.value.map(writeTraceRecord).join("");
}

/** Shows a trace file in place of live messages, until it is unloaded. Throws a `TraceError`. */
export function loadTraceFile(trace: MessageTrace, name: string, text: string): void {
	const { header, records } = readTrace(text);
	trace.show(name, originOf(header), records);
}

/** Adds lines from a trace that `segue inspect` is writing. */
export class TraceFollower {
	/** The header line, which is needed to read any other line. */
	private head = "";

	constructor(private readonly trace: MessageTrace) {}

	/** Adds complete lines. A header starts a new trace. */
	add(lines: string): void {
		const hasHead = lines.startsWith('{"trace"');
		if (hasHead) this.head = lines.slice(0, lines.indexOf("\n") + 1);
		const { header, records } = readTrace(hasHead ? lines : this.head + lines);
		if (hasHead) this.trace.restart(originOf(header) ?? { startedAt: new Date() });
		for (const record of records) this.trace.add(record);
	}
}

/** Returns the trace's origin; undefined if the header has no valid time. */
function originOf({ startedAt, command }: TraceHeader): TraceOrigin | undefined {
	const time = new Date(startedAt ?? Number.NaN);
	return Number.isNaN(time.getTime()) ? undefined : { startedAt: time, command };
}
