import { MODEL_CLOCK, type ModelClock } from "../clock.js";
import {
	coolingDown,
	type FailureKind,
	findSettingsFailure,
	ModelFailure,
	refusedToAnswer,
	serverBusy,
	TemporaryFailure,
	temporaryFailure,
	tooSlow,
	unknownFormat,
	unsupportedFormat,
} from "../failure.js";
import { ReplyStream } from "../reply-stream.js";
import type { Api, EditModelSettings } from "../settings.js";
import { anthropic } from "./apis/anthropic-messages.js";
import type { ApiRequest, EditApi } from "./apis/api.js";
import { feedbackRequest, inception, type ModelFeedback } from "./apis/inception.js";
import { llamaCpp } from "./apis/llamacpp.js";
import { mistral } from "./apis/mistral.js";
import { ollama, ollamaWindow } from "./apis/ollama.js";
import { openAi } from "./apis/openai-chat.js";
import { sweepService } from "./apis/sweep-hosted.js";
import type {
	EditModelRequest,
	Format,
	OffsetRange,
	ParsedOutput,
	PromptInput,
	PromptObstacle,
	PromptTarget,
} from "./format.js";
import { chooseFormat } from "./format-choice.js";
import { editModelRequestOf, FORMATS } from "./formats.js";
import { type PendingModelRequest, PendingModelRequests } from "./pending-requests.js";
import { ServerQueue } from "./server-queue.js";

/** A model that predicts next edits. */
export interface EditModel {
	/** The name that users choose, in the form `provider/model`. */
	readonly name: string;
	/** The name of the model's prompt format. */
	readonly format: string;
	readonly specialTokens: readonly string[];
	/** Maximum number of concurrent requests. Starting another aborts the oldest. */
	readonly pendingMax: number;
	/**
	 * Sends one request. Yields final hunks as soon as they arrive; the last reply has `isWhole`. Throws a `ModelFailure`
	 * if there is no reply. Aborting the signal closes the HTTP request and makes the generator throw the signal's reason;
	 * leaving the loop also closes the request. A request superseded by a newer one throws an `AbortError`.
	 */
	ask(input: PromptInput, signal: AbortSignal): AsyncIterable<EditReply>;
	/**
	 * Reports the outcome of a suggestion to the provider. Only present if the provider accepts feedback and the user has
	 * enabled it.
	 */
	sendFeedback?(id: string, verdict: ModelFeedback): void;
}

/** The reply so far. */
export type EditReply = (ParsedOutput | { readonly nothing: PromptObstacle }) & {
	/** The range of the document that the reply may change. */
	readonly window: OffsetRange;
	readonly isWhole: boolean;
	/** The provider's id of the reply, if any. */
	readonly id?: string;
};

/**
 * Creates a model that is accessed over HTTP. Uses the configured format or, if there is none, the format for the
 * model's name and address. Connects on the first request. Requests to self-hosted servers that share a `queue` are
 * sent one at a time. Throws a `ModelFailure` if there is no suitable format.
 */
export function editModel(settings: EditModelSettings, queue: ServerQueue = new ServerQueue()): EditModel {
	const name = settings.format ?? chooseFormat(settings);
	const format = name === undefined ? undefined : FORMATS.get(name);
	if (format === undefined) throw unknownFormat(settings);
	return new HttpEditModel(settings, format, MODEL_CLOCK, queue);
}

/** More requests would be for text that the user has already changed. */
const PENDING_MAX = 2;
/** On a user's own machine, two concurrent requests are slower than two in sequence. */
const OWN_PENDING_MAX = 1;

/** A suggestion that arrives later goes unnoticed. */
export const ANSWER_MS_MAX = 8_000;

/** A request that waits longer in the queue is stale. */
export const QUEUE_MS_MAX = 8_000;

/** A self-hosted server may have to load the model first, and it stops loading if the connection is closed. */
export const FIRST_ANSWER_MS_MAX = 60_000;

/**
 * How long a self-hosted model is assumed to stay loaded after it last sent data. Ollama unloads an idle model after
 * five minutes; no other server has a shorter default.
 */
export const LOADED_MS = 240_000;

/** Failures that recur until the user fixes the cause. */
const LASTING: ReadonlySet<FailureKind> = new Set(["no-key", "wrong-key", "unknown-model", "unreachable"]);

/**
 * Pause after a failure. Lets a slow or busy server recover, and avoids a request per keystroke to a server that is
 * down or rejects the key.
 */
export const COOLDOWN_MS = 10_000;

/** Maximum pause, even if the provider asks for more: one request a minute is harmless. */
export const COOLDOWN_MS_MAX = 60_000;

export class HttpEditModel implements EditModel {
	readonly name: string;
	readonly pendingMax: number;
	/** The server's identity if it is self-hosted. */
	private readonly own: string | undefined;
	readonly sendFeedback?: (id: string, verdict: ModelFeedback) => void;
	private readonly pending: PendingModelRequests;
	private cooldown: { readonly untilMs: number; readonly why: ModelFailure } | undefined;
	/** The time at which data last arrived; undefined if the model may have to be loaded. */
	private lastDataMs: number | undefined;

	constructor(
		private readonly settings: EditModelSettings,
		private readonly promptFormat: Format,
		private readonly clock: ModelClock,
		private readonly queue: ServerQueue,
	) {
		this.name = settings.name;
		this.own = ownServer(settings);
		this.pendingMax = this.own === undefined ? PENDING_MAX : OWN_PENDING_MAX;
		this.pending = new PendingModelRequests(this.pendingMax, clock);
		if (settings.api === "inception" && settings.tellsVerdicts) {
			this.sendFeedback = (id, verdict) => void sendFeedback(settings, id, verdict);
		}
	}

	get format(): string {
		return this.promptFormat.name;
	}

	get specialTokens(): readonly string[] {
		return this.promptFormat.specialTokens;
	}

	async *ask(input: PromptInput, signal: AbortSignal): AsyncGenerator<EditReply, void, undefined> {
		signal.throwIfAborted();
		const failure = findSettingsFailure(this.settings) ?? this.cooldownFailure();
		if (failure !== undefined) throw failure;
		const request = editModelRequestOf(this.promptFormat, input, targetOf(this.settings));
		if (typeof request === "string") {
			yield { nothing: request, window: { from: input.cursor, to: input.cursor }, isWhole: true };
			return;
		}
		const pending = this.pending.begin(signal);
		try {
			if (this.own !== undefined) await this.waitForServer(this.own, pending);
			this.limit(pending);
			const apiRequest = EDIT_APIS[this.settings.api](request.ask, this.settings);
			if (apiRequest === undefined) throw unsupportedFormat(this.settings, this.format);
			yield* this.repliesTo(request, apiRequest, pending);
		} catch (error) {
			if (error instanceof TemporaryFailure) throw this.temporary(error);
			if (error instanceof ModelFailure && LASTING.has(error.kind)) this.coolDown(error, COOLDOWN_MS);
			throw error;
		} finally {
			pending.end();
		}
	}

	private async waitForServer(server: string, pending: PendingModelRequest): Promise<void> {
		pending.limit(QUEUE_MS_MAX, () => serverBusy(this.settings, QUEUE_MS_MAX));
		await this.queue.wait(server, this, pending);
	}

	private limit(pending: PendingModelRequest): void {
		const afterMs = this.own !== undefined && !this.isLoaded() ? FIRST_ANSWER_MS_MAX : ANSWER_MS_MAX;
		pending.limit(afterMs, () => {
			// The server may have loaded another model in the meantime.
			this.lastDataMs = undefined;
			return this.coolDown(tooSlow(this.settings, afterMs, COOLDOWN_MS), COOLDOWN_MS);
		});
	}

	private isLoaded(): boolean {
		return this.lastDataMs !== undefined && this.clock.now() - this.lastDataMs < LOADED_MS;
	}

	private async *repliesTo(
		{ window, read }: EditModelRequest,
		{ request, decoder, id }: ApiRequest,
		pending: PendingModelRequest,
	): AsyncGenerator<EditReply, void, undefined> {
		const answer = new ReplyStream(this.settings, request, decoder, this.clock, pending.signal);
		let text = "";
		let settled = 0;
		try {
			for (let events = await answer.next(); events !== undefined; events = await answer.next()) {
				this.lastDataMs = this.clock.now();
				let isMore = false;
				for (const event of events) {
					if (event.type === "text") {
						text += event.text;
						// Only the end of a line or of a tag can make a hunk final.
						isMore ||= /[\n>]/.test(event.text);
					} else if (event.type === "end") {
						if (event.reason === "refused") throw refusedToAnswer(this.settings);
						const parsed = read({ text, end: event.reason === "length" ? "length" : "stop" });
						const name = id?.();
						// The reply arrived in time, no matter how long the caller takes to process it.
						pending.end();
						yield { ...parsed, window, isWhole: true, ...(name !== undefined && { id: name }) };
						return;
					}
				}
				const parsed = isMore ? read({ text, end: undefined }) : undefined;
				if (parsed === undefined) continue;
				const isWhole = "nothing" in parsed || parsed.isEnough === true;
				const hunks = "nothing" in parsed ? 0 : parsed.hunks.length;
				if (isWhole) pending.end();
				if (isWhole || hunks > settled) {
					settled = hunks;
					yield { ...parsed, window, isWhole };
				}
				if (isWhole) return;
			}
		} finally {
			answer.close();
		}
	}

	/** Not retried, because the next change sends another request. */
	private temporary(failure: TemporaryFailure): ModelFailure {
		const restMs = failure.kind === "busy" ? Math.min(failure.retryAfterMs ?? COOLDOWN_MS, COOLDOWN_MS_MAX) : 0;
		if (restMs === 0) return temporaryFailure(failure, undefined);
		return this.coolDown(temporaryFailure(failure, restMs), restMs);
	}

	private coolDown(why: ModelFailure, restMs: number): ModelFailure {
		this.cooldown = { untilMs: this.clock.now() + restMs, why };
		return why;
	}

	private cooldownFailure(): ModelFailure | undefined {
		if (this.cooldown === undefined) return undefined;
		const leftMs = this.cooldown.untilMs - this.clock.now();
		return leftMs > 0 ? coolingDown(this.settings, leftMs, this.cooldown.why) : undefined;
	}
}

function targetOf(settings: EditModelSettings): PromptTarget {
	return settings.api === "ollama" ? { ...settings, windowTokens: ollamaWindow(settings) } : settings;
}

/**
 * Returns an identity for a self-hosted server. Local addresses have many names, so they are identified by their port.
 * For some APIs, servers at other addresses are assumed to be self-hosted, too, for example on the local network or in
 * a container. Ignores an invalid base URL, which `ask` reports.
 */
function ownServer({ api, baseUrl }: EditModelSettings): string | undefined {
	if (!URL.canParse(baseUrl)) return undefined;
	const { hostname, host, port, protocol } = new URL(baseUrl);
	if (/^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname)) return port || protocol;
	return SELF_HOSTED.has(api) && !HOSTED.test(hostname) ? host : undefined;
}

const SELF_HOSTED: ReadonlySet<EditModelSettings["api"]> = new Set(["ollama", "llamacpp", "sweep"]);

/** Hosts of the vendors' own services. */
const HOSTED = /(?:^|\.)(?:ollama\.com|sweep\.dev)$/;

async function sendFeedback(settings: EditModelSettings, id: string, verdict: ModelFeedback): Promise<void> {
	const { url, headers, body } = feedbackRequest(settings, id, verdict);
	try {
		const options: RequestInit = { method: "POST", headers, body, redirect: "manual" };
		const response = await fetch(url, { ...options, signal: AbortSignal.timeout(ANSWER_MS_MAX) });
		await response.body?.cancel();
	} catch {
		// Feedback is optional, so ignore errors.
	}
}

export const EDIT_APIS: Readonly<Record<Api, EditApi>> = {
	openai: openAi,
	anthropic,
	ollama,
	llamacpp: llamaCpp,
	mistral,
	inception,
	sweep: sweepService,
};
