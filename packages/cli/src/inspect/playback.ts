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

// Minimum wait for the messages that precede a step.
const RESPONSE_TIMEOUT_MS = 10_000;
// This machine may be slower than the one on which the trace was recorded.
const RESPONSE_TIMEOUT_FACTOR = 3;
const METHOD_NOT_FOUND = -32601;

/** A message from the agent during the replay. */
export interface ReplayedMessage {
	readonly body: JsonRpcBody;
	/** The recorded message that it corresponds to. */
	readonly expected: ExpectedMessage | undefined;
	/** Whether it arrived after the timeout. */
	readonly isLate: boolean;
}

export interface PlaybackResult {
	readonly received: readonly ReplayedMessage[];
	readonly ids: IdMap;
	/** Why the agent disconnected before the end of the replay. */
	readonly ended: string | undefined;
}

/**
 * Sends the editor's recorded messages to an agent. Each is sent once all agent messages that preceded it in the
 * recording have arrived, or after a timeout. Requests from the agent get the recorded responses.
 */
export function playRecording(recording: Recording, channel: Channel, after: StartTimer): Promise<PlaybackResult> {
	return new Promise((resolve) => new Playback(recording, channel, after, resolve).begin());
}

class Playback {
	private readonly ids = new IdMap();
	private readonly received: ReplayedMessage[] = [];
	/** Recorded messages that have not arrived yet, in the recorded order. */
	private readonly open: Set<ExpectedMessage>;
	/** The messages that must arrive before the next step. */
	private awaited = new Set<ExpectedMessage>();
	/** The messages that timed out. */
	private readonly givenUp = new Set<ExpectedMessage>();
	/** The ids of the agent's requests in the replay. */
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
				message: (text) => this.receive(text),
				unreadable: ({ message }) => this.receive(message),
				closed: (reason) => this.finish(reason),
			},
			LIMITS.messageBytesMax,
		);
		this.wait();
		this.sendNext();
	}

	/** Sends steps until one must wait. */
	private sendNext(): void {
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
				this.send(step);
				this.wait();
			}
		}
	}

	/** The next step, or the end of the recording. */
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
		this.sendNext();
	}

	private send({ kind, body }: RecordedStep): void {
		const message = this.ids.inPresent(body);
		this.ids.assume(message["params"]);
		if (kind !== "answer") this.channel.send(JSON.stringify({ ...message, ...("id" in body && { id: body["id"] }) }));
		else {
			const request = [...this.idsNow].find(([{ id }]) => id === body["id"]);
			// The agent did not send the request this time.
			if (request === undefined) return;
			this.idsNow.delete(request[0]);
			this.channel.send(JSON.stringify({ ...message, id: request[1] }));
		}
	}

	private receive(text: string): void {
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
			const error = { code: METHOD_NOT_FOUND, message: "This request is not in the recording." };
			this.channel.send(JSON.stringify({ ...envelopeOf(body), id: body["id"], error }));
		}
		this.sendNext();
	}

	/** Finds the first recorded message that this one can correspond to. */
	private expectedFor(kind: ExpectedMessage["kind"], body: JsonRpcBody): ExpectedMessage | undefined {
		for (const each of this.open) {
			if (each.kind !== kind) continue;
			if (kind === "answer" ? each.id === body["id"] : this.isLike(each, body)) return each;
		}
		return undefined;
	}

	/** Whether two messages have the same method and update kind, and can belong to the same session. */
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

/** The kind of an ACP session update, because one method has many kinds. */
function updateIn({ params }: JsonRpcBody): unknown {
	const { update } = (params ?? {}) as { update?: { sessionUpdate?: unknown } };
	return update?.sessionUpdate;
}

function envelopeOf({ jsonrpc }: JsonRpcBody): JsonRpcBody {
	return jsonrpc === undefined ? {} : { jsonrpc };
}
