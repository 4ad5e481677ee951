import type { PeerRole } from "./connection.js";
import { mask, maskCommand, maskUnparsed } from "./masking.js";

// A trace consists of lines of JSON: a header, and then one line per message.

/** The first line of a trace. */
export interface TraceHeader {
	readonly trace: "segue";
	readonly version: 1;
	/** ISO 8601, in UTC. */
	readonly startedAt: string;
	/** The agent's command, if one was started. */
	readonly command?: readonly string[];
}

/** One message. The file contains it as JSON in `message`, or as a string in `text` if it is not JSON. */
export interface TraceRecord {
	/** Time since the start of the trace. */
	readonly atMs: number;
	readonly from: PeerRole;
	readonly text: string;
}

export interface Trace {
	readonly header: TraceHeader;
	readonly records: readonly TraceRecord[];
}

/** An invalid trace. The message names the line. */
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

/** Writes one line. Masks secrets, because traces are meant to be shared. */
export function writeTraceRecord({ atMs, from, text }: TraceRecord): string {
	const start = `{"atMs":${Math.round(atMs * 1000) / 1000},"from":"${from}"`;
	try {
		const message: unknown = JSON.parse(text);
		const masked = mask(message);
		// Write messages without secrets as received, because JSON.parse loses details. Messages with line breaks must
		// be serialized again.
		const isUnchanged = masked === message && !/[\r\n]/.test(text);
		return `${start},"message":${isUnchanged ? text : JSON.stringify(masked)}}\n`;
	} catch {
		// Not JSON, or nested too deeply to walk.
		return `${start},"text":${JSON.stringify(maskUnparsed(text))}}\n`;
	}
}

/** Reads a trace. Ignores an incomplete last line, for example from a process that was killed. */
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
	if (trace !== "segue") throw new TraceError('line 1 is not a trace header: {"trace":"segue","version":1,…}');
	if (version !== 1) throw new TraceError("line 1: unknown trace version");
	return {
		trace,
		version,
		startedAt: typeof startedAt === "string" ? startedAt : "",
		...(Array.isArray(command) && { command: command.map(String) }),
	};
}

function readRecord(line: string, number: number): TraceRecord {
	const record = objectIn(line);
	if (record === undefined) throw new TraceError(`line ${number} is not a JSON object`);
	const { atMs, from, message, text } = record;
	if (typeof atMs !== "number") throw new TraceError(`line ${number}: atMs must be a number`);
	if (from !== "client" && from !== "agent") throw new TraceError(`line ${number}: "from" must be "client" or "agent"`);
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
