import { ErrorCode, PeerError, RpcError } from "./error.js";
import type { Limits } from "./limits.js";

/** A protocol's variant of JSON-RPC. */
export interface Dialect {
	/**
	 * `jsonrpc`: every message has `"jsonrpc":"2.0"`. `bare`: messages are sent without it but accepted with it, and
	 * there are no notifications.
	 */
	readonly envelope: "jsonrpc" | "bare";
	/** The notification that cancels a request, and its field for the request's id; undefined if there is none. */
	readonly cancel: { readonly method: string; readonly idField: string } | undefined;
	/** Returns the error message for an unknown method. */
	methodNotFound(method: string): string;
	/** Whether the error for an unknown method has the method in its data. Default: no. */
	readonly namesMissingMethod?: true;
	/** Members added to every error, in addition to code, message and data. */
	readonly errorMembers?: Readonly<Record<string, unknown>>;
	/** Whether unreadable input gets an error response without an id. Default: yes. */
	readonly answersUnreadable?: false;
}

export type Id = string | number;

/** A received message. */
export type Message =
	| { readonly kind: "request"; readonly id: Id; readonly method: string; readonly params: unknown }
	| { readonly kind: "notification"; readonly method: string; readonly params: unknown }
	| { readonly kind: "response"; readonly id: unknown; readonly result: unknown; readonly error: PeerError | undefined }
	| { readonly kind: "invalid"; readonly id: Id | null; readonly error: RpcError };

type MessageLimits = Pick<Limits, "idLengthMax" | "methodLengthMax">;

/** Parses a message's envelope. For an invalid message, the result has the error response to send. */
export function readMessage(text: string, dialect: Dialect, limits: MessageLimits): Message {
	const { idLengthMax, methodLengthMax } = limits;
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return { kind: "invalid", id: null, error: new RpcError(ErrorCode.parse, "Parse error: the message is not JSON") };
	}
	if (Array.isArray(value)) return invalid(null, "batches are not supported");
	if (typeof value !== "object" || value === null) return invalid(null, "a message must be an object");

	const { jsonrpc, id, method, params, result, error } = value as Record<string, unknown>;
	// Responses are accepted with either envelope, because a caller is waiting for them.
	const isResponse = method === undefined && id !== undefined && params === undefined;
	if (isResponse) return { kind: "response", id, result: result ?? null, error: readError(error) };

	const hasId = id !== undefined;
	const isGoodId = isId(id, idLengthMax);
	const answerTo = isGoodId ? id : null;
	if (dialect.envelope === "jsonrpc" && jsonrpc !== "2.0") return invalid(answerTo, '"jsonrpc" must be "2.0"');
	if (typeof method !== "string" || method.length > methodLengthMax) {
		return invalid(answerTo, `"method" must be a string of at most ${methodLengthMax} characters`);
	}
	if (params !== undefined && typeof params !== "object") {
		return invalid(answerTo, '"params" must be an object, an array or null');
	}
	if (!hasId) {
		if (dialect.envelope === "bare") return invalid(null, 'a request must have an "id"');
		return { kind: "notification", method, params };
	}
	if (!isGoodId) return invalid(null, `"id" must be a string of at most ${idLengthMax} characters, or a safe number`);
	return { kind: "request", id, method, params };
}

function invalid(id: Id | null, what: string): Message {
	return { kind: "invalid", id, error: new RpcError(ErrorCode.invalidRequest, `Invalid request: ${what}`) };
}

/** Numbers beyond 2^53 cannot be echoed exactly, so they are not valid ids. */
function isId(id: unknown, lengthMax: number): id is Id {
	if (typeof id === "string") return id.length <= lengthMax;
	return typeof id === "number" && Math.abs(id) <= Number.MAX_SAFE_INTEGER;
}

function readError(error: unknown): PeerError | undefined {
	if (error === undefined || error === null) return undefined;
	const { code, message, data } = error as Record<string, unknown>;
	return new PeerError(
		typeof code === "number" ? code : ErrorCode.internal,
		typeof message === "string" ? message : "the other side returned an error without a message",
		data,
	);
}

export function writeRequest(dialect: Dialect, id: Id, method: string, params: unknown): string {
	return JSON.stringify(dialect.envelope === "bare" ? { id, method, params } : { jsonrpc: "2.0", id, method, params });
}

export function writeNotification(dialect: Dialect, method: string, params: unknown): string {
	return JSON.stringify(dialect.envelope === "bare" ? { method, params } : { jsonrpc: "2.0", method, params });
}

/** Writes a result, or `null` if there is none. */
export function writeResult(dialect: Dialect, id: Id, value: unknown): string {
	const result = value ?? null;
	return JSON.stringify(dialect.envelope === "bare" ? { id, result } : { jsonrpc: "2.0", id, result });
}

/**
 * Writes an error. Omits `data` in the bare envelope, because errors in the thread protocol's draft have only a code
 * and a message.
 */
export function writeError(dialect: Dialect, id: Id | null, { code, message, data }: RpcError): string {
	if (dialect.envelope === "bare") return JSON.stringify({ id, error: { code, message } });
	return JSON.stringify({ jsonrpc: "2.0", id, error: { ...dialect.errorMembers, code, message, data } });
}
