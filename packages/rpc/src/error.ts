/** The codes of JSON-RPC, and the two that our protocols add. */
export const ErrorCode = {
	/** What arrived is not JSON. */
	parse: -32700,
	/** It is JSON, but no message that can be handled. */
	invalidRequest: -32600,
	methodNotFound: -32601,
	invalidParams: -32602,
	internal: -32603,
	/** More requests wait than the other side allows. */
	busy: -32001,
	/** The request was cancelled by the one who sent it. */
	cancelled: -32800,
} as const;

/**
 * The only error that crosses a connection. A handler throws it to choose what its caller reads; a request rejects with
 * a PeerError when the other side answered with an error.
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
 * What the other side of a connection answered. A handler that lets it through does not pass it on: what one peer says
 * in confidence is not for another to read.
 */
export class PeerError extends RpcError {}

/** What is said of a request that was cancelled, to either side. */
export function cancelled(): RpcError {
	return new RpcError(ErrorCode.cancelled, "Request cancelled");
}

/** What went wrong on this side: nothing that the other side said. */
export class ConnectionError extends Error {
	override readonly name = "ConnectionError";

	constructor(
		readonly kind: "closed" | "bad-result" | "too-many-requests",
		message: string,
	) {
		super(message);
	}
}

/** Something that nobody is waiting to hear. Its text never holds what a message held. */
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
	/** What a handler or a tap of our own threw. */
	readonly error?: unknown;
}
