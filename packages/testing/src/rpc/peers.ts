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

/** What ACP says of its messages, for the tests of packages that may not know it. */
export const acpDialect = acp.dialect;

export interface PeerOptions {
	readonly dialect?: Dialect;
	readonly limits?: Partial<Limits>;
	readonly admit?: (method: string) => RpcError | undefined;
	readonly fallback?: (method: string, kind: "request" | "notification") => Handler<"either"> | undefined;
	readonly now?: () => number;
	readonly after?: (delayMs: number, run: () => void) => () => void;
}

/** An agent and a client on an in-memory pair, with what either reported. */
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

/** An agent whose other end is written and read by hand, as text. */
export function connectByHand(handlers: readonly Handler<"client" | "either">[], options: PeerOptions = {}) {
	const [a, b] = memoryPair();
	const hand = new HandPeer(b);
	const problems: Problem[] = [];
	const report = (problem: Problem) => problems.push(problem);
	const agent = new Connection<"agent">(a, { dialect: acp.dialect, report, ...options, handlers });
	return { agent, hand, problems };
}

class HandPeer implements Receiver {
	/** Every message that arrived, parsed. */
	readonly received: unknown[] = [];
	closedWith: string | undefined;

	constructor(private readonly channel: Channel) {
		channel.open(this, Number.POSITIVE_INFINITY);
	}

	/** Writes messages (a string as it stands, anything else as JSON) and lets everything they start settle. */
	async write(...messages: unknown[]): Promise<unknown[]> {
		const before = this.received.length;
		for (const message of messages) {
			this.channel.send(typeof message === "string" ? message : JSON.stringify(message));
		}
		await settled();
		return this.received.slice(before);
	}

	/** Ends the wire. */
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

/** Waits until all that can happen without input or time has happened. */
export function settled(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

/** Records what a tap sees. */
export function recordTap(into: { direction: string; phase: string; atMs: number; text: string }[]): Tap {
	return (event) => into.push(event);
}

/** A promise that a test settles when it wants. */
export function deferred<T = void>() {
	let open: (value: T) => void = () => {};
	const opened = new Promise<T>((resolve) => {
		open = resolve;
	});
	return { opened, open };
}

/** What a message makes of its params or its result, as they came; undefined where it refuses them. */
export function readMessagePart(
	message: { readonly params: Schema<unknown>; readonly result?: Schema<unknown> },
	part: "params" | "result",
	value: unknown,
): unknown {
	const read = message[part]?.["~standard"].validate(value);
	if (read === undefined || read instanceof Promise) throw new Error(`it has no ${part} that are read at once`);
	return read.issues === undefined ? read.value : undefined;
}
