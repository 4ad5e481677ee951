import { Answer } from "../answer.js";
import { CLOCK, type Clock } from "../clock.js";
import { type FailureKind, ModelFailure, PassingFailure } from "../failure.js";
import {
	findSettingsFailure,
	occupied,
	passed,
	resting,
	tooSlow,
	unaskable,
	unwilling,
	withoutFormat,
} from "../failure-of.js";
import type { EditModelSettings } from "../settings.js";
import type { Brief } from "./brief.js";
import { chooseFormat } from "./choice.js";
import { type Flight, Flights } from "./flights.js";
import {
	type Format,
	type Question,
	questionOf,
	type Reading,
	type Recipient,
	type Stretch,
	type Unaskable,
} from "./format.js";
import { FORMATS } from "./formats.js";
import { Turns } from "./turns.js";
import { feedback, type Verdict } from "./wires/inception.js";
import { ollamaWindow } from "./wires/ollama.js";
import type { Asking } from "./wires/wire.js";
import { WIRES } from "./wires.js";

/** A model that writes next edits. One value for each that can be chosen. */
export interface EditModel {
	/** As a person chooses it: the provider's name, a slash, and the model's name at that provider. */
	readonly name: string;
	/** The name of the format that it is asked in. */
	readonly format: string;
	readonly specialTokens: readonly string[];
	/** How many questions it answers at once. For one more, it gives the oldest up. */
	readonly flightsMax: number;
	/**
	 * Asks once. Everything that is settled comes out as soon as it is, and what comes last has `isWhole`. Throws a
	 * `ModelFailure` where there is no answer. Aborting the signal closes the request on the wire and makes it throw the
	 * signal's reason; leaving the loop closes it too. A request that is given up for a newer one throws an
	 * `AbortError`.
	 */
	ask(brief: Brief, signal: AbortSignal): AsyncIterable<Answered>;
	/** What became of an answer, for a provider that wants to know and a user who has switched that on. */
	tell?(id: string, verdict: Verdict): void;
}

/** What has come of a question so far. */
export type Answered = (Reading | { readonly nothing: Unaskable }) & {
	/** Of the document that the brief is of. */
	readonly window: Stretch;
	readonly isWhole: boolean;
	/** The provider's name for the answer, where it has one. */
	readonly id?: string;
};

/**
 * A model that is asked over HTTP, in the format that is configured for it or else that its name and address ask for. Nobody is called
 * before the first question. Models at servers that people run for themselves, and that share their turns, are asked one after the
 * other. Throws a `ModelFailure` where there is no such format.
 */
export function editModel(settings: EditModelSettings, turns: Turns = new Turns()): EditModel {
	const name = settings.format ?? chooseFormat(settings);
	const format = name === undefined ? undefined : FORMATS.get(name);
	if (format === undefined) throw withoutFormat(settings);
	return new HttpEditModel(settings, format, CLOCK, turns);
}

/** More at once would be for texts that the user has long left behind. */
const FLIGHTS_MAX = 2;
/** On a machine of one's own, two requests at once are slower than one after the other. */
const OWN_FLIGHTS_MAX = 1;

/** Nobody looks for a suggestion that comes later than this. */
export const ANSWER_MS_MAX = 8_000;

/** Who waits longer for those before them to be answered has gone on by then. */
export const TURN_MS_MAX = 8_000;

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
export const REST_MS = 10_000;

/** A provider that wants to be left alone for longer is tried again after this nevertheless: it is one request a minute. */
export const REST_MS_MAX = 60_000;

/** A model that is asked over HTTP in a given format. */
export class HttpEditModel implements EditModel {
	readonly name: string;
	readonly flightsMax: number;
	/** The server, where people run such a one for themselves. */
	private readonly own: string | undefined;
	readonly tell?: (id: string, verdict: Verdict) => void;
	private readonly flights: Flights;
	private rest: { readonly untilMs: number; readonly why: ModelFailure } | undefined;
	/** When something of an answer came last; undefined where the model may have to be loaded. */
	private heardMs: number | undefined;

	constructor(
		private readonly settings: EditModelSettings,
		private readonly asked: Format,
		private readonly clock: Clock,
		private readonly turns: Turns,
	) {
		this.name = settings.name;
		this.own = ownServer(settings);
		this.flightsMax = this.own === undefined ? FLIGHTS_MAX : OWN_FLIGHTS_MAX;
		this.flights = new Flights(this.flightsMax, clock);
		if (settings.api === "inception" && settings.tellsVerdicts) {
			this.tell = (id, verdict) => void sendFeedback(settings, id, verdict);
		}
	}

	get format(): string {
		return this.asked.name;
	}

	get specialTokens(): readonly string[] {
		return this.asked.specialTokens;
	}

	async *ask(brief: Brief, signal: AbortSignal): AsyncGenerator<Answered, void, undefined> {
		signal.throwIfAborted();
		const failure = findSettingsFailure(this.settings) ?? this.restLeft();
		if (failure !== undefined) throw failure;
		const question = questionOf(this.asked, brief, recipientOf(this.settings));
		if (typeof question === "string") {
			yield { nothing: question, window: { from: brief.cursor, to: brief.cursor }, isWhole: true };
			return;
		}
		const flight = this.flights.begin(signal);
		try {
			if (this.own !== undefined) await this.turnAt(this.own, flight);
			this.limit(flight);
			const asking = await WIRES[this.settings.api](question.ask, this.settings);
			if (asking === undefined) throw unaskable(this.settings, this.format);
			yield* this.answersTo(question, asking, flight);
		} catch (error) {
			if (error instanceof PassingFailure) throw this.passing(error);
			if (error instanceof ModelFailure && LASTING.has(error.kind)) this.restAfter(error, REST_MS);
			throw error;
		} finally {
			flight.end();
		}
	}

	private async turnAt(server: string, flight: Flight): Promise<void> {
		flight.limit(TURN_MS_MAX, () => occupied(this.settings, TURN_MS_MAX));
		await this.turns.take(server, this, flight);
	}

	private limit(flight: Flight): void {
		const afterMs = this.own !== undefined && !this.isLoaded() ? FIRST_ANSWER_MS_MAX : ANSWER_MS_MAX;
		flight.limit(afterMs, () => {
			// It may be that the server has put another model in its place.
			this.heardMs = undefined;
			return this.restAfter(tooSlow(this.settings, afterMs, REST_MS), REST_MS);
		});
	}

	private isLoaded(): boolean {
		return this.heardMs !== undefined && this.clock.now() - this.heardMs < LOADED_MS;
	}

	private async *answersTo(
		question: Question,
		{ request, incoming, id }: Asking,
		flight: Flight,
	): AsyncGenerator<Answered, void, undefined> {
		const { window } = question;
		const answer = new Answer(this.settings, request, incoming, this.clock, flight.signal);
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
						if (event.reason === "refused") throw unwilling(this.settings);
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
	private passing(failure: PassingFailure): ModelFailure {
		const restMs = failure.kind === "busy" ? Math.min(failure.retryAfterMs ?? REST_MS, REST_MS_MAX) : 0;
		if (restMs === 0) return passed(failure, undefined);
		return this.restAfter(passed(failure, restMs), restMs);
	}

	private restAfter(why: ModelFailure, restMs: number): ModelFailure {
		this.rest = { untilMs: this.clock.now() + restMs, why };
		return why;
	}

	private restLeft(): ModelFailure | undefined {
		if (this.rest === undefined) return undefined;
		const leftMs = this.rest.untilMs - this.clock.now();
		return leftMs > 0 ? resting(this.settings, leftMs, this.rest.why) : undefined;
	}
}

function recipientOf(settings: EditModelSettings): Recipient {
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

async function sendFeedback(settings: EditModelSettings, id: string, verdict: Verdict): Promise<void> {
	const { url, headers, body } = feedback(settings, id, verdict);
	try {
		const options: RequestInit = { method: "POST", headers, body, redirect: "manual" };
		const response = await fetch(url, { ...options, signal: AbortSignal.timeout(ANSWER_MS_MAX) });
		await response.body?.cancel();
	} catch {
		// It is a favour to the provider, and nobody waits for it.
	}
}
