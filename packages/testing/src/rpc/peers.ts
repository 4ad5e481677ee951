import * as acp from "@segue/protocol/acp";
import {
	type Channel,
	Connection,
	type Dialect,
	type Handler,
	type Limits,
	memoryPair,
	type Problem,
	type Receiver,
	type RpcError,
	type Schema,
	type Tap,
} from "@segue/rpc";

/** ACP's dialect, for tests in packages that must not depend on the protocol. */
export const acpDialect = acp.dialect;

export interface PeerOptions {
	readonly dialect?: Dialect;
	readonly limits?: Partial<Limits>;
	readonly admit?: (method: string) => RpcError | undefined;
	readonly fallback?: (method: string, kind: "request" | "notification") => Handler<"either"> | undefined;
	readonly now?: () => number;
	readonly after?: (delayMs: number, run: () => void) => () => void;
}

/** Connects an agent and a client in memory, and records the problems that either reports. */
export function connectPeers(
	agentHandlers: readonly Handler<"client" | "either">[],
	clientHandlers: readonly Handler<"agent" | "either">[] = [],
	options: PeerOptions = {},
) {
	const [a, b] = memoryPair();
	const problems: Problem[] = [];
	const shared = { dialect: acp.dialect, report: (problem: Problem) => problems.push(problem), ...options };
	const agent = new Connection<"agent">(a, { ...shared, handlers: agentHandlers });
	const client = new Connection<"client">(b, { ...shared, handlers: clientHandlers });
	return { agent, client, problems };
}

/** Connects an agent to a peer that sends and receives raw text. */
export function connectByHand(handlers: readonly Handler<"client" | "either">[], options: PeerOptions = {}) {
	const [a, b] = memoryPair();
	const hand = new HandPeer(b);
	const problems: Problem[] = [];
	const report = (problem: Problem) => problems.push(problem);
	const agent = new Connection<"agent">(a, { dialect: acp.dialect, report, ...options, handlers });
	return { agent, hand, problems };
}

class HandPeer implements Receiver {
	/** All messages received, parsed. */
	readonly received: unknown[] = [];
	closedWith: string | undefined;

	constructor(private readonly channel: Channel) {
		channel.open(this, Number.POSITIVE_INFINITY);
	}

	/** Sends messages: strings unchanged, other values as JSON. Returns the responses once everything has settled. */
	async write(...messages: unknown[]): Promise<unknown[]> {
		const before = this.received.length;
		for (const message of messages) {
			this.channel.send(typeof message === "string" ? message : JSON.stringify(message));
		}
		await settled();
		return this.received.slice(before);
	}

	/** Drops the connection. */
	async end(): Promise<void> {
		this.channel.drop();
		await settled();
	}

	message(text: string): void {
		this.received.push(JSON.parse(text));
	}

	unreadable(): void {
		throw new Error("an in-memory channel carries whole messages");
	}

	closed(reason: string): void {
		this.closedWith = reason;
	}
}

/** Resolves after all pending microtasks and in-memory messages have been processed. */
export function settled(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

/** Returns a tap that records its events. */
export function recordTap(into: { direction: string; phase: string; atMs: number; text: string }[]): Tap {
	return (event) => into.push(event);
}

/** Returns a promise and its resolve function. */
export function deferred<T = void>() {
	let open: (value: T) => void = () => {};
	const opened = new Promise<T>((resolve) => {
		open = resolve;
	});
	return { opened, open };
}

/** Validates params or a result against a message's schema. Returns undefined if they are invalid. */
export function readMessagePart(
	message: { readonly params: Schema<unknown>; readonly result?: Schema<unknown> },
	part: "params" | "result",
	value: unknown,
): unknown {
	const read = message[part]?.["~standard"].validate(value);
	if (read === undefined || read instanceof Promise)
		throw new Error(`the message has no synchronous schema for ${part}`);
	return read.issues === undefined ? read.value : undefined;
}
