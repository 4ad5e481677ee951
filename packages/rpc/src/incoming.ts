import { cancelled, ErrorCode, PeerError, type Problem, RpcError } from "./error.js";
import { Inbox } from "./inbox.js";
import type { Limits } from "./limits.js";
import { type Dialect, type Id, writeError, writeResult } from "./message.js";
import type { Call } from "./method.js";

/** The end of a connection that answers, as what it has to answer sees it. */
interface Answerer {
	send(text: string): void;
	report(problem: Problem): void;
	/** Called when a request that was handled has its answer, and what was to follow that. */
	answered(): void;
}

/**
 * What the other side asks and tells. A request is handled when the inbox lets it, answered once, and known by its id until
 * then, whether it is being handled or still waits.
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

	/** How many requests have no answer yet. */
	get size(): number {
		return this.calls.size;
	}

	has(id: Id): boolean {
		return this.calls.has(id);
	}

	/** Has a request handled and answered. The size is that of its message. */
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

	/** Cancels a request. One that still waits is answered so; of any other, the handler decides. */
	cancel(id: unknown): void {
		const call = this.calls.get(id as Id);
		if (call === undefined) return; // it was answered meanwhile
		if (this.inbox.remove(call)) this.answer(call, writeError(this.dialect, call.id, cancelled()));
		else call.cancel();
	}

	/** The other side can say nothing more. */
	cancelTalks(): void {
		for (const call of [...this.calls.values()].filter(({ isTalk }) => isTalk)) this.cancel(call.id);
	}

	/** Nothing more is handled or answered. */
	close(): void {
		this.isClosed = true;
		this.inbox.close();
		for (const call of this.calls.values()) call.cancel();
		this.calls.clear();
	}

	/** Runs a request's handler; a plain value is answered at once, a promise when it settles. */
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
				this.answerer.report({ kind: "handler-failed", text: "what was to follow the answer failed", error });
			}
		}
	}

	private fail(call: IncomingCall, error: unknown): void {
		const said = this.publicError(call, error);
		let text: string;
		try {
			text = writeError(this.dialect, call.id, said);
		} catch {
			text = writeError(this.dialect, call.id, new RpcError(said.code, said.message)); // its data is no JSON
		}
		this.answer(call, text);
		this.done();
	}

	/** What the other side may know of an error: all of an RpcError that a handler made, nothing of any other. */
	private publicError(call: IncomingCall, error: unknown): RpcError {
		if (error instanceof RpcError && !(error instanceof PeerError)) return error;
		if (call.isCancelled) return cancelled();
		this.answerer.report({ kind: "handler-failed", text: "the handler failed", error });
		return new RpcError(ErrorCode.internal, "Internal error");
	}

	private refuse(call: IncomingCall): void {
		const error = new RpcError(ErrorCode.busy, "Busy: too many requests are waiting already");
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

/** A request of the other side. Its signal is made when a handler asks for it, because most never do. */
class IncomingCall implements Call {
	isCancelled = false;
	/** What is to follow the answer. */
	behind: readonly (() => void)[] = NOTHING;
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

const NOTHING: readonly never[] = [];

function isPromise(value: unknown): value is PromiseLike<unknown> {
	return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
