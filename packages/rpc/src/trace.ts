import type { PeerRole } from "./connection.js";
import { mask, maskCommand, maskUnparsed } from "./masking.js";

// A trace is a text of JSON lines: first what was recorded, then one line for each message.

/** The first line of a trace. */
export interface TraceHeader {
	readonly trace: "segue";
	readonly version: 1;
	/** ISO 8601, in UTC. */
	readonly startedAt: string;
	/** What was started as the agent, where something was. */
	readonly command?: readonly string[];
}

/** One message. In the file its JSON stands as `message`; what is no JSON stands as `text`. */
export interface TraceRecord {
	/** Since the trace began. */
	readonly atMs: number;
	readonly from: PeerRole;
	readonly text: string;
}

export interface Trace {
	readonly header: TraceHeader;
	readonly records: readonly TraceRecord[];
}

/** Says which line of a text is not what it must be in a trace. */
export class TraceError extends Error {
	constructor(message: string) {
		super(message);
		this.name = "TraceError";
	}
}

export function writeTraceHeader(startedAt: Date, command?: readonly string[]): string {
	const header: TraceHeader = {
		trace: "segue",
		version: 1,
		startedAt: startedAt.toISOString(),
		...(command !== undefined && { command: maskCommand(command) }),
	};
	return `${JSON.stringify(header)}\n`;
}

/** One line. Secrets are masked: traces are made to be shown to others. */
export function writeTraceRecord({ atMs, from, text }: TraceRecord): string {
	const start = `{"atMs":${Math.round(atMs * 1000) / 1000},"from":"${from}"`;
	try {
		const message: unknown = JSON.parse(text);
		const masked = mask(message);
		// Most are written as they came, in all that JSON.parse does not keep, unless they have lines of their own.
		const isAsItWas = masked === message && !/[\r\n]/.test(text);
		return `${start},"message":${isAsItWas ? text : JSON.stringify(masked)}}\n`;
	} catch {
		// It is no JSON, or is nested more deeply than can be walked.
		return `${start},"text":${JSON.stringify(maskUnparsed(text))}}\n`;
	}
}

/** Reads a trace file. A last line that was cut off, as by a process that was killed, is left out. */
export function readTrace(text: string): Trace {
	const lines = text.split("\n");
	const last = lines.pop() ?? "";
	const [first = "", ...rest] = lines;
	const header = readHeader(first === "" ? last : first);
	const records = rest.flatMap((line, i) => (line.trim() === "" ? [] : [readRecord(line, i + 2)]));
	if (last.trim() !== "" && first !== "" && isWhole(last)) records.push(readRecord(last, lines.length + 1));
	return { header, records };
}

function readHeader(line: string): TraceHeader {
	const { trace, version, startedAt, command } = objectIn(line) ?? {};
	if (trace !== "segue") throw new TraceError('line 1 is no head of a trace: {"trace":"segue","version":1,…}');
	if (version !== 1) throw new TraceError("line 1: this trace is of a version that is not known here");
	return {
		trace,
		version,
		startedAt: typeof startedAt === "string" ? startedAt : "",
		...(Array.isArray(command) && { command: command.map(String) }),
	};
}

function readRecord(line: string, number: number): TraceRecord {
	const record = objectIn(line);
	if (record === undefined) throw new TraceError(`line ${number} is no JSON object`);
	const { atMs, from, message, text } = record;
	if (typeof atMs !== "number") throw new TraceError(`line ${number}: atMs must be a number`);
	if (from !== "client" && from !== "agent") throw new TraceError(`line ${number}: from must be client or agent`);
	if (message !== undefined) return { atMs, from, text: JSON.stringify(message) };
	if (typeof text !== "string") throw new TraceError(`line ${number} has neither message nor text`);
	return { atMs, from, text };
}

function isWhole(line: string): boolean {
	return objectIn(line) !== undefined;
}

function objectIn(line: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(line);
		return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
	} catch {
		return undefined;
	}
}
