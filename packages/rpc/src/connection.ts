import { Backpressure, type ReceivedMessage } from "./backpressure.js";
import type { Channel } from "./channel.js";
import { ErrorCode, type PeerError, type Problem, RpcError } from "./error.js";
import { Incoming } from "./incoming.js";
import { LIMITS, type Limits } from "./limits.js";
import { type Dialect, type Id, type Message, readMessage, writeError, writeNotification } from "./message.js";
import { check, type From, type Handler, type Notification, type Request } from "./method.js";
import { Outgoing, unanswered } from "./outgoing.js";

/** Short enough to go unnoticed. Polling is cheap. */
const DRAIN_POLL_MS = 10;

/** The role of one end of a connection, which determines the messages it can send. */
export type PeerRole = Exclude<From, "either">;

type Other<Own extends PeerRole> = Own extends "client" ? "agent" : "client";

export interface ConnectionOptions<Own extends PeerRole> {
	readonly dialect: Dialect;
	/** One handler per message. The order does not matter. */
	readonly handlers: readonly Handler<Other<Own> | "either">[];
	/** Returns a handler for a method that is not in `handlers`. For peers that forward unknown messages. */
	readonly fallback?: (method: string, kind: "request" | "notification") => Handler<Other<Own> | "either"> | undefined;
	/** Called first for every request. Returns an error to refuse the request, for example before `initialize`. */
	readonly admit?: (method: string) => RpcError | undefined;
	/** Receives problems that cannot be returned as errors, for logging. */
	readonly report: (problem: Problem) => void;
	/** The clock for taps, in milliseconds. */
	readonly now?: () => number;
	/** Runs a callback later. Returns a function that cancels it. */
	readonly after?: (delayMs: number, run: () => void) => () => void;
	/** Overrides of `LIMITS`. */
	readonly limits?: Partial<Limits>;
}

/** The reason that a connection closed: the peer closed it, this side closed it, or it failed. */
export interface CloseReason {
	readonly by: "other" | "us" | "failure";
	readonly reason: string;
}

/** Observes messages in both directions, before and after they are handled or written. Cannot change them. */
export type Tap = (event: {
	readonly direction: "in" | "out";
	readonly phase: "before" | "after";
	readonly atMs: number;
	readonly text: string;
}) => void;

/**
 * One of two equal peers. Messages are handled in order: the synchronous part of a handler completes before the next
 * message is dispatched, and a request that has to wait delays everything after it. Only responses and cancellations
 * overtake other messages, so a handler can always get responses to its own requests. Requests also wait while the peer
 * has too much unread output (see `Backpressure`).
 */
export class Connection<Own extends PeerRole> {
	/** Resolves once the connection has closed and its output is flushed. Never rejects. */
	readonly closed: Promise<CloseReason>;

	private readonly handlers = new Map<string, Handler<From>>();
	private readonly limits: Limits;
	private readonly dialect: Dialect;
	private readonly incoming: Incoming;
	private readonly outgoing: Outgoing;
	private readonly intake: Backpressure;
	/** Total size of the output that could not be written immediately, in the same unit as `unwrittenBytes`. */
	private sentBytes = 0;
	private readonly taps = new Set<Tap>();
	private readonly now: () => number;
	private readonly after: NonNullable<ConnectionOptions<Own>["after"]>;
	private isClosed = false;
	/** Set once the peer has ended its output. */
	private ending: CloseReason | undefined;
	private callOffEnding: () => void = () => {};
	private settleClosed: (closed: CloseReason) => void = () => {};

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
		const send = (text: string) => this.send(text);
		this.incoming = new Incoming(this.dialect, this.limits, {
			send,
			report: (problem) => this.report(problem),
			answered: () => this.finishWhenAnswered(),
		});
		this.outgoing = new Outgoing(this.dialect, this.limits, send);
		this.intake = new Backpressure(this.limits, this.dialect.cancel?.method, this.intakeWire());
		this.closed = new Promise((resolve) => {
			this.settleClosed = resolve;
		});
		channel.open(
			{
				message: (text) => this.receive(text),
				unreadable: (error) => this.receiveUnreadable(error),
				closed: (reason) => this.finish({ by: "other", reason }),
				ended: (reason) => this.end({ by: "other", reason }),
			},
			this.limits.messageBytesMax,
		);
	}

	/**
	 * Sends a request. Rejects with a PeerError if the peer returns an error, and with a ConnectionError if the
	 * connection closes or the result is invalid. Aborting the signal sends a cancellation, if the protocol has one.
	 * The outcome is still the peer's response, either an error or a result.
	 */
	request<Params, Result>(
		message: Request<Params, Result, Own | "either">,
		params: Params,
		signal?: AbortSignal,
	): Promise<Result> {
		if (this.isClosed) return Promise.reject(unanswered(message.method, "the connection is closed"));
		if (this.ending !== undefined) return Promise.reject(unanswered(message.method, this.ending.reason));
		return this.outgoing.request(message, params, signal);
	}

	notify<Params>(message: Notification<Params, Own | "either">, params: Params): void {
		if (!this.isClosed) this.send(writeNotification(this.dialect, message.method, params));
	}

	/** Whether so much output is unread that senders of large messages should wait for `drained`. */
	get isFull(): boolean {
		return !this.isClosed && this.channel.unwrittenBytes > this.limits.drainedBytesMax;
	}

	/** Resolves when the connection is no longer full. Polls, because channels have no event for this. */
	async drained(): Promise<void> {
		while (this.isFull) await new Promise<void>((resolve) => this.after(DRAIN_POLL_MS, resolve));
	}

	/** Adds an observer of all messages. Returns a function that removes it. */
	tap(tap: Tap): () => void {
		this.taps.add(tap);
		return () => this.taps.delete(tap);
	}

	close(reason = "this side closed the connection"): void {
		this.finish({ by: "us", reason });
	}

	private receive(text: string): void {
		if (!this.isClosed) this.intake.add({ message: readMessage(text, this.dialect, this.limits), text });
	}

	private receiveUnreadable(error: RpcError): void {
		if (!this.isClosed) this.intake.add({ message: { kind: "invalid", id: null, error }, text: undefined });
	}

	private intakeWire(): ConstructorParameters<typeof Backpressure>[2] {
		const { channel } = this;
		const written = () => this.sentBytes - channel.unwrittenBytes;
		return {
			dispatch: (read) => this.dispatchRead(read),
			get unwritten() {
				return channel.unwrittenBytes;
			},
			get written() {
				return written();
			},
			pause: channel.pause?.bind(channel),
			resume: channel.resume?.bind(channel),
			after: this.after,
		};
	}

	private dispatchRead({ message, text }: ReceivedMessage): void {
		if (text === undefined) this.dispatch(message, 0);
		else {
			if (this.taps.size > 0) this.showTaps("in", "before", text);
			if (!this.isClosed) this.dispatch(message, text.length);
			if (this.taps.size > 0) this.showTaps("in", "after", text);
		}
		if (this.ending !== undefined) this.finishWhenAnswered();
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
				// A response without an id cannot be matched to a request.
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
		const handler = this.handlers.get(method) ?? this.options.fallback?.(method, "request");
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
		this.incoming.request(id, size, handler.isTalk === true, handler.handle, checked.value);
	}

	private dispatchNotification(method: string, params: unknown, size: number): void {
		const { cancel } = this.dialect;
		if (cancel !== undefined && method === cancel.method) {
			const id = (params as Record<string, unknown> | null | undefined)?.[cancel.idField];
			if (this.incoming.has(id as Id)) this.incoming.cancel(id);
			else this.intake.cancel(id);
			return;
		}
		const handler = this.handlers.get(method) ?? this.options.fallback?.(method, "notification");
		if (handler?.message.kind !== "notification") {
			this.report({ kind: "unknown-notification", method, text: "no handler for this notification" });
			return;
		}
		const checked = check(handler.message.params, params);
		if ("wrong" in checked) {
			this.report({ kind: "bad-notification", method, text: checked.wrong });
			return;
		}
		const { handle } = handler as Extract<Handler<From>, { message: { kind: "notification" } }>;
		this.incoming.notification(method, size, handle, checked.value);
	}

	private settle(id: unknown, result: unknown, error: PeerError | undefined): void {
		if (this.outgoing.settle(id, result, error)) return;
		const what = error === undefined ? "a response" : `the error ${error.code}`;
		this.report({ kind: "unknown-response", text: `${what} to an unknown request` });
	}

	private answerUnreadable(error: RpcError): void {
		if (this.isClosed) return;
		this.report({ kind: "unreadable", text: error.message });
		if (this.dialect.answersUnreadable !== false) this.send(writeError(this.dialect, null, error));
	}

	private send(text: string): void {
		if (this.isClosed) return;
		if (this.channel.unwrittenBytes > this.limits.unwrittenBytesMax) {
			const reason = `the other side is not reading: more than ${this.limits.unwrittenBytesMax} bytes are unread`;
			this.finish({ by: "failure", reason });
			return;
		}
		if (this.taps.size > 0) this.showTaps("out", "before", text);
		const before = this.channel.unwrittenBytes;
		this.channel.send(text);
		this.sentBytes += this.channel.unwrittenBytes - before;
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

	/** Ignores errors thrown by `report`, which must not break the connection. */
	private report(problem: Problem): void {
		try {
			this.options.report(problem);
		} catch {}
	}

	/**
	 * Handles the end of the peer's output. Pending requests from the peer are still answered, unless they need its
	 * responses.
	 */
	private end(ending: CloseReason): void {
		if (this.isClosed) return;
		this.ending = ending;
		this.outgoing.failAll(ending.reason);
		this.incoming.cancelTalks();
		this.callOffEnding = this.after(this.limits.lastAnswersMsMax, () => this.finish(ending));
		this.finishWhenAnswered();
	}

	private finishWhenAnswered(): void {
		if (this.ending !== undefined && this.intake.isEmpty && this.incoming.size === 0) this.finish(this.ending);
	}

	private finish(closed: CloseReason): void {
		if (this.isClosed) return;
		this.isClosed = true;
		this.callOffEnding();
		this.intake.close();
		this.incoming.close();
		this.outgoing.failAll(closed.reason);
		if (closed.by === "failure") {
			this.channel.drop();
			this.settleClosed(closed);
		} else this.flush(closed);
	}

	/** Gives the peer a limited time to read the remaining output. */
	private flush(closed: CloseReason): void {
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

function startTimer(delayMs: number, run: () => void): () => void {
	const timer = setTimeout(run, delayMs);
	return () => clearTimeout(timer);
}
