import { type Channel, LIMITS } from "@segue/rpc";
import type { StartTimer } from "@segue/text/clock";
import { IdMap } from "./id-map.js";
import {
	bodyIn,
	type ExpectedMessage,
	type JsonRpcBody,
	messageKindOf,
	type RecordedStep,
	type Recording,
	sessionIdOf,
} from "./recording.js";

// An agent that takes longer than this, and longer than then, is not waited for any more.
const RESPONSE_TIMEOUT_MS = 10_000;
// Machines differ, and so do their moods.
const RESPONSE_TIMEOUT_FACTOR = 3;
// What JSON-RPC says of a method that nobody knows.
const METHOD_NOT_FOUND = -32601;

/** Something that the agent said now. */
export interface ReplayedMessage {
	readonly body: JsonRpcBody;
	/** What it stands for of what was said then. */
	readonly expected: ExpectedMessage | undefined;
	/** Whether it was no longer waited for when it came. */
	readonly isLate: boolean;
}

export interface PlaybackResult {
	readonly received: readonly ReplayedMessage[];
	readonly ids: IdMap;
	/** Why the agent was gone before the end. */
	readonly ended: string | undefined;
}

/**
 * Says to an agent what the editor said then: each message when all has come that had come before it, or when that has been
 * waited for long enough. What the agent asks is answered as it was then.
 */
export function playRecording(recording: Recording, channel: Channel, after: StartTimer): Promise<PlaybackResult> {
	return new Promise((resolve) => new Playback(recording, channel, after, resolve).begin());
}

class Playback {
	private readonly ids = new IdMap();
	private readonly received: ReplayedMessage[] = [];
	/** All that was said then and has not been said now, in the order of then. */
	private readonly open: Set<ExpectedMessage>;
	/** Of those, what has to come before the next is said. */
	private awaited = new Set<ExpectedMessage>();
	/** And what is not waited for any more. */
	private readonly givenUp = new Set<ExpectedMessage>();
	/** The ids that the agent's requests have now. */
	private readonly idsNow = new Map<ExpectedMessage, unknown>();
	private next = 0;
	private callOff: (() => void) | undefined;
	private isOver = false;

	constructor(
		private readonly recording: Recording,
		private readonly channel: Channel,
		private readonly after: StartTimer,
		private readonly done: (played: PlaybackResult) => void,
	) {
		this.open = new Set([...recording.steps, recording.rest].flatMap((step) => step.after));
	}

	begin(): void {
		this.channel.open(
			{
				message: (text) => this.hear(text),
				unreadable: ({ message }) => this.hear(message),
				closed: (reason) => this.finish(reason),
			},
			LIMITS.messageBytesMax,
		);
		this.wait();
		this.goOn();
	}

	/** Says all that may be said by now. */
	private goOn(): void {
		const { steps } = this.recording;
		while (!this.isOver) {
			if (this.awaited.size > 0) {
				const timeoutMs = Math.max(RESPONSE_TIMEOUT_MS, RESPONSE_TIMEOUT_FACTOR * this.upcoming.tookMs);
				this.callOff ??= this.after(timeoutMs, () => this.giveUp());
				return;
			}
			this.callOff?.();
			this.callOff = undefined;
			const step = steps[this.next++];
			if (step === undefined) this.finish(undefined);
			else {
				this.say(step);
				this.wait();
			}
		}
	}

	/** What is to be said next, or the end. */
	private get upcoming(): Pick<RecordedStep, "after" | "tookMs"> {
		return this.recording.steps[this.next] ?? this.recording.rest;
	}

	private wait(): void {
		this.awaited = new Set(this.upcoming.after.filter((each) => this.open.has(each)));
	}

	private giveUp(): void {
		this.callOff = undefined;
		for (const each of this.awaited) this.givenUp.add(each);
		this.awaited.clear();
		this.goOn();
	}

	private say({ kind, body }: RecordedStep): void {
		const said = this.ids.inPresent(body);
		this.ids.assume(said["params"]);
		if (kind !== "answer") this.channel.send(JSON.stringify({ ...said, ...("id" in body && { id: body["id"] }) }));
		else {
			const asked = [...this.idsNow].find(([{ id }]) => id === body["id"]);
			// What was not asked now needs no answer.
			if (asked === undefined) return;
			this.idsNow.delete(asked[0]);
			this.channel.send(JSON.stringify({ ...said, id: asked[1] }));
		}
	}

	private hear(text: string): void {
		if (this.isOver) return;
		const body = bodyIn(text) ?? { method: `(${text.slice(0, 100)})` };
		const kind = messageKindOf(body);
		const expected = kind === undefined ? undefined : this.expectedFor(kind, body);
		const isLate = expected !== undefined && this.givenUp.has(expected);
		this.received.push({ body, expected, isLate });
		if (expected !== undefined) {
			this.open.delete(expected);
			this.awaited.delete(expected);
			const { id: _, ...recorded } = expected.body;
			this.ids.learn(recorded, body);
			if (kind === "request") this.idsNow.set(expected, body["id"]);
		} else if (kind === "request") {
			const error = { code: METHOD_NOT_FOUND, message: "This was not asked when it was recorded." };
			this.channel.send(JSON.stringify({ ...envelopeOf(body), id: body["id"], error }));
		}
		this.goOn();
	}

	/** The first of what was said then that this may stand for. */
	private expectedFor(kind: ExpectedMessage["kind"], body: JsonRpcBody): ExpectedMessage | undefined {
		for (const each of this.open) {
			if (each.kind !== kind) continue;
			if (kind === "answer" ? each.id === body["id"] : this.isLike(each, body)) return each;
		}
		return undefined;
	}

	/** Whether two say something of the same kind about the same session. */
	private isLike({ method, body: recorded }: ExpectedMessage, body: JsonRpcBody): boolean {
		if (method !== body["method"] || updateIn(recorded) !== updateIn(body)) return false;
		return this.ids.mayBe(sessionIdOf(recorded), sessionIdOf(body));
	}

	private finish(ended: string | undefined): void {
		if (this.isOver) return;
		this.isOver = true;
		this.callOff?.();
		this.done({ received: this.received, ids: this.ids, ended });
	}
}

/** What ACP tells of a session are updates of many kinds under one name. */
function updateIn({ params }: JsonRpcBody): unknown {
	const { update } = (params ?? {}) as { update?: { sessionUpdate?: unknown } };
	return update?.sessionUpdate;
}

function envelopeOf({ jsonrpc }: JsonRpcBody): JsonRpcBody {
	return jsonrpc === undefined ? {} : { jsonrpc };
}
