import { cancelled, ErrorCode, PeerError, type Problem, RpcError } from "./error.js";
import { Inbox } from "./inbox.js";
import type { Limits } from "./limits.js";
import { type Dialect, type Id, writeError, writeResult } from "./message.js";
import type { Call } from "./method.js";

/** The parts of the connection that are needed to answer requests. */
interface Answerer {
	send(text: string): void;
	report(problem: Problem): void;
	/** Called after a request has been answered and its `afterwards` callbacks have run. */
	answered(): void;
}

/**
 * Requests and notifications from the peer. A request runs when the inbox allows it and is answered once. Until then,
 * whether running or waiting, it can be found by its id.
 */
export class Incoming {
	private readonly calls = new Map<Id, IncomingCall>();
	private readonly inbox: Inbox<IncomingCall>;
	private isClosed = false;

	constructor(
		private readonly dialect: Dialect,
		limits: Limits,
		private readonly answerer: Answerer,
	) {
		this.inbox = new Inbox(limits, (call) => this.refuse(call));
	}

	/** Number of unanswered requests. */
	get size(): number {
		return this.calls.size;
	}

	has(id: Id): boolean {
		return this.calls.has(id);
	}

	/** Handles and answers a request. `size` is the size of its message. */
	request(
		id: Id,
		size: number,
		isTalk: boolean,
		handle: (params: unknown, call: Call) => unknown,
		params: unknown,
	): void {
		const call: IncomingCall = new IncomingCall(id, size, isTalk, () => this.handle(call, handle, params));
		this.calls.set(id, call);
		this.inbox.addRequest(call);
	}

	notification(method: string, size: number, handle: (params: unknown) => void, params: unknown): void {
		this.inbox.addNotification(size, () => {
			try {
				handle(params);
			} catch (error) {
				this.answerer.report({ kind: "handler-failed", method, text: "the handler failed", error });
			}
		});
	}

	/** Cancels a request. A waiting request is answered immediately; for a running one, the handler decides. */
	cancel(id: unknown): void {
		const call = this.calls.get(id as Id);
		if (call === undefined) return; // already answered
		if (this.inbox.remove(call)) this.answer(call, writeError(this.dialect, call.id, cancelled()));
		else call.cancel();
	}

	/** Cancels requests that need further input from the peer, which has ended its output. */
	cancelTalks(): void {
		for (const call of [...this.calls.values()].filter(({ isTalk }) => isTalk)) this.cancel(call.id);
	}

	/** Cancels all requests without answering them. */
	close(): void {
		this.isClosed = true;
		this.inbox.close();
		for (const call of this.calls.values()) call.cancel();
		this.calls.clear();
	}

	/** Runs a request's handler. Sends a plain value immediately, and a promise's value once it settles. */
	private handle(call: IncomingCall, run: (params: unknown, call: Call) => unknown, params: unknown): void {
		let result: unknown;
		try {
			result = run(params, call);
		} catch (error) {
			this.fail(call, error);
			return;
		}
		if (isPromise(result)) {
			result.then(
				(value) => this.succeed(call, value),
				(error) => this.fail(call, error),
			);
		} else this.succeed(call, result);
	}

	private succeed(call: IncomingCall, value: unknown): void {
		let text: string;
		try {
			text = writeResult(this.dialect, call.id, value);
		} catch (error) {
			this.fail(call, error);
			return;
		}
		this.answer(call, text);
		this.runBehind(call);
		this.done();
	}

	private runBehind(call: IncomingCall): void {
		if (this.isClosed) return;
		for (const run of call.behind) {
			try {
				run();
			} catch (error) {
				this.answerer.report({ kind: "handler-failed", text: "a callback after the response failed", error });
			}
		}
	}

	private fail(call: IncomingCall, error: unknown): void {
		const shown = this.publicError(call, error);
		let text: string;
		try {
			text = writeError(this.dialect, call.id, shown);
		} catch {
			text = writeError(this.dialect, call.id, new RpcError(shown.code, shown.message)); // its data is not JSON
		}
		this.answer(call, text);
		this.done();
	}

	/**
	 * Returns the error to send. An RpcError thrown by the handler is sent unchanged; other errors are sent without
	 * details.
	 */
	private publicError(call: IncomingCall, error: unknown): RpcError {
		if (error instanceof RpcError && !(error instanceof PeerError)) return error;
		if (call.isCancelled) return cancelled();
		this.answerer.report({ kind: "handler-failed", text: "the handler failed", error });
		return new RpcError(ErrorCode.internal, "Internal error");
	}

	private refuse(call: IncomingCall): void {
		const error = new RpcError(ErrorCode.busy, "Busy: too many pending requests");
		this.answer(call, writeError(this.dialect, call.id, error));
	}

	private answer(call: IncomingCall, text: string): void {
		if (this.calls.get(call.id) !== call) return;
		this.calls.delete(call.id);
		this.answerer.send(text);
	}

	private done(): void {
		this.inbox.done();
		this.answerer.answered();
	}
}

/** A request from the peer. The signal is created on demand, because most handlers don't use it. */
class IncomingCall implements Call {
	isCancelled = false;
	/** Callbacks to run once the response has been sent. */
	behind: readonly (() => void)[] = NO_CALLBACKS;
	private controller: AbortController | undefined;

	constructor(
		readonly id: Id,
		readonly size: number,
		readonly isTalk: boolean,
		readonly run: () => void,
	) {}

	get signal(): AbortSignal {
		if (this.controller === undefined) {
			this.controller = new AbortController();
			if (this.isCancelled) this.controller.abort();
		}
		return this.controller.signal;
	}

	afterwards(run: () => void): void {
		this.behind = [...this.behind, run];
	}

	cancel(): void {
		this.isCancelled = true;
		this.controller?.abort();
	}
}

const NO_CALLBACKS: readonly never[] = [];

function isPromise(value: unknown): value is PromiseLike<unknown> {
	return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
