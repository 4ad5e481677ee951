import { errorText } from "@segue/text";
import { numberOf, textOf } from "./framing.js";
import { type AnySettings, baseUrlOf, type EditModelSettings, providerOf } from "./settings.js";

/** The kinds of model failure, grouped by what the user can do about them. */
export type FailureKind =
	| "no-key"
	| "wrong-key"
	| "unknown-model"
	| "unreachable"
	| "busy"
	| "too-long"
	| "filtered"
	| "cut"
	| "malformed"
	| "refused"
	/** No request was sent, because requests are paused after an earlier failure. */
	| "resting";

/**
 * Why a model did not reply, or did not finish its reply. The message is written for users, includes the next step and
 * never contains a key.
 */
export class ModelFailure extends Error {
	constructor(
		readonly kind: FailureKind,
		message: string,
		/** The message without the text from the provider, which may quote the prompt. */
		readonly ownWords: string = message,
	) {
		super(message);
		this.name = "ModelFailure";
	}
}

/** A failure that a retry may fix. Its message says what happened, but not what to do. */
export class TemporaryFailure extends ModelFailure {
	constructor(
		kind: FailureKind,
		message: string,
		/** The provider's Retry-After, if any. */
		readonly retryAfterMs: number | undefined,
		ownWords?: string,
	) {
		super(kind, message, ownWords);
	}
}

/** A longer quote from the provider would obscure our own message. */
const WORDS_CHARS_MAX = 300;

/** Finds mistakes in the settings that can be detected without a request. */
export function findSettingsFailure(settings: AnySettings): ModelFailure | undefined {
	const { apiKey, baseUrl } = settings;
	if (baseUrl !== undefined) {
		const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
		if (url === undefined || !/^https?:$/.test(url.protocol)) {
			const what = `${maskCredentials(baseUrl, settings)} is not a valid base URL.`;
			return unreachable(`${what} Use one like http://localhost:1234/v1.`);
		}
		if (url.username !== "" || url.password !== "") {
			return unreachable(
				"The base URL contains a user name or password, which cannot be sent. Configure a header instead.",
			);
		}
	}
	for (const header of Object.entries(settings.headers)) {
		if (!canBeSent(header)) {
			const what = `A header configured for ${providerOf(settings)} contains characters that cannot be sent`;
			return new ModelFailure("refused", `${what}, such as a line break. Fix the header.`);
		}
	}
	if (apiKey === undefined) {
		return baseUrl === undefined && !hasOwnAuthorization(settings) ? noKey(settings) : undefined;
	}
	if (/^[\x21-\x7e]+$/.test(apiKey)) return undefined;
	const what = "contains invalid characters, such as a space or a line break";
	return new ModelFailure("wrong-key", `The key for ${providerOf(settings)} ${what}. ${keyAdviceFor(settings)}`);
}

function canBeSent(header: [name: string, value: string]): boolean {
	try {
		new Headers([header]);
		return true;
	} catch {
		return false; // the error quotes the value
	}
}

/** Turns a provider's error response into a failure, based on its status and the error in its body. */
export function failureOfError(
	settings: AnySettings,
	{ status, error, retryAfterMs }: { status: number | undefined; error: unknown; retryAfterMs: number | undefined },
): ModelFailure {
	const provider = providerOf(settings);
	const { words, codes, wantsSignIn } = readError(settings, error);
	const quote = words === "" ? "." : `: ${words}`;
	const all = `${codes} ${words}`;
	const failing = (kind: FailureKind, what: string, advice: string) =>
		new ModelFailure(kind, `${what}${quote} ${advice}`, `${what}. ${advice}`);
	if (TOO_LONG.test(all) || status === 413) {
		const [what, advice] =
			"api" in settings
				? ["The prompt", "Configure the size of the model's context window to send shorter prompts."]
				: ["The conversation", "Start a new thread, or choose a model with a larger context window."];
		return failing("too-long", `${what} is too long for ${settings.name}`, advice);
	}
	if (FILTERED.test(all)) {
		const advice = "api" in settings ? OTHER_MODEL : "Rephrase your message, or choose another model.";
		return failing("filtered", `The content filter of ${provider} rejected the request`, advice);
	}
	if (NO_CREDIT.test(all) || status === 402) {
		const advice = "Check your account, or choose another model.";
		return failing("refused", `${provider} reports that your credit or quota is used up`, advice);
	}
	if (wantsSignIn)
		return failing("no-key", `${provider} requires you to sign in`, 'Run "ollama signin" on its machine.');
	if (status === 401 || status === 403 || WRONG_KEY.test(codes)) {
		if (settings.apiKey === undefined && !hasOwnAuthorization(settings)) {
			return failing("no-key", `${provider} requires an API key, and none is configured`, keyAdviceFor(settings));
		}
		const from = settings.keyAdvice?.from;
		const key = from === undefined ? "your key" : `your key from ${from}`;
		const what = status === 403 ? `does not allow ${key} to use this model` : `does not accept ${key}`;
		return failing("wrong-key", `${provider} ${what}`, keyAdviceFor(settings));
	}
	if (status === 404 || UNKNOWN_MODEL.test(all)) {
		const advice = `Check the name and the address ${hostOf(settings)}.`;
		return failing("unknown-model", `${provider} has no model named "${settings.model}"`, advice);
	}
	const isBusy =
		status === undefined
			? BUSY.test(all) || BUSY_CODE.test(codes)
			: status === 408 || status === 429 || isServersFault(status);
	const code = status === undefined ? "" : ` (${status})`;
	if (isBusy) {
		const wait = retryAfterMs === undefined ? "" : ` It asks you to wait ${Math.ceil(retryAfterMs / 1000)} seconds.`;
		const what = `${provider} is busy or unavailable${code}`;
		return new TemporaryFailure("busy", `${what}${quote}${wait}`, retryAfterMs, `${what}.${wait}`);
	}
	const advice = "Check the model's configuration, or choose another model.";
	return failing("refused", `${provider} refused the request${code}`, advice);
}

/** Parses a Retry-After header, which contains a number of seconds or a date. */
export function retryAfterOf(header: string | null, nowMs: number): number | undefined {
	if (header === null) return undefined;
	if (/^\d+(?:\.\d+)?$/.test(header)) return Number(header) * 1000;
	// `Date.parse` accepts almost anything as a date.
	const atMs = header.endsWith(" GMT") ? Date.parse(header) : Number.NaN;
	return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/** The conversation contains something the provider does not accept. */
export function unwritableRequest(settings: AnySettings, error: unknown): ModelFailure {
	const words = wordsOf(settings, errorText(error));
	const advice = "Start a new thread, or choose another model.";
	const what = `Cannot create a request for ${settings.name}`;
	return new ModelFailure("refused", `${what}: ${words} ${advice}`, `${what}. ${advice}`);
}

/**
 * Turns an error from `fetch` into a failure: the request was not sent, or the connection ended before the reply
 * started.
 */
export function failureOfConnection(settings: AnySettings, error: unknown): ModelFailure {
	const place = hostOf(settings);
	const code = codeOf(error);
	if (BROKEN_OFF.has(code)) return hungUp(settings);
	const check = "Check the base URL, and check that the server is running.";
	if (code === "ECONNREFUSED") {
		const isOllama = providerOf(settings) === "ollama";
		const advice = isOllama ? "Is Ollama running? Start it with `ollama serve`." : check;
		return unreachable(`Cannot connect to ${place}: connection refused. ${advice}`);
	}
	if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
		return unreachable(
			`Cannot find the host ${place}, or there is no network. Check the base URL and your connection.`,
		);
	}
	if (TIMED_OUT.has(code)) return unreachable(`${place} did not respond in time. ${check}`);
	if (/CERT|SIGNATURE|SSL|TLS|^EPROTO$/.test(code)) {
		const advice = "Check the server's certificate and whether the base URL should start with https:.";
		return unreachable(`Cannot establish a secure connection to ${place} (${code}). ${advice}`);
	}
	if (code.startsWith("HPE_")) {
		return new ModelFailure("malformed", `${place} does not speak HTTP. Check the base URL and its port.`);
	}
	return unreachable(
		`Cannot connect to ${place} (${wordsOf(settings, code || causeOf(error)).slice(0, -1)}). ${check}`,
	);
}

/** The connection was closed before the reply was complete. */
export function hungUp(settings: AnySettings): TemporaryFailure {
	return new TemporaryFailure("unreachable", `${hostOf(settings)} closed the connection.`, undefined);
}

/** The reply was interrupted after it had started. */
export function cutOff(settings: AnySettings, failure: ModelFailure): ModelFailure {
	const what = `The reply from ${providerOf(settings)} was interrupted.`;
	const advice =
		"api" in settings ? NEXT_CHANGE : "The partial reply is kept: ask the model to continue, or try again.";
	return new ModelFailure("cut", `${what} ${failure.message} ${advice}`, `${what} ${failure.ownWords} ${advice}`);
}

/** The response does not match the API. */
export function malformed(settings: AnySettings, what: string): ModelFailure {
	const advice = "Check that the base URL points to its API, including /v1 if the server needs it.";
	return new ModelFailure("malformed", `${hostOf(settings)} ${what}. ${advice}`);
}

/** The server sent a redirect. Redirects are not followed, because they would send the key to another host. */
export function movedTo(settings: AnySettings, location: string | null): ModelFailure {
	const what = `${hostOf(settings)} redirects to`;
	const base = baseUrlOf(settings);
	const target = location !== null && URL.canParse(location, base) ? new URL(location, base) : undefined;
	const advice = "Check that the base URL points to its API.";
	if (target === undefined) return new ModelFailure("malformed", `${what} another address. ${advice}`);
	const there = wordsOf(settings, `${target.origin}${target.pathname}`).slice(0, -1);
	return new ModelFailure("malformed", `${what} ${there}. ${advice}`, `${what} another address. ${advice}`);
}

/** No data arrived before the timeout. */
export function noResponse(settings: AnySettings, silenceMs: number): ModelFailure {
	const advice = "Check that the server is working, or choose another model.";
	return unreachable(`No data from ${hostOf(settings)} for about ${silenceMs / 60_000} minutes. ${advice}`);
}

/** The model or a filter stopped the reply. */
export function refusedToAnswer(settings: EditModelSettings): ModelFailure {
	return new ModelFailure(
		"filtered",
		`${settings.name} or its provider's content filter stopped the reply. ${OTHER_MODEL}`,
	);
}

/** The reply did not complete before its deadline. */
export function tooSlow(settings: EditModelSettings, afterMs: number, restMs: number): ModelFailure {
	const what = `${hostOf(settings)} did not complete its reply within ${secondsOf(afterMs)}.`;
	return unreachable(`${what} ${pausedFor(restMs)} If this happens often, choose a smaller model or another provider.`);
}

/** The request was not sent, because the server was busy with other requests. */
export function serverBusy(settings: EditModelSettings, afterMs: number): ModelFailure {
	const what = `${hostOf(settings)} handles one request at a time and was busy with others for ${secondsOf(afterMs)}.`;
	return new ModelFailure("busy", `${what} ${NEXT_CHANGE}`);
}

/** Adds the next step to the message of a temporary failure that is not retried automatically. */
export function temporaryFailure(
	{ kind, message, ownWords }: TemporaryFailure,
	restMs: number | undefined,
): ModelFailure {
	const advice = restMs === undefined ? NEXT_CHANGE : pausedFor(restMs);
	return new ModelFailure(kind, `${message} ${advice}`, `${ownWords} ${advice}`);
}

/** No request is sent, because of an earlier failure. */
export function coolingDown(settings: EditModelSettings, leftMs: number, why: ModelFailure): ModelFailure {
	const what = `Requests to ${providerOf(settings)} are paused for another ${secondsOf(leftMs)}. Last error:`;
	return new ModelFailure("resting", `${what} ${why.message}`, `${what} ${why.ownWords}`);
}

/** There is no prompt format for the model. */
export function unknownFormat({ name, model, format }: EditModelSettings): ModelFailure {
	const what = format === undefined ? `${model} does not seem to generate text` : `Unknown format ${format}`;
	return new ModelFailure("refused", `${what}. Configure another format for ${name}, or choose another model.`);
}

/** The API does not support prompts in this format. */
export function unsupportedFormat(settings: EditModelSettings, format: string): ModelFailure {
	const what = `The ${settings.api} API does not support the format ${format}`;
	return new ModelFailure("refused", `${what}. Configure another format or another API for ${settings.name}.`);
}

const NEXT_CHANGE = "The next change sends a new request.";
const OTHER_MODEL = "If this happens often, choose another model.";

function pausedFor(restMs: number): string {
	return `Requests are paused for ${secondsOf(restMs)}.`;
}

function secondsOf(ms: number): string {
	const seconds = Math.ceil(ms / 1000);
	return seconds === 1 ? "1 second" : `${seconds} seconds`;
}

/** Returns the host and port of a model's server. */
function hostOf(settings: AnySettings): string {
	return new URL(baseUrlOf(settings)).host;
}

function unreachable(message: string): ModelFailure {
	return new ModelFailure("unreachable", message);
}

function noKey(settings: AnySettings): ModelFailure {
	const what = `${providerOf(settings)} requires an API key, and none is configured.`;
	return new ModelFailure("no-key", `${what} ${keyAdviceFor(settings)}`);
}

function keyAdviceFor(settings: AnySettings): string {
	return settings.keyAdvice?.next ?? `Run "segue login ${providerOf(settings)}", or set SEGUE_API_KEY.`;
}

function hasOwnAuthorization({ headers }: AnySettings): boolean {
	return Object.keys(headers).some((name) => /^(?:authorization|x-api-key)$/i.test(name));
}

function isServersFault(status: number): boolean {
	const NOT_IMPLEMENTED = 501;
	return status >= 500 && status !== NOT_IMPLEMENTED;
}

/** Extracts the message and codes from a provider's error. The format differs between servers, and some have none. */
function readError(settings: AnySettings, error: unknown): { words: string; codes: string; wantsSignIn: boolean } {
	const outer = recordOf(Array.isArray(error) ? error[0] : error);
	const inner = typeof outer["error"] === "object" ? recordOf(outer["error"]) : outer;
	const words = [error, outer["error"], inner["message"], outer["message"], detailsOf(outer["detail"])].map(textOf);
	const codes = [inner["code"], inner["type"], outer["code"]].map((code) => textOf(code) || (numberOf(code) ?? ""));
	return {
		words: wordsOf(settings, words.find((text) => text !== "") ?? ""),
		codes: codes.join(" "),
		// Sent by Ollama for remote models. Our message names the command instead of this URL, because the URL contains the
		// name of the machine.
		wantsSignIn: textOf(outer["signin_url"]) !== "",
	};
}

/** FastAPI servers return a list of everything that is wrong with a request. */
function detailsOf(detail: unknown): string {
	if (!Array.isArray(detail)) return textOf(detail);
	const messages = detail.map((one) => textOf(recordOf(one)["msg"])).filter((message) => message !== "");
	return messages.join("; ");
}

/** Prepares text from a provider for a message: one line, of limited length, without keys. */
function wordsOf(settings: AnySettings, text: string): string {
	const line = maskCredentials(text, settings).replace(/\s+/g, " ").trim();
	if (line === "") return "";
	const short = line.length > WORDS_CHARS_MAX ? `${startOf(line)}…` : line;
	return /[.!?…]$/.test(short) ? short : `${short}.`;
}

/**
 * Cuts between words if possible. Never splits a surrogate pair, because half of a pair cannot be written to a file.
 */
function startOf(line: string): string {
	const start = [...line].slice(0, WORDS_CHARS_MAX + 1).join("");
	const end = start.lastIndexOf(" ");
	return end > WORDS_CHARS_MAX / 2 ? start.slice(0, end) : [...line].slice(0, WORDS_CHARS_MAX).join("");
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Returns the code of an error or of its causes, because `fetch` wraps the original error. */
function codeOf(error: unknown): string {
	for (let one = error; one instanceof Error; one = one.cause) {
		if ("code" in one && typeof one.code === "string") return one.code;
	}
	return "";
}

/** Returns the message of the innermost cause, because `fetch failed` alone is not helpful. */
function causeOf(error: unknown): string {
	let words = "";
	for (let one = error; one instanceof Error; one = one.cause) words = one.message || words;
	return words;
}

const BROKEN_OFF: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "ECONNABORTED"]);
const TIMED_OUT: ReadonlySet<string> = new Set([
	"ETIMEDOUT",
	"EHOSTUNREACH",
	"ENETUNREACH",
	"UND_ERR_CONNECT_TIMEOUT",
	"UND_ERR_HEADERS_TIMEOUT",
	"UND_ERR_BODY_TIMEOUT",
]);

// Codes and phrases that servers use for these errors.
const TOO_LONG =
	/context_length_exceeded|exceed_context_size|request_too_large|string_above_max_length|prompt is too long|input is too long|context (?:length|window|size)|too many (?:input )?tokens|maximum number of tokens/i;
const FILTERED =
	/content_filter|content_policy|content management policy|content filter|moderation|flagged|safety system/i;
const NO_CREDIT = /insufficient_quota|billing_error|credit balance|insufficient (?:credits|balance)/i;
const WRONG_KEY = /invalid_api_key|authentication_error|permission_error/i;
const UNKNOWN_MODEL =
	/model_not_found|not_found_error|(?:model|deployment)\b.{0,100}\b(?:not found|does not exist|not exist|is not a valid)|(?:unknown|invalid|no such|not a valid) model/i;
const BUSY = /overloaded|rate_limit|server_error|api_error|timeout|unavailable|(?:still|is) loading|loading model/i;
const BUSY_CODE = /\b(?:429|5\d\d)\b/;

/** A shorter key is probably a placeholder for a local server. It is masked only where it appears in full. */
const KEY_CHARS_MIN = 12;

/** How many characters of a partially quoted key are enough to recognize it. */
const KEY_BEGINNING_CHARS = 6;

/** Masks the key (even if only its start is quoted), the values of configured headers, and passwords in URLs. */
function maskCredentials(text: string, { apiKey, headers }: AnySettings): string {
	let masked = text.replace(/\/\/[^\s/@]*@/g, `//${MASK}@`);
	const secrets = [apiKey ?? "", ...Object.values(headers).flatMap((value) => [value, value.replace(/^\w+ /, "")])];
	for (const secret of secrets) {
		if (secret === "") continue;
		masked = masked.replaceAll(secret, MASK);
		if (secret.length < KEY_CHARS_MIN) continue;
		const beginning = secret.slice(0, KEY_BEGINNING_CHARS).replace(/\W/g, "\\$&");
		masked = masked.replace(new RegExp(`${beginning}\\S*`, "g"), MASK);
	}
	return masked;
}

const MASK = "•••";
