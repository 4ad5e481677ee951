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

/** Of a list. The longest that is known, of some hundred models with their prices, has about a megabyte. */
const LIST_BYTES_MAX = 16 * 1024 * 1024;

/** What servers say that have no such page: these are no failures of the model's. */
const NO_LIST: ReadonlySet<number> = new Set([404, 405, 501]);

/**
 * The names of the models that a server says it has; undefined where it lists none. Throws a `ModelFailure` where it cannot be
 * reached or does not let one in, and the signal's reason where that is aborted.
 */
export async function listModels(settings: AnySettings, signal: AbortSignal): Promise<readonly string[] | undefined> {
	const failure = findSettingsFailure(settings);
	if (failure !== undefined) throw failure;
	const request = listingOf(settings);
	if (request === undefined) return undefined;
	const { status, mediaType, location, text } = await get(settings, request, signal);
	if (NO_LIST.has(status)) return undefined;
	if (status >= 300 && status < 400) throw movedTo(settings, location);
	const said = parseJson(text);
	if (status < 200 || status > 299) {
		const error = said ?? (isPage(mediaType, text) ? undefined : text);
		throw failureOfError(settings, { status, error, retryAfterMs: undefined });
	}
	const names = namesIn(said);
	if (names === undefined) throw malformed(settings, "answers with something else than a list of models");
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
			if (bytes > LIST_BYTES_MAX) throw malformed(settings, "answers with more than any list of models");
			text += decoder.decode(chunk, { stream: true });
		}
		const { status, headers: told } = response;
		return { status, mediaType: told.get("content-type") ?? "", location: told.get("location"), text };
	} catch (error) {
		signal.throwIfAborted();
		throw error instanceof ModelFailure ? error : failureOfConnection(settings, error);
	}
}

/** OpenAI's and Anthropic's lists have `data` and ids, Ollama's `models` and names. */
function namesIn(said: unknown): string[] | undefined {
	const { data, models } = (typeof said === "object" ? (said ?? {}) : {}) as { data?: unknown; models?: unknown };
	const list = [said, data, models].find(Array.isArray);
	return list?.flatMap((each: unknown) => {
		const { id, name } = (each ?? {}) as { id?: unknown; name?: unknown };
		return [id, name].find((one) => typeof one === "string") ?? [];
	});
}
