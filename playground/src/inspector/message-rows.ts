import type { TraceRecord } from "@segue/rpc/trace";

/** A message in the inspector's list. */
export interface MessageRow {
	readonly index: number;
	readonly record: TraceRecord;
	readonly kind: "request" | "notification" | "response" | "error" | "unreadable";
	/** For a response, the method of its request. */
	readonly method: string;
	readonly value: unknown;
	/** The index of the response for a request, or of the request for a response. */
	readonly pair: number | undefined;
	/** For a response, the time since its request. */
	readonly latencyMs: number | undefined;
}

/** Pairs the requests in a trace with their responses. Each side numbers its own requests. */
export function messageRowsOf(records: readonly TraceRecord[]): readonly MessageRow[] {
	const open = new Map<string, number>();
	const rows: MessageRow[] = [];
	for (const [index, record] of records.entries()) {
		const row = rowOf(index, record);
		const { id } = membersOf(row.value);
		if (row.kind === "request") open.set(`${record.from} ${JSON.stringify(id)}`, index);
		const isAnswer = row.kind === "response" || row.kind === "error";
		const key = `${record.from === "client" ? "agent" : "client"} ${JSON.stringify(id)}`;
		const asked = isAnswer ? open.get(key) : undefined;
		const request = asked === undefined ? undefined : rows[asked];
		if (asked === undefined || request === undefined) {
			rows.push(row);
			continue;
		}
		open.delete(key);
		rows[asked] = { ...request, pair: index };
		const latencyMs = record.atMs - request.record.atMs;
		rows.push({ ...row, method: request.method, pair: asked, latencyMs });
	}
	return rows;
}

/** Whether a row matches both filters, one for the method and one for the text. */
export function matches({ method, record }: MessageRow, filter: string, text: string): boolean {
	const isMeant = filter === "" || method.toLowerCase().includes(filter.toLowerCase());
	return isMeant && (text === "" || record.text.toLowerCase().includes(text.toLowerCase()));
}

type Reading = Pick<MessageRow, "kind" | "method" | "value">;

/** Caches parsed messages, because the list is rebuilt whenever it grows. */
const readings = new WeakMap<TraceRecord, Reading>();

function rowOf(index: number, record: TraceRecord): MessageRow {
	const reading = readings.get(record) ?? readingOf(record.text);
	readings.set(record, reading);
	return { index, record, ...reading, pair: undefined, latencyMs: undefined };
}

function readingOf(text: string): Reading {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return { kind: "unreadable", method: "(not JSON)", value: text };
	}
	const { id, method, error } = membersOf(value);
	if (typeof method === "string") return { kind: id === undefined ? "notification" : "request", method, value };
	return { kind: error === undefined ? "response" : "error", method: "(unknown)", value };
}

/** Returns the members of an object, or none for any other value. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
