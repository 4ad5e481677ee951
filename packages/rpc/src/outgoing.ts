import { ConnectionError, cancelled, type PeerError } from "./error.js";
import type { Limits } from "./limits.js";
import { type Dialect, type Id, writeNotification, writeRequest } from "./message.js";
import { check, type From, type Request, type Schema } from "./method.js";

/** Requests sent by this side that have no response yet. */
export class Outgoing {
	private readonly pending = new Map<Id, PendingRequest>();
	private nextId = 0;

	constructor(
		private readonly dialect: Dialect,
		private readonly limits: Pick<Limits, "pendingMax">,
		private readonly send: (text: string) => void,
	) {}

	request<Params, Result>(
		message: Request<Params, Result, From>,
		params: Params,
		signal: AbortSignal | undefined,
	): Promise<Result> {
		if (signal?.aborted) return Promise.reject(cancelled());
		if (this.pending.size >= this.limits.pendingMax) {
			const text = `${message.method}: ${this.pending.size} requests are already pending`;
			return Promise.reject(new ConnectionError("too-many-requests", text));
		}
		const id = this.nextId++;
		return new Promise<Result>((resolve, reject) => {
			const text = writeRequest(this.dialect, id, message.method, params);
			const cancel = () => this.cancel(id);
			signal?.addEventListener("abort", cancel, { once: true });
			this.pending.set(id, {
				message,
				resolve: resolve as (result: unknown) => void,
				reject,
				release: () => signal?.removeEventListener("abort", cancel),
			});
			this.send(text);
		});
	}

	/** Settles a request with its response. Returns false if there is no such request. */
	settle(id: unknown, result: unknown, error: PeerError | undefined): boolean {
		const request = this.pending.get(id as Id);
		if (request === undefined) return false;
		this.pending.delete(id as Id);
		request.release();
		if (error !== undefined) {
			request.reject(error);
			return true;
		}
		const checked = check(request.message.result, result);
		if ("wrong" in checked) {
			const where = checked.wrong.replace(/^params/, "result");
			request.reject(new ConnectionError("bad-result", `invalid response to ${request.message.method}: ${where}`));
		} else request.resolve(checked.value);
		return true;
	}

	/** Rejects all pending requests. */
	failAll(reason: string): void {
		for (const request of this.pending.values()) {
			request.release();
			request.reject(unanswered(request.message.method, reason));
		}
		this.pending.clear();
	}

	private cancel(id: Id): void {
		const { cancel } = this.dialect;
		if (cancel !== undefined) this.send(writeNotification(this.dialect, cancel.method, { [cancel.idField]: id }));
	}
}

/** The error for a request that will not be answered. */
export function unanswered(method: string, reason: string): ConnectionError {
	return new ConnectionError("closed", `${method} has no answer: ${reason}`);
}

interface PendingRequest {
	readonly message: { readonly method: string; readonly result: Schema<unknown> };
	readonly resolve: (result: unknown) => void;
	readonly reject: (error: Error) => void;
	/** Removes the listener from the caller's signal. */
	readonly release: () => void;
}
