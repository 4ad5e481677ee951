/** The error codes of JSON-RPC and two extensions. */
export const ErrorCode = {
	/** The input is not JSON. */
	parse: -32700,
	/** The input is JSON but not a valid message. */
	invalidRequest: -32600,
	methodNotFound: -32601,
	invalidParams: -32602,
	internal: -32603,
	/** Too many requests are pending. */
	busy: -32001,
	/** The request was cancelled by its sender. */
	cancelled: -32800,
} as const;

/**
 * The only error that crosses a connection. A handler throws it to control the error response. A request rejects with a
 * PeerError if the peer returns an error.
 */
export class RpcError extends Error {
	override readonly name: string = "RpcError";

	constructor(
		readonly code: number,
		message: string,
		readonly data?: unknown,
	) {
		super(message);
	}
}

/**
 * An error returned by the peer. If a handler rethrows it, it is not forwarded: errors from one peer may be
 * confidential to another.
 */
export class PeerError extends RpcError {}

/** The error for a cancelled request, on either side. */
export function cancelled(): RpcError {
	return new RpcError(ErrorCode.cancelled, "Request cancelled");
}

/** An error on this side of the connection, not returned by the peer. */
export class ConnectionError extends Error {
	override readonly name = "ConnectionError";

	constructor(
		readonly kind: "closed" | "bad-result" | "too-many-requests",
		message: string,
	) {
		super(message);
	}
}

/** A problem that cannot be returned to a caller. Its text never contains message content. */
export interface Problem {
	readonly kind:
		| "unreadable"
		| "unknown-notification"
		| "bad-notification"
		| "unknown-response"
		| "handler-failed"
		| "tap-failed";
	readonly text: string;
	readonly method?: string;
	/** The error thrown by a handler or a tap. */
	readonly error?: unknown;
}
