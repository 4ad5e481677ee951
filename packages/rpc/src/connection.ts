import type { Channel } from "./channel.js";
import { ConnectionError, ErrorCode, PeerError, RpcError } from "./error.js";
import { Inbox } from "./inbox.js";
import { LIMITS, type Limits } from "./limits.js";
import {
	type Dialect,
	type Id,
	type Message,
	readMessage,
	writeError,
	writeNotification,
	writeRequest,
	writeResult,
} from "./message.js";
import { type Call, check, type From, type Handler, type Notification, type Request, type Schema } from "./method.js";

/** Nobody notices a pause this short, and to look costs nothing. */
const DRAIN_LOOK_MS = 10;

/** One end of a connection: which messages it sends. */
export type Side = Exclude<From, "either">;

type Other<Own extends Side> = Own extends "client" ? "agent" : "client";

export interface ConnectionOptions<Own extends Side> {
	readonly dialect: Dialect;
	/** One for each message that this side handles; the order does not matter. */
	readonly handlers: readonly Handler<Other<Own> | "either">[];
	/** Asked for a handler of what none of them handles, by its method: for a peer that passes on what it does not know. */
	readonly otherwise?: (method: string, kind: "request" | "notification") => Handler<Other<Own> | "either"> | undefined;
	/** Asked of every request before anything else: the error to answer it with, if it may not be made yet. */
	readonly admit?: (method: string) => RpcError | undefined;
	/** Told of everything that has no answer to go into: for the log. */
	readonly report: (problem: Problem) => void;
	/** The time that taps are given, in milliseconds. */
	readonly now?: () => number;
	/** Runs something later; returns how to call it off. */
	readonly after?: (delayMs: number, run: () => void) => () => void;
	/** Bounds other than `LIMITS`. */
	readonly limits?: Partial<Limits>;
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

/** Why a connection is over: the other side went, this side closed it, or it could not go on. */
export interface Closed {
	readonly by: "other" | "us" | "failure";
	readonly reason: string;
}

/** Sees a message of either direction, before and after it is handled or written. Text cannot be changed. */
export type Tap = (event: {
	readonly direction: "in" | "out";
	readonly phase: "before" | "after";
	readonly atMs: number;
	readonly text: string;
}) => void;

/**
 * One of two equal peers. Messages are handled in the order they arrive: the synchronous part of a handler runs to its
 * end before the next message is looked at, and a request that has to wait makes everything behind it wait. Only
 * responses and cancellations overtake, so a handler that asks the other side something always gets its answer.
 */
export class Connection<Own extends Side> {
	/** Resolves when the connection is over and what was sent is written. It never rejects. */
	readonly closed: Promise<Closed>;

	private readonly handlers = new Map<string, Handler<From>>();
	private readonly limits: Limits;
	private readonly dialect: Dialect;
	private readonly inbox: Inbox<IncomingCall>;
	/** Requests of the other side that have no answer yet, whether handled or waiting. */
	private readonly incoming = new Map<Id, IncomingCall>();
	private readonly pending = new Map<Id, PendingRequest>();
	private readonly taps = new Set<Tap>();
	private readonly now: () => number;
	private readonly after: NonNullable<ConnectionOptions<Own>["after"]>;
	private nextId = 0;
	private isClosed = false;
	/** Why nothing more arrives, once that is so. */
	private ending: Closed | undefined;
	private callOffEnding: () => void = () => {};
	private settleClosed: (closed: Closed) => void = () => {};

	constructor(
		private readonly channel: Channel,
		private readonly options: ConnectionOptions<Own>,
	) {
		this.dialect = options.dialect;
		this.limits = { ...LIMITS, ...options.limits };
		this.now = options.now ?? Date.now;
		this.after = options.after ?? startTimer;
		for (const handler of options.handlers) {
			const { method } = handler.message;
			if (this.handlers.has(method)) throw new Error(`two handlers for ${method}`);
			this.handlers.set(method, handler);
		}
		this.inbox = new Inbox(this.limits, (call) => this.refuse(call));
		this.closed = new Promise((resolve) => {
			this.settleClosed = resolve;
		});
		channel.open(
			{
				message: (text) => this.receive(text),
				unreadable: (error) => this.answerUnreadable(error),
				closed: (reason) => this.finish({ by: "other", reason }),
				ended: (reason) => this.end({ by: "other", reason }),
			},
			this.limits.messageBytesMax,
		);
	}

	/**
	 * Sends a request. Rejects with a PeerError when the other side answers with an error, and with a ConnectionError
	 * when the connection closes or the answer does not have the form it must have. Aborting the signal asks the other
	 * side to cancel, where the protocol has a way to; what it then answers, an error or still a result, is the outcome.
	 */
	request<Params, Result>(
		message: Request<Params, Result, Own | "either">,
		params: Params,
		signal?: AbortSignal,
	): Promise<Result> {
		if (this.isClosed) return Promise.reject(closedError(message.method, "the connection is closed"));
		if (this.ending !== undefined) return Promise.reject(closedError(message.method, this.ending.reason));
		if (signal?.aborted) return Promise.reject(cancelled());
		if (this.pending.size >= this.limits.pendingMax) {
			const text = `${message.method}: ${this.pending.size} requests have no answer yet`;
			return Promise.reject(new ConnectionError("too-many-requests", text));
		}
		const id = this.nextId++;
		return new Promise<Result>((resolve, reject) => {
			const text = writeRequest(this.dialect, id, message.method, params);
			const cancel = () => this.sendCancel(id);
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

	notify<Params>(message: Notification<Params, Own | "either">, params: Params): void {
		if (!this.isClosed) this.send(writeNotification(this.dialect, message.method, params));
	}

	/** Whether the other side has so much left to read that whoever has much to say should wait until it is `drained`. */
	get isFull(): boolean {
		return !this.isClosed && this.channel.unwrittenBytes > this.limits.drainedBytesMax;
	}

	/** Settles when the connection is no longer full. No channel tells of it, so it is looked for again and again. */
	async drained(): Promise<void> {
		while (this.isFull) await new Promise<void>((resolve) => this.after(DRAIN_LOOK_MS, resolve));
	}

	/** Lets an observer see every message from now on. Returns how to stop it. */
	tap(tap: Tap): () => void {
		this.taps.add(tap);
		return () => this.taps.delete(tap);
	}

	close(reason = "this side closed the connection"): void {
		this.finish({ by: "us", reason });
	}

	private receive(text: string): void {
		if (this.isClosed) return;
		if (this.taps.size > 0) this.showTaps("in", "before", text);
		if (!this.isClosed) this.dispatch(readMessage(text, this.dialect, this.limits), text.length);
		if (this.taps.size > 0) this.showTaps("in", "after", text);
	}

	private dispatch(message: Message, size: number): void {
		switch (message.kind) {
			case "request":
				this.dispatchRequest(message.id, message.method, message.params, size);
				break;
			case "notification":
				this.dispatchNotification(message.method, message.params, size);
				break;
			case "response":
				this.settle(message.id, message.result, message.error);
				break;
			case "invalid":
				// Without an id, nobody knows what the answer answers.
				if (message.id === null) this.answerUnreadable(message.error);
				else this.send(writeError(this.dialect, message.id, message.error));
		}
	}

	private dispatchRequest(id: Id, method: string, params: unknown, size: number): void {
		if (this.incoming.has(id)) {
			const error = new RpcError(ErrorCode.invalidRequest, "Invalid request: a request with this id is in flight");
			this.send(writeError(this.dialect, id, error));
			return;
		}
		const refusal = this.options.admit?.(method);
		if (refusal !== undefined) {
			this.send(writeError(this.dialect, id, refusal));
			return;
		}
		const handler = this.handlers.get(method) ?? this.options.otherwise?.(method, "request");
		if (handler?.message.kind !== "request") {
			const { dialect } = this;
			const data = dialect.namesMissingMethod ? { method } : undefined;
			const error = new RpcError(ErrorCode.methodNotFound, dialect.methodNotFound(method), data);
			this.send(writeError(this.dialect, id, error));
			return;
		}
		const checked = check(handler.message.params, params);
		if ("wrong" in checked) {
			const error = new RpcError(ErrorCode.invalidParams, `Invalid params: ${checked.wrong}`);
			this.send(writeError(this.dialect, id, error));
			return;
		}
		const call: IncomingCall = new IncomingCall(id, size, handler.isTalk === true, () =>
			this.handle(call, handler.handle, checked.value),
		);
		this.incoming.set(id, call);
		this.inbox.addRequest(call);
	}

	private dispatchNotification(method: string, params: unknown, size: number): void {
		const { cancel } = this.dialect;
		if (cancel !== undefined && method === cancel.method) {
			this.cancel((params as Record<string, unknown> | null | undefined)?.[cancel.idField]);
			return;
		}
		const handler = this.handlers.get(method) ?? this.options.otherwise?.(method, "notification");
		if (handler?.message.kind !== "notification") {
			this.report({ kind: "unknown-notification", method, text: "nobody handles this notification" });
			return;
		}
		const checked = check(handler.message.params, params);
		if ("wrong" in checked) {
			this.report({ kind: "bad-notification", method, text: checked.wrong });
			return;
		}
		const { handle } = handler as Extract<Handler<From>, { message: { kind: "notification" } }>;
		this.inbox.addNotification(size, () => {
			try {
				handle(checked.value);
			} catch (error) {
				this.report({ kind: "handler-failed", method, text: "the handler failed", error });
			}
		});
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
		this.inbox.done();
		this.finishWhenAnswered();
	}

	private runBehind(call: IncomingCall): void {
		if (this.isClosed) return;
		for (const run of call.behind) {
			try {
				run();
			} catch (error) {
				this.report({ kind: "handler-failed", text: "what was to follow the answer failed", error });
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
		this.inbox.done();
		this.finishWhenAnswered();
	}

	/** What the other side may know of an error: all of an RpcError that a handler made, nothing of any other. */
	private publicError(call: IncomingCall, error: unknown): RpcError {
		if (error instanceof RpcError && !(error instanceof PeerError)) return error;
		if (call.isCancelled) return cancelled();
		this.report({ kind: "handler-failed", text: "the handler failed", error });
		return new RpcError(ErrorCode.internal, "Internal error");
	}

	private answer(call: IncomingCall, text: string): void {
		if (this.incoming.get(call.id) !== call) return;
		this.incoming.delete(call.id);
		this.send(text);
	}

	private refuse(call: IncomingCall): void {
		const error = new RpcError(ErrorCode.busy, "Busy: too many requests are waiting already");
		this.answer(call, writeError(this.dialect, call.id, error));
	}

	private cancel(id: unknown): void {
		const call = this.incoming.get(id as Id);
		if (call === undefined) return; // it was answered meanwhile
		if (this.inbox.remove(call)) this.answer(call, writeError(this.dialect, call.id, cancelled()));
		else call.cancel();
	}

	private sendCancel(id: Id): void {
		const { cancel } = this.dialect;
		if (cancel === undefined || this.isClosed) return;
		this.send(writeNotification(this.dialect, cancel.method, { [cancel.idField]: id }));
	}

	private settle(id: unknown, result: unknown, error: PeerError | undefined): void {
		const request = this.pending.get(id as Id);
		if (request === undefined) {
			const what = error === undefined ? "a response" : `the error ${error.code}`;
			this.report({ kind: "unknown-response", text: `${what} to no request of ours` });
			return;
		}
		this.pending.delete(id as Id);
		request.release();
		if (error !== undefined) {
			request.reject(error);
			return;
		}
		const checked = check(request.message.result, result);
		if ("wrong" in checked) {
			const where = checked.wrong.replace(/^params/, "result");
			request.reject(new ConnectionError("bad-result", `${request.message.method} was answered wrongly: ${where}`));
		} else request.resolve(checked.value);
	}

	private answerUnreadable(error: RpcError): void {
		if (this.isClosed) return;
		this.report({ kind: "unreadable", text: error.message });
		if (this.dialect.answersUnreadable !== false) this.send(writeError(this.dialect, null, error));
	}

	private send(text: string): void {
		if (this.isClosed) return;
		if (this.channel.unwrittenBytes > this.limits.unwrittenBytesMax) {
			const reason = `the other side does not read: more than ${this.limits.unwrittenBytesMax} bytes are waiting`;
			this.finish({ by: "failure", reason });
			return;
		}
		if (this.taps.size > 0) this.showTaps("out", "before", text);
		this.channel.send(text);
		if (this.taps.size > 0) this.showTaps("out", "after", text);
	}

	private showTaps(direction: "in" | "out", phase: "before" | "after", text: string): void {
		const atMs = this.now();
		for (const tap of this.taps) {
			try {
				tap({ direction, phase, atMs, text });
			} catch (error) {
				this.report({ kind: "tap-failed", text: "a tap failed", error });
			}
		}
	}

	/** A `report` that fails has nobody left to tell, and must not take the connection with it. */
	private report(problem: Problem): void {
		try {
			this.options.report(problem);
		} catch {}
	}

	/** The other side says nothing more. What it has asked is answered, as far as that needs none of its answers. */
	private end(ending: Closed): void {
		if (this.isClosed) return;
		this.ending = ending;
		this.rejectPending(ending.reason);
		for (const call of [...this.incoming.values()].filter(({ isTalk }) => isTalk)) this.cancel(call.id);
		this.callOffEnding = this.after(this.limits.lastAnswersMsMax, () => this.finish(ending));
		this.finishWhenAnswered();
	}

	private finishWhenAnswered(): void {
		if (this.ending !== undefined && this.incoming.size === 0) this.finish(this.ending);
	}

	private finish(closed: Closed): void {
		if (this.isClosed) return;
		this.isClosed = true;
		this.callOffEnding();
		this.inbox.close();
		for (const call of this.incoming.values()) call.cancel();
		this.incoming.clear();
		this.rejectPending(closed.reason);
		if (closed.by === "failure") {
			this.channel.drop();
			this.settleClosed(closed);
		} else this.flush(closed);
	}

	private rejectPending(reason: string): void {
		for (const request of this.pending.values()) {
			request.release();
			request.reject(closedError(request.message.method, reason));
		}
		this.pending.clear();
	}

	/** Lets the other side read what was sent, for as long as it may take. */
	private flush(closed: Closed): void {
		const giveUp = this.after(this.limits.flushMsMax, () => {
			this.channel.drop();
			this.settleClosed(closed);
		});
		this.channel.close(() => {
			giveUp();
			this.settleClosed(closed);
		});
	}
}

interface PendingRequest {
	readonly message: { readonly method: string; readonly result: Schema<unknown> };
	readonly resolve: (result: unknown) => void;
	readonly reject: (error: Error) => void;
	/** Lets go of the caller's signal. */
	readonly release: () => void;
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

function startTimer(delayMs: number, run: () => void): () => void {
	const timer = setTimeout(run, delayMs);
	return () => clearTimeout(timer);
}

function cancelled(): RpcError {
	return new RpcError(ErrorCode.cancelled, "Request cancelled");
}

function closedError(method: string, reason: string): ConnectionError {
	return new ConnectionError("closed", `${method} has no answer: ${reason}`);
}
