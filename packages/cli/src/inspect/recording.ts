import type { Trace } from "@segue/rpc";

/** A message as JSON-RPC has it. */
export type JsonRpcBody = Readonly<Record<string, unknown>>;

/** Something that the agent said then, and is waited for now. */
export interface ExpectedMessage {
	readonly kind: "answer" | "request" | "notification";
	/** What it answers, asks or tells. */
	readonly method: string;
	/** Of an answer: the id of what it answers. Of a request: its own. */
	readonly id: unknown;
	readonly body: JsonRpcBody;
}

/** Something that the editor said, and what it had heard before it did. */
export interface RecordedStep {
	readonly kind: "answer" | "request" | "notification";
	readonly body: JsonRpcBody;
	/** Came since the step before. */
	readonly after: readonly ExpectedMessage[];
	/** How long that took. */
	readonly tookMs: number;
}

/** A trace, as what the editor did and what it was told. */
export interface Recording {
	readonly steps: readonly RecordedStep[];
	/** Came after the last step. */
	readonly rest: { readonly after: readonly ExpectedMessage[]; readonly tookMs: number };
	/** How many records of the editor are no messages, and cannot be said again. */
	readonly unplayable: number;
}

export function recordingOf({ records }: Trace): Recording {
	const steps: RecordedStep[] = [];
	const asked = new Map<unknown, string>();
	let after: ExpectedMessage[] = [];
	let lastMs = records[0]?.atMs ?? 0;
	let endMs = lastMs;
	let unplayable = 0;
	for (const { from, text, atMs } of records) {
		const body = bodyIn(text);
		const kind = body === undefined ? undefined : messageKindOf(body);
		endMs = atMs;
		if (body === undefined || kind === undefined) {
			if (from === "client") unplayable++;
		} else if (from === "client") {
			steps.push({ kind, body, after, tookMs: atMs - lastMs });
			if (kind === "request") asked.set(body["id"], String(body["method"]));
			after = [];
			lastMs = atMs;
		} else {
			const method = kind === "answer" ? asked.get(body["id"]) : String(body["method"]);
			// An answer to nothing that was asked tells nothing.
			if (method !== undefined) after.push({ kind, method, id: body["id"], body });
		}
	}
	return { steps, rest: { after, tookMs: endMs - lastMs }, unplayable };
}

/** Undefined for what is no object. */
export function bodyIn(text: string): JsonRpcBody | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonRpcBody) : undefined;
	} catch {
		return undefined;
	}
}

export function messageKindOf({ id, method }: JsonRpcBody): RecordedStep["kind"] | undefined {
	if (typeof method === "string") return id === undefined ? "notification" : "request";
	return id === undefined ? undefined : "answer";
}

/** Which session a message is about; empty for none. Each protocol has its own word for it. */
export function sessionIdOf({ params }: JsonRpcBody): string {
	if (typeof params !== "object" || params === null) return "";
	const { sessionId, chatId, threadId } = params as JsonRpcBody;
	const session = sessionId ?? chatId ?? threadId;
	return typeof session === "string" ? session : "";
}
