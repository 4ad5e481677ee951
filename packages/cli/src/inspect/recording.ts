import type { Trace } from "@segue/rpc/trace";

/** A JSON-RPC message. */
export type JsonRpcBody = Readonly<Record<string, unknown>>;

/** A recorded message from the agent, which the replay expects. */
export interface ExpectedMessage {
	readonly kind: "answer" | "request" | "notification";
	/** The message's method, or the method of the request that it answers. */
	readonly method: string;
	/** The request's id, or the id of the request that a response answers. */
	readonly id: unknown;
	readonly body: JsonRpcBody;
}

/** A recorded message from the editor, with the agent's messages that preceded it. */
export interface RecordedStep {
	readonly kind: "answer" | "request" | "notification";
	readonly body: JsonRpcBody;
	/** The agent's messages since the previous step. */
	readonly after: readonly ExpectedMessage[];
	/** Time since the previous step. */
	readonly tookMs: number;
}

/** A trace, divided into the editor's steps and the messages that it received. */
export interface Recording {
	readonly steps: readonly RecordedStep[];
	/** The agent's messages after the last step. */
	readonly rest: { readonly after: readonly ExpectedMessage[]; readonly tookMs: number };
	/** Number of records from the editor that cannot be sent again because they are not messages. */
	readonly unplayable: number;
}

export function recordingOf({ records }: Trace): Recording {
	const steps: RecordedStep[] = [];
	const requested = new Map<unknown, string>();
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
			if (kind === "request") requested.set(body["id"], String(body["method"]));
			after = [];
			lastMs = atMs;
		} else {
			const method = kind === "answer" ? requested.get(body["id"]) : String(body["method"]);
			// Ignore responses without a request.
			if (method !== undefined) after.push({ kind, method, id: body["id"], body });
		}
	}
	return { steps, rest: { after, tookMs: endMs - lastMs }, unplayable };
}

/** Parses a JSON object; undefined for anything else. */
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

/** Returns a message's session, or an empty string. Each protocol has its own name for the session. */
export function sessionIdOf({ params }: JsonRpcBody): string {
	if (typeof params !== "object" || params === null) return "";
	const { sessionId, chatId, threadId } = params as JsonRpcBody;
	const session = sessionId ?? chatId ?? threadId;
	return typeof session === "string" ? session : "";
}
