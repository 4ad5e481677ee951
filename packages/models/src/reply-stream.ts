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
 * Timeout while no data arrives, both before the first byte and between bytes. A local model can take minutes to read a
 * long prompt, and a remote model can take minutes to think. Node's own timeout is five minutes.
 */
export const SILENCE_MS_MAX = 240_000;

/** Number of idle checks per timeout. The timeout fires at most one check interval too early. */
const CHECKS = 8;

/**
 * How long to wait for the end of the body after a complete reply. The connection can be reused only if the body is
 * read to the end.
 */
export const LINGER_MS_MAX = 1000;

/** Far more than the longest reply. A server that sends more would probably never stop. */
const ANSWER_CHARS_MAX = 32 * 1024 * 1024;

/** An error is usually a sentence or a page. The rest is ignored. */
const ERROR_BYTES_MAX = 64 * 1024;

const NO_STREAM = "did not answer with a stream";

/** One request and its streamed reply. */
export class ReplyStream {
	private readonly timeout: SilenceTimeout;
	private body: ReadableStreamDefaultReader<Uint8Array> | undefined;
	private framing: BodyFraming;
	/** Whether any events have been returned. If so, a retry would repeat them. */
	private hasBegun = false;
	/** Thrown after the buffered events have been returned. */
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
	 * Resolves with at least one new event, or with undefined after the last. Throws a `ModelFailure`, which is a
	 * `TemporaryFailure` only if no events have been returned.
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
	 * Aborts the request if it is still running. If the reply is complete, reads the end of the body in the background
	 * instead, so that the connection can be reused.
	 */
	close(): void {
		if (this.decoder.reader.isWhole && !this.isOver) void this.drain();
		else this.timeout.end();
	}

	private async drain(): Promise<void> {
		try {
			while ((await this.body?.read())?.done === false);
		} catch {
			// The end did not arrive in time. The reply is already complete.
		}
		this.timeout.end();
	}

	private async readOn(): Promise<void> {
		const piece = await this.receive();
		if (piece === undefined) return;
		this.timeout.reset();
		if (piece.value !== undefined) {
			this.readEvents(this.framing.read(piece.value));
		} else {
			this.readEvents(this.framing.end());
			const isStream = this.framing === this.decoder.framing;
			this.fail(isStream ? hungUp(this.settings) : malformed(this.settings, NO_STREAM));
		}
	}

	/**
	 * Resolves with the next chunk of the body. After the last chunk, the result has no value. After a failure, the result
	 * is undefined.
	 */
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

	/** Ends the reply. If the reply is already complete, this is not a failure. */
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
		// A redirect would send the key to another host.
		const options: RequestInit = { method: "POST", headers, body, redirect: "manual" };
		const response = await fetch(url, { ...options, signal: this.timeout.signal });
		this.timeout.reset();
		const mediaType = response.headers.get("content-type") ?? "";
		if (response.ok && response.body !== null) {
			if (this.framing.takes(mediaType)) return response.body.getReader();
			// Some servers ignore `stream` and send the reply as a single message.
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
		const isExplained = status === 401 || status === 429 || status >= 500;
		if (isOnlyPage && !isExplained) return malformed(this.settings, "answered with a web page");
		if (status >= 300 && status < 400) return movedTo(this.settings, response.headers.get("location"));
		if (response.ok) return malformed(this.settings, NO_STREAM);
		return failureOfError(this.settings, {
			status,
			error: isOnlyPage ? undefined : (error ?? text),
			retryAfterMs: waitMs,
		});
	}

	private readEvents(events: readonly string[] | undefined): void {
		if (events === undefined) this.fail(malformed(this.settings, "sent an event that is too long"));
		for (const data of events ?? []) {
			if (this.isOver || this.decoder.reader.isWhole) break;
			this.charsRead += data.length;
			if (this.charsRead > ANSWER_CHARS_MAX) this.fail(malformed(this.settings, "sent a reply that is too long"));
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
			this.fail(malformed(this.settings, "sent data that is not valid JSON for its API"));
		}
	}
}

/** Aborts a request if it is cancelled or if no data arrives for too long. */
class SilenceTimeout {
	/** Whether the request timed out. */
	isOver = false;
	private readonly controller = new AbortController();
	/** Consecutive checks without data. */
	private idleChecks = 0;
	private cancel: () => void;

	constructor(
		private readonly clock: ModelClock,
		private readonly outer: AbortSignal,
	) {
		if (outer.aborted) this.abort();
		outer.addEventListener("abort", this.abort, { once: true });
		this.cancel = clock.after(SILENCE_MS_MAX / CHECKS, this.check);
	}

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** Called for every chunk, so it only resets a counter. */
	reset(): void {
		this.idleChecks = 0;
	}

	/** Replaces the timeout with a time limit for the end of the body. */
	linger(): void {
		this.cancel();
		this.cancel = this.clock.after(LINGER_MS_MAX, this.abort);
	}

	end(): void {
		this.outer.removeEventListener("abort", this.abort);
		this.cancel();
		this.controller.abort();
	}

	private readonly abort = (): void => this.controller.abort(this.outer.reason);

	private readonly check = (): void => {
		this.idleChecks++;
		if (this.idleChecks < CHECKS) {
			this.cancel = this.clock.after(SILENCE_MS_MAX / CHECKS, this.check);
		} else {
			this.isOver = true;
			this.controller.abort();
		}
	};
}

/** Returns the start of a body as text. */
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

/** Whether a response is a web page, for example from a proxy. The markup of a web page is not shown to users. */
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
