import type { ModelClock } from "./clock.js";
import type { ChatEvent } from "./events.js";
import {
	cutOff,
	failureOfConnection,
	failureOfError,
	hungUp,
	ModelFailure,
	malformed,
	movedTo,
	noResponse,
	retryAfterOf,
	TemporaryFailure,
} from "./failure.js";
import { type BodyFraming, type ReplyDecoder, WholeReader } from "./framing.js";
import type { HttpRequest } from "./http-request.js";
import type { AnySettings } from "./settings.js";

/**
 * How long nothing may come, before the first byte and between two. A local model can take minutes to read a long prompt, and a
 * remote one to think; Node itself would wait for five.
 */
export const SILENCE_MS_MAX = 240_000;

/** How often it is looked whether something came, so that a silence is noticed at most an eighth too early. */
const LOOKS = 8;

/** How long a connection may stay open when the answer is whole. Seeing its end keeps it for the next request. */
export const LINGER_MS_MAX = 1000;

/** Of all that comes of one answer, in characters: many times what the longest holds. What sends more does not end. */
const ANSWER_CHARS_MAX = 32 * 1024 * 1024;

/** The error of a provider is a sentence or a page; what comes after this is not looked at. */
const ERROR_BYTES_MAX = 64 * 1024;

const NO_STREAM = "answered with something that is no stream";

/** One request and what comes of it. */
export class ReplyStream {
	private readonly timeout: SilenceTimeout;
	private body: ReadableStreamDefaultReader<Uint8Array> | undefined;
	private framing: BodyFraming;
	/** Something of the answer has come out, so that asking again would say it twice. */
	private hasBegun = false;
	/** What is thrown when the events before it are out. */
	private failure: ModelFailure | undefined;
	private isOver = false;
	private charsRead = 0;

	constructor(
		private readonly settings: AnySettings,
		private readonly request: HttpRequest,
		private readonly decoder: ReplyDecoder,
		private readonly clock: ModelClock,
		private readonly signal: AbortSignal,
	) {
		this.timeout = new SilenceTimeout(clock, signal);
		this.framing = decoder.framing;
	}

	/**
	 * The events that came since the last time, at least one; undefined after the last. Throws a `ModelFailure`, which is a
	 * `TemporaryFailure` only when nothing has come out.
	 */
	async next(): Promise<readonly ChatEvent[] | undefined> {
		for (;;) {
			const batch = this.decoder.events.take();
			if (batch.length > 0) {
				this.hasBegun = true;
				return batch;
			}
			if (this.failure !== undefined) throw this.failure;
			if (this.isOver) return undefined;
			await this.readOn();
		}
	}

	/**
	 * Closes the request on the wire, if it is not over. Where the answer is whole, it is only the end that has not come, and
	 * seeing that keeps the connection: it is waited for, but not by the caller.
	 */
	close(): void {
		if (this.decoder.reader.isWhole && !this.isOver) void this.seeEnd();
		else this.timeout.end();
	}

	private async seeEnd(): Promise<void> {
		try {
			while ((await this.body?.read())?.done === false);
		} catch {
			// It did not come in time, and what there was to be said has been.
		}
		this.timeout.end();
	}

	private async readOn(): Promise<void> {
		const piece = await this.receive();
		if (piece === undefined) return;
		this.timeout.heard();
		if (piece.value !== undefined) {
			this.readEvents(this.framing.read(piece.value));
		} else {
			this.readEvents(this.framing.end());
			const isStream = this.framing === this.decoder.framing;
			this.fail(isStream ? hungUp(this.settings) : malformed(this.settings, NO_STREAM));
		}
	}

	/** The next piece of the body, without a value after the last; undefined when there is none because of a failure. */
	private async receive(): Promise<{ readonly value?: Uint8Array | undefined } | undefined> {
		try {
			this.body ??= await this.send();
			return await this.body.read();
		} catch (error) {
			this.signal.throwIfAborted();
			if (this.timeout.isOver) this.fail(noResponse(this.settings, SILENCE_MS_MAX));
			else this.fail(error instanceof ModelFailure ? error : failureOfConnection(this.settings, error));
			return undefined;
		}
	}

	/** Ends the answer. If it is whole, nothing has failed. */
	private fail(failure: ModelFailure): void {
		if (this.isOver) return;
		this.isOver = true;
		const hasBegun = this.hasBegun || this.decoder.events.isHolding;
		this.decoder.reader.close();
		if (this.decoder.reader.isWhole) return;
		const isCut = failure instanceof TemporaryFailure || failure.kind === "unreachable";
		this.failure = hasBegun && isCut ? cutOff(this.settings, failure) : failure;
	}

	private async send(): Promise<ReadableStreamDefaultReader<Uint8Array>> {
		const { url, headers, body } = this.request;
		// A redirection would take the key along to another host.
		const options: RequestInit = { method: "POST", headers, body, redirect: "manual" };
		const response = await fetch(url, { ...options, signal: this.timeout.signal });
		this.timeout.heard();
		const mediaType = response.headers.get("content-type") ?? "";
		if (response.ok && response.body !== null) {
			if (this.framing.takes(mediaType)) return response.body.getReader();
			// Servers exist that were asked for a stream and answer in one piece.
			if (mediaType.includes("json")) {
				this.framing = new WholeReader();
				return response.body.getReader();
			}
		}
		throw await this.failureOfResponse(response, mediaType);
	}

	private async failureOfResponse(response: Response, mediaType: string): Promise<ModelFailure> {
		const { status } = response;
		const text = await beginningOf(response);
		const error = parseJson(text);
		const waitMs = retryAfterOf(response.headers.get("retry-after"), this.clock.now());
		const isOnlyPage = error === undefined && isPage(mediaType, text);
		const isTold = status === 401 || status === 429 || status >= 500;
		if (isOnlyPage && !isTold) return malformed(this.settings, "answered with a web page");
		if (status >= 300 && status < 400) return movedTo(this.settings, response.headers.get("location"));
		if (response.ok) return malformed(this.settings, NO_STREAM);
		return failureOfError(this.settings, {
			status,
			error: isOnlyPage ? undefined : (error ?? text),
			retryAfterMs: waitMs,
		});
	}

	private readEvents(events: readonly string[] | undefined): void {
		if (events === undefined) this.fail(malformed(this.settings, "sent an event without an end"));
		for (const data of events ?? []) {
			if (this.isOver || this.decoder.reader.isWhole) break;
			this.charsRead += data.length;
			if (this.charsRead > ANSWER_CHARS_MAX) this.fail(malformed(this.settings, "sent an answer without an end"));
			else this.readEvent(data);
		}
		if (this.decoder.reader.isWhole) this.timeout.linger();
	}

	private readEvent(data: string): void {
		try {
			const error = this.decoder.reader.read(data, this.framing instanceof WholeReader);
			if (error === undefined) return;
			this.fail(failureOfError(this.settings, { status: undefined, error, retryAfterMs: undefined }));
		} catch (error) {
			if (!(error instanceof SyntaxError)) throw error;
			this.fail(malformed(this.settings, "sent a piece of an answer that is no JSON of its API"));
		}
	}
}

/** Ends a request when the person wants it, or when nothing comes any more. */
class SilenceTimeout {
	/** It has ended the request by itself, because nothing came. */
	isOver = false;
	private readonly controller = new AbortController();
	/** How often nothing had come since the look before. */
	private quietLooks = 0;
	private callOff: () => void;

	constructor(
		private readonly clock: ModelClock,
		private readonly outer: AbortSignal,
	) {
		if (outer.aborted) this.abort();
		outer.addEventListener("abort", this.abort, { once: true });
		this.callOff = clock.after(SILENCE_MS_MAX / LOOKS, this.look);
	}

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** Costs nothing, because every chunk comes by here: whether something was heard is only looked at from time to time. */
	heard(): void {
		this.quietLooks = 0;
	}

	/** Nothing more is expected but the end. */
	linger(): void {
		this.callOff();
		this.callOff = this.clock.after(LINGER_MS_MAX, this.abort);
	}

	end(): void {
		this.outer.removeEventListener("abort", this.abort);
		this.callOff();
		this.controller.abort();
	}

	private readonly abort = (): void => this.controller.abort(this.outer.reason);

	private readonly look = (): void => {
		this.quietLooks++;
		if (this.quietLooks < LOOKS) {
			this.callOff = this.clock.after(SILENCE_MS_MAX / LOOKS, this.look);
		} else {
			this.isOver = true;
			this.controller.abort();
		}
	};
}

/** The beginning of a body, as text. */
async function beginningOf(response: Response): Promise<string> {
	if (response.body === null) return "";
	const decoder = new TextDecoder();
	let text = "";
	let bytes = 0;
	for await (const chunk of response.body) {
		text += decoder.decode(chunk, { stream: true });
		bytes += chunk.length;
		if (bytes > ERROR_BYTES_MAX) break;
	}
	return text;
}

/** Whether what came is a web page, of a proxy or of something else that is no API. Its markup is nothing to read. */
export function isPage(mediaType: string, text: string): boolean {
	return mediaType.includes("html") || text.trimStart().startsWith("<");
}

export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
