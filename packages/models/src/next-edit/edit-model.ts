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

/** A model that writes next edits. One value for each that can be chosen. */
export interface EditModel {
	/** As a person chooses it: the provider's name, a slash, and the model's name at that provider. */
	readonly name: string;
	/** The name of the format that it is asked in. */
	readonly format: string;
	readonly specialTokens: readonly string[];
	/** How many questions it answers at once. For one more, it gives the oldest up. */
	readonly pendingMax: number;
	/**
	 * Asks once. Everything that is settled comes out as soon as it is, and what comes last has `isWhole`. Throws a
	 * `ModelFailure` where there is no answer. Aborting the signal closes the request on the wire and makes it throw the
	 * signal's reason; leaving the loop closes it too. A request that is given up for a newer one throws an
	 * `AbortError`.
	 */
	ask(input: PromptInput, signal: AbortSignal): AsyncIterable<EditReply>;
	/** What became of an answer, for a provider that wants to know and a user who has switched that on. */
	sendFeedback?(id: string, verdict: ModelFeedback): void;
}

/** What has come of a question so far. */
export type EditReply = (ParsedOutput | { readonly nothing: PromptObstacle }) & {
	/** Of the document that the prompt input is of. */
	readonly window: OffsetRange;
	readonly isWhole: boolean;
	/** The provider's name for the answer, where it has one. */
	readonly id?: string;
};

/**
 * A model that is asked over HTTP, in the format that is configured for it or else that its name and address ask for. Nobody is called
 * before the first question. Models at servers that people run for themselves, and that share their turns, are asked one after the
 * other. Throws a `ModelFailure` where there is no such format.
 */
export function editModel(settings: EditModelSettings, turns: ServerQueue = new ServerQueue()): EditModel {
	const name = settings.format ?? chooseFormat(settings);
	const format = name === undefined ? undefined : FORMATS.get(name);
	if (format === undefined) throw unknownFormat(settings);
	return new HttpEditModel(settings, format, MODEL_CLOCK, turns);
}

/** More at once would be for texts that the user has long left behind. */
const PENDING_MAX = 2;
/** On a machine of one's own, two requests at once are slower than one after the other. */
const OWN_PENDING_MAX = 1;

/** Nobody looks for a suggestion that comes later than this. */
export const ANSWER_MS_MAX = 8_000;

/** Who waits longer for those before them to be answered has gone on by then. */
export const QUEUE_MS_MAX = 8_000;

/** A server of one's own may have to load the model before it answers, and does not go on when it is hung up on. */
export const FIRST_ANSWER_MS_MAX = 60_000;

/**
 * How long a model at such a server is believed to be loaded after it was last heard. Ollama unloads one that nobody asked for
 * five minutes, and other servers have no shorter time by themselves.
 */
export const LOADED_MS = 240_000;

/** What is the same for the next question, until somebody does something about it. */
const LASTING: ReadonlySet<FailureKind> = new Set(["no-key", "wrong-key", "unknown-model", "unreachable"]);

/**
 * How long a server that is too slow or too busy is left alone, so that it can recover and nobody waits in vain; and one that is
 * not there or lets nobody in, so that it is not asked with every key.
 */
export const COOLDOWN_MS = 10_000;

/** A provider that wants to be left alone for longer is tried again after this nevertheless: it is one request a minute. */
export const COOLDOWN_MS_MAX = 60_000;

/** A model that is asked over HTTP in a given format. */
export class HttpEditModel implements EditModel {
	readonly name: string;
	readonly pendingMax: number;
	/** The server, where people run such a one for themselves. */
	private readonly own: string | undefined;
	readonly sendFeedback?: (id: string, verdict: ModelFeedback) => void;
	private readonly pending: PendingModelRequests;
	private cooldown: { readonly untilMs: number; readonly why: ModelFailure } | undefined;
	/** When something of an answer came last; undefined where the model may have to be loaded. */
	private heardMs: number | undefined;

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
		const question = editModelRequestOf(this.promptFormat, input, targetOf(this.settings));
		if (typeof question === "string") {
			yield { nothing: question, window: { from: input.cursor, to: input.cursor }, isWhole: true };
			return;
		}
		const flight = this.pending.begin(signal);
		try {
			if (this.own !== undefined) await this.waitForServer(this.own, flight);
			this.limit(flight);
			const asking = EDIT_APIS[this.settings.api](question.ask, this.settings);
			if (asking === undefined) throw unsupportedFormat(this.settings, this.format);
			yield* this.repliesTo(question, asking, flight);
		} catch (error) {
			if (error instanceof TemporaryFailure) throw this.temporary(error);
			if (error instanceof ModelFailure && LASTING.has(error.kind)) this.coolDown(error, COOLDOWN_MS);
			throw error;
		} finally {
			flight.end();
		}
	}

	private async waitForServer(server: string, flight: PendingModelRequest): Promise<void> {
		flight.limit(QUEUE_MS_MAX, () => serverBusy(this.settings, QUEUE_MS_MAX));
		await this.queue.wait(server, this, flight);
	}

	private limit(flight: PendingModelRequest): void {
		const afterMs = this.own !== undefined && !this.isLoaded() ? FIRST_ANSWER_MS_MAX : ANSWER_MS_MAX;
		flight.limit(afterMs, () => {
			// It may be that the server has put another model in its place.
			this.heardMs = undefined;
			return this.coolDown(tooSlow(this.settings, afterMs, COOLDOWN_MS), COOLDOWN_MS);
		});
	}

	private isLoaded(): boolean {
		return this.heardMs !== undefined && this.clock.now() - this.heardMs < LOADED_MS;
	}

	private async *repliesTo(
		question: EditModelRequest,
		{ request, decoder: incoming, id }: ApiRequest,
		flight: PendingModelRequest,
	): AsyncGenerator<EditReply, void, undefined> {
		const { window } = question;
		const answer = new ReplyStream(this.settings, request, incoming, this.clock, flight.signal);
		let text = "";
		let settled = 0;
		try {
			for (let events = await answer.next(); events !== undefined; events = await answer.next()) {
				this.heardMs = this.clock.now();
				let isMore = false;
				for (const event of events) {
					if (event.type === "text") {
						text += event.text;
						// What is settled is whole lines or was closed by a tag, so that the end of one has to come first.
						isMore ||= /[\n>]/.test(event.text);
					} else if (event.type === "end") {
						if (event.reason === "refused") throw refusedToAnswer(this.settings);
						const reading = question.read({ text, end: event.reason === "length" ? "length" : "stop" });
						const name = id?.();
						// However long the caller takes with it now, the model was in time.
						flight.end();
						yield { ...reading, window, isWhole: true, ...(name !== undefined && { id: name }) };
						return;
					}
				}
				const reading = isMore ? question.read({ text, end: undefined }) : undefined;
				if (reading === undefined) continue;
				const isWhole = "nothing" in reading || reading.isEnough === true;
				const hunks = "nothing" in reading ? 0 : reading.hunks.length;
				if (isWhole) flight.end();
				if (isWhole || hunks > settled) {
					settled = hunks;
					yield { ...reading, window, isWhole };
				}
				if (isWhole) return;
			}
		} finally {
			answer.close();
		}
	}

	/** Nothing is tried again: the next change of the text asks for something else. */
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
 * A server that answers from a machine of one's own, by which it is told from others. This machine has many names, so there it is
 * the port. On others, what is spoken tells: people run such servers for themselves, in their network or in a container. A base
 * URL that is none is nowhere; asking says so.
 */
function ownServer({ api, baseUrl }: EditModelSettings): string | undefined {
	if (!URL.canParse(baseUrl)) return undefined;
	const { hostname, host, port, protocol } = new URL(baseUrl);
	if (/^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname)) return port || protocol;
	return RUN_BY_PEOPLE.has(api) && !HOSTED.test(hostname) ? host : undefined;
}

const RUN_BY_PEOPLE: ReadonlySet<EditModelSettings["api"]> = new Set(["ollama", "llamacpp", "sweep"]);

/** Where those who made these servers run them for others. */
const HOSTED = /(?:^|\.)(?:ollama\.com|sweep\.dev)$/;

async function sendFeedback(settings: EditModelSettings, id: string, verdict: ModelFeedback): Promise<void> {
	const { url, headers, body } = feedbackRequest(settings, id, verdict);
	try {
		const options: RequestInit = { method: "POST", headers, body, redirect: "manual" };
		const response = await fetch(url, { ...options, signal: AbortSignal.timeout(ANSWER_MS_MAX) });
		await response.body?.cancel();
	} catch {
		// It is a favour to the provider, and nobody waits for it.
	}
}

/** How each API is asked. */
export const EDIT_APIS: Readonly<Record<Api, EditApi>> = {
	openai: openAi,
	anthropic,
	ollama,
	llamacpp: llamaCpp,
	mistral,
	inception,
	sweep: sweepService,
};
