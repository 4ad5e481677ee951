import {
	failureOfConnection,
	failureOfError,
	findSettingsFailure,
	ModelFailure,
	malformed,
	movedTo,
} from "./failure.js";
import { bearerOf, headersFor, rootUrl, versionedUrl } from "./http-request.js";
import { isPage, parseJson } from "./reply-stream.js";
import { type AnySettings, type Api, baseUrlOf } from "./settings.js";

/** The longest known list contains several hundred models with prices and is about one megabyte. */
const LIST_BYTES_MAX = 16 * 1024 * 1024;

/** Statuses sent by servers that cannot list their models. They don't count as failures. */
const NO_LIST: ReadonlySet<number> = new Set([404, 405, 501]);

/**
 * Returns the names of a server's models, or undefined if it cannot list them. Throws a `ModelFailure` if the server
 * cannot be reached or rejects the key, and the signal's reason if it is aborted.
 */
export async function listModels(settings: AnySettings, signal: AbortSignal): Promise<readonly string[] | undefined> {
	const failure = findSettingsFailure(settings);
	if (failure !== undefined) throw failure;
	const request = listingOf(settings);
	if (request === undefined) return undefined;
	const { status, mediaType, location, text } = await get(settings, request, signal);
	if (NO_LIST.has(status)) return undefined;
	if (status >= 300 && status < 400) throw movedTo(settings, location);
	const parsed = parseJson(text);
	if (status < 200 || status > 299) {
		const error = parsed ?? (isPage(mediaType, text) ? undefined : text);
		throw failureOfError(settings, { status, error, retryAfterMs: undefined });
	}
	const names = namesIn(parsed);
	if (names === undefined) throw malformed(settings, "did not answer with a list of models");
	return names;
}

interface Listing {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
}

function listingOf(settings: AnySettings): Listing | undefined {
	const { apiKey } = settings;
	const base = { baseUrl: baseUrlOf(settings) };
	switch (apiOf(settings)) {
		case "sweep":
			return undefined;
		case "ollama":
			return { url: rootUrl(base, "/api/tags"), headers: headersFor(settings, bearerOf(settings)) };
		case "anthropic": {
			const own = { "anthropic-version": "2023-06-01", ...(apiKey !== undefined && { "x-api-key": apiKey }) };
			return { url: versionedUrl(base, "/models?limit=1000"), headers: headersFor(settings, own) };
		}
		default:
			return { url: versionedUrl(base, "/models"), headers: headersFor(settings, bearerOf(settings)) };
	}
}

function apiOf(settings: AnySettings): Api {
	if ("api" in settings) return settings.api;
	return settings.type === "anthropic" ? "anthropic" : "openai";
}

async function get(settings: AnySettings, { url, headers }: Listing, signal: AbortSignal) {
	try {
		const response = await fetch(url, { headers, signal, redirect: "manual" });
		const decoder = new TextDecoder();
		let [text, bytes] = ["", 0];
		for await (const chunk of response.body ?? []) {
			bytes += chunk.length;
			if (bytes > LIST_BYTES_MAX) throw malformed(settings, "sent a list of models that is too long");
			text += decoder.decode(chunk, { stream: true });
		}
		const { status, headers: received } = response;
		return { status, mediaType: received.get("content-type") ?? "", location: received.get("location"), text };
	} catch (error) {
		signal.throwIfAborted();
		throw error instanceof ModelFailure ? error : failureOfConnection(settings, error);
	}
}

/** OpenAI and Anthropic send ids in `data`; Ollama sends names in `models`. */
function namesIn(value: unknown): string[] | undefined {
	const { data, models } = (typeof value === "object" ? (value ?? {}) : {}) as { data?: unknown; models?: unknown };
	const list = [value, data, models].find(Array.isArray);
	return list?.flatMap((each: unknown) => {
		const { id, name } = (each ?? {}) as { id?: unknown; name?: unknown };
		return [id, name].find((one) => typeof one === "string") ?? [];
	});
}
