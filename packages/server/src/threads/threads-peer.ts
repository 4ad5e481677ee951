import type { Chat } from "@segue/agent/chat/chat";
import { type Connection, ErrorCode, PeerError, type Request } from "@segue/rpc";

// Editors respond from memory. An editor that hangs must not block a turn.
const RESPONSE_MS_MAX = 5000;

/** The result of a request, or why there is none: unknown method, error response or timeout. */
type RequestOutcome<Result> =
	| { readonly outcome: "done"; readonly result: Result }
	| { readonly outcome: "unknown" | "failed" | "silent" };

/**
 * A connection's peer. Infers from responses which methods the peer supports, because the draft has no capabilities.
 */
export class ThreadsPeer {
	/** Whether a request has timed out and none has been answered since. */
	isSilent = false;
	private readonly unknown = new Set<string>();

	constructor(
		private readonly connection: Connection<"agent">,
		private readonly clock: Chat["clock"],
	) {}

	/**
	 * Sends a request. Never rejects. Does not send requests that the peer is known not to support, and does not wait for
	 * a peer that has stopped responding.
	 */
	async ask<Params, Result>(
		message: Request<Params, Result, "either">,
		params: Params,
	): Promise<RequestOutcome<Result>> {
		if (this.unknown.has(message.method)) return { outcome: "unknown" };
		const response = this.request(message, params);
		if (this.isSilent) return { outcome: "silent" };
		return new Promise((resolve) => {
			const stopTimer = this.clock.after(RESPONSE_MS_MAX, () => {
				this.isSilent = true;
				resolve({ outcome: "silent" });
			});
			void response.then((outcome) => {
				stopTimer();
				resolve(outcome);
			});
		});
	}

	private async request<Params, Result>(
		message: Request<Params, Result, "either">,
		params: Params,
	): Promise<RequestOutcome<Result>> {
		try {
			const result = await this.connection.request(message, params);
			this.isSilent = false;
			return { outcome: "done", result };
		} catch (error) {
			if (!(error instanceof PeerError)) return { outcome: "failed" };
			this.isSilent = false;
			if (error.code !== ErrorCode.methodNotFound) return { outcome: "failed" };
			this.unknown.add(message.method);
			return { outcome: "unknown" };
		}
	}
}
