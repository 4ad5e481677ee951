import { errorText } from "@segue/text";
import { numberOf, textOf } from "./framing.js";
import { type AnySettings, baseUrlOf, type EditModelSettings, providerOf } from "./settings.js";

/** What goes wrong between us and a model, by what a person can do about it. */
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
	/** It is left alone for a while, after it gave no answer. */
	| "resting";

/**
 * Why a model did not answer, or not to the end. The message is a sentence for a person, with the next step, and never
 * holds a key.
 */
export class ModelFailure extends Error {
	constructor(
		readonly kind: FailureKind,
		message: string,
		/** The message without the words of others, which may quote what they were shown. */
		readonly ownWords: string = message,
	) {
		super(message);
		this.name = "ModelFailure";
	}
}

/** A failure that may be gone when the same is asked again. Its message tells what happened, and no next step yet. */
export class TemporaryFailure extends ModelFailure {
	constructor(
		kind: FailureKind,
		message: string,
		/** How long the provider wants to be left alone, where it says so. */
		readonly retryAfterMs: number | undefined,
		ownWords?: string,
	) {
		super(kind, message, ownWords);
	}
}

/** More of a provider's own words would hide what we say about them. */
const WORDS_CHARS_MAX = 300;

/** What is wrong with the settings of a model, as far as it can be seen before anybody is asked. */
export function findSettingsFailure(settings: AnySettings): ModelFailure | undefined {
	const { apiKey, baseUrl } = settings;
	if (baseUrl !== undefined) {
		const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
		if (url === undefined || !/^https?:$/.test(url.protocol)) {
			const what = `${maskCredentials(baseUrl, settings)} is no base URL of a model.`;
			return unreachable(`${what} Configure one such as http://localhost:1234/v1.`);
		}
		if (url.username !== "" || url.password !== "") {
			return unreachable(
				"The base URL has a name or a password in it, which cannot be sent. Configure a header for it.",
			);
		}
	}
	for (const header of Object.entries(settings.headers)) {
		if (!canBeSent(header)) {
			const what = `A header that is configured for ${providerOf(settings)} holds characters that cannot be sent`;
			return new ModelFailure("refused", `${what}, such as a line end. Configure it anew.`);
		}
	}
	if (apiKey === undefined) {
		return baseUrl === undefined && !hasOwnAuthorization(settings) ? noKey(settings) : undefined;
	}
	if (/^[\x21-\x7e]+$/.test(apiKey)) return undefined;
	const what = "holds characters that no key has, such as a space or a line end";
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

/** What it means that a provider answered with an error, from its status and the error in its body. */
export function failureOfError(
	settings: AnySettings,
	{ status, error, retryAfterMs }: { status: number | undefined; error: unknown; retryAfterMs: number | undefined },
): ModelFailure {
	const provider = providerOf(settings);
	const { words, codes, wantsSignIn } = readError(settings, error);
	const said = words === "" ? "." : `: ${words}`;
	const all = `${codes} ${words}`;
	const failing = (kind: FailureKind, what: string, advice: string) =>
		new ModelFailure(kind, `${what}${said} ${advice}`, `${what}. ${advice}`);
	if (TOO_LONG.test(all) || status === 413) {
		const [what, advice] =
			"api" in settings
				? ["What is shown", "Configure how many tokens it can look at, and it is shown less."]
				: ["The conversation", "Begin a new thread, or choose a model with a larger window."];
		return failing("too-long", `${what} is too long for ${settings.name}`, advice);
	}
	if (FILTERED.test(all)) {
		const advice = "api" in settings ? OTHER_MODEL : "Put it in other words, or choose another model.";
		return failing("filtered", `The content filter of ${provider} stopped the request`, advice);
	}
	if (NO_CREDIT.test(all) || status === 402) {
		const advice = "Look at your account there, or choose another model.";
		return failing("refused", `${provider} says that your credit or quota is used up`, advice);
	}
	if (wantsSignIn) return failing("no-key", `${provider} wants you to sign in`, 'Run "ollama signin" where it runs.');
	if (status === 401 || status === 403 || WRONG_KEY.test(codes)) {
		if (settings.apiKey === undefined && !hasOwnAuthorization(settings)) {
			return failing("no-key", `${provider} wants a key, and there is none`, keyAdviceFor(settings));
		}
		const from = settings.keyAdvice?.from;
		const key = from === undefined ? "your key" : `your key from ${from}`;
		const what = status === 403 ? `does not allow this model to ${key}` : `does not accept ${key}`;
		return failing("wrong-key", `${provider} ${what}`, keyAdviceFor(settings));
	}
	if (status === 404 || UNKNOWN_MODEL.test(all)) {
		const advice = `Check the name, and that the address ${hostOf(settings)} is right.`;
		return failing("unknown-model", `${provider} has no model ${settings.model}`, advice);
	}
	const isBusy =
		status === undefined
			? BUSY.test(all) || BUSY_CODE.test(codes)
			: status === 408 || status === 429 || isServersFault(status);
	const code = status === undefined ? "" : ` (${status})`;
	if (isBusy) {
		const wait = retryAfterMs === undefined ? "" : ` It asks to wait ${Math.ceil(retryAfterMs / 1000)} seconds.`;
		const what = `${provider} is busy or in trouble${code}`;
		return new TemporaryFailure("busy", `${what}${said}${wait}`, retryAfterMs, `${what}.${wait}`);
	}
	const advice = "Check the model's configuration, or choose another model.";
	return failing("refused", `${provider} refused the request${code}`, advice);
}

/** What a Retry-After header asks for: seconds, or the date when to come back. */
export function retryAfterOf(header: string | null, nowMs: number): number | undefined {
	if (header === null) return undefined;
	if (/^\d+(?:\.\d+)?$/.test(header)) return Number(header) * 1000;
	// Date.parse takes nearly anything for a date.
	const atMs = header.endsWith(" GMT") ? Date.parse(header) : Number.NaN;
	return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/** There is something in the conversation that the provider does not take. */
export function unwritableRequest(settings: AnySettings, error: unknown): ModelFailure {
	const words = wordsOf(settings, errorText(error));
	const advice = "Begin a new thread, or choose another model.";
	const what = `A request for ${settings.name} could not be written`;
	return new ModelFailure("refused", `${what}: ${words} ${advice}`, `${what}. ${advice}`);
}

/** What it means that a request could not be sent, or that its answer broke off before it began. */
export function failureOfConnection(settings: AnySettings, error: unknown): ModelFailure {
	const place = hostOf(settings);
	const code = codeOf(error);
	if (BROKEN_OFF.has(code)) return hungUp(settings);
	const check = "Check the base URL and that the server runs.";
	if (code === "ECONNREFUSED") return unreachable(`Nothing answers at ${place}. ${check}`);
	if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
		return unreachable(`There is no host ${place}, or no network. Check the base URL and your connection.`);
	}
	if (TIMED_OUT.has(code)) return unreachable(`${place} did not answer in time. ${check}`);
	if (/CERT|SIGNATURE|SSL|TLS|^EPROTO$/.test(code)) {
		const advice = "Check that the base URL should begin with https:, and the server's certificate.";
		return unreachable(`A secure connection to ${place} could not be made (${code}). ${advice}`);
	}
	if (code.startsWith("HPE_")) {
		return new ModelFailure("malformed", `${place} does not speak HTTP. Check the base URL and its port.`);
	}
	return unreachable(
		`${place} could not be reached (${wordsOf(settings, code || causeOf(error)).slice(0, -1)}). ${check}`,
	);
}

/** The connection was closed before the answer was whole. */
export function hungUp(settings: AnySettings): TemporaryFailure {
	return new TemporaryFailure("unreachable", `${hostOf(settings)} closed the connection.`, undefined);
}

/** The answer broke off after it had begun. */
export function cutOff(settings: AnySettings, failure: ModelFailure): ModelFailure {
	const what = `${providerOf(settings)} broke off in the middle of its answer.`;
	const advice = "api" in settings ? ASKED_AGAIN : "What came is kept: ask it to go on, or ask again.";
	return new ModelFailure("cut", `${what} ${failure.message} ${advice}`, `${what} ${failure.ownWords} ${advice}`);
}

/** The answer is not what the wire prescribes. */
export function malformed(settings: AnySettings, what: string): ModelFailure {
	const advice = "Check that the base URL is the one of its API, with /v1 at the end where it has that.";
	return new ModelFailure("malformed", `${hostOf(settings)} ${what}. ${advice}`);
}

/** It sends us to somebody else, to whom the key must not go by itself. */
export function movedTo(settings: AnySettings, location: string | null): ModelFailure {
	const what = `${hostOf(settings)} is somewhere else now`;
	const base = baseUrlOf(settings);
	const target = location !== null && URL.canParse(location, base) ? new URL(location, base) : undefined;
	const advice = "Check that the base URL is the one of its API.";
	if (target === undefined) return new ModelFailure("malformed", `${what}. ${advice}`);
	const there = wordsOf(settings, `${target.origin}${target.pathname}`).slice(0, -1);
	return new ModelFailure("malformed", `${what}, at ${there}. ${advice}`, `${what}. ${advice}`);
}

/** Nothing came for so long that nothing more is expected. */
export function noResponse(settings: AnySettings, silenceMs: number): ModelFailure {
	const advice = "Check that the server is well, or choose another model.";
	return unreachable(`Nothing came from ${hostOf(settings)} for about ${silenceMs / 60_000} minutes. ${advice}`);
}

/** It began to answer, and then would not. */
export function refusedToAnswer(settings: EditModelSettings): ModelFailure {
	return new ModelFailure(
		"filtered",
		`${settings.name}, or a filter of its provider, refuses to go on. ${OTHER_MODEL}`,
	);
}

/** No whole answer came in time. */
export function tooSlow(settings: EditModelSettings, afterMs: number, restMs: number): ModelFailure {
	const what = `${hostOf(settings)} gave no whole answer within ${secondsOf(afterMs)}, and is left alone for`;
	return unreachable(
		`${what} ${secondsOf(restMs)}. If that happens often, choose a smaller model or another provider.`,
	);
}

/** It was not asked: its server answered others all the time. */
export function serverBusy(settings: EditModelSettings, afterMs: number): ModelFailure {
	const what = `${hostOf(settings)} answers one question at a time, and was busy with others for ${secondsOf(afterMs)}.`;
	return new ModelFailure("busy", `${what} ${ASKED_AGAIN}`);
}

/** What a passing failure of a model that is not asked again by itself comes to. */
export function temporaryFailure(
	{ kind, message, ownWords }: TemporaryFailure,
	restMs: number | undefined,
): ModelFailure {
	const advice = restMs === undefined ? ASKED_AGAIN : `It is left alone for ${secondsOf(restMs)}.`;
	return new ModelFailure(kind, `${message} ${advice}`, `${ownWords} ${advice}`);
}

/** It is not asked, because of what came of it before. */
export function coolingDown(settings: EditModelSettings, leftMs: number, why: ModelFailure): ModelFailure {
	const left = `${providerOf(settings)} is left alone for ${secondsOf(leftMs)} more. Before that:`;
	return new ModelFailure("resting", `${left} ${why.message}`, `${left} ${why.ownWords}`);
}

/** Nobody knows how to ask it. */
export function unknownFormat({ name, model, format }: EditModelSettings): ModelFailure {
	const what =
		format === undefined ? `By its name, ${model} is no model that writes text` : `There is no format ${format}`;
	return new ModelFailure("refused", `${what}. Configure another format for ${name}, or choose another model.`);
}

/** The API has nothing for what the format asks. */
export function unsupportedFormat(settings: EditModelSettings, format: string): ModelFailure {
	const what = `A server that speaks ${settings.api} cannot be asked in the format ${format}`;
	return new ModelFailure("refused", `${what}. Configure another format or another API for ${settings.name}.`);
}

const ASKED_AGAIN = "It is asked again with the next change.";
const OTHER_MODEL = "If that happens often, choose another model.";

function secondsOf(ms: number): string {
	const seconds = Math.ceil(ms / 1000);
	return seconds === 1 ? "1 second" : `${seconds} seconds`;
}

/** The host of a model, with its port, as people know it. */
function hostOf(settings: AnySettings): string {
	return new URL(baseUrlOf(settings)).host;
}

function unreachable(message: string): ModelFailure {
	return new ModelFailure("unreachable", message);
}

function noKey(settings: AnySettings): ModelFailure {
	const what = `${providerOf(settings)} wants a key, and there is none.`;
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

/** A provider's error in its own words and codes. Each server has its own shape, and a few have none. */
function readError(settings: AnySettings, error: unknown): { words: string; codes: string; wantsSignIn: boolean } {
	const outer = recordOf(Array.isArray(error) ? error[0] : error);
	const inner = typeof outer["error"] === "object" ? recordOf(outer["error"]) : outer;
	const words = [error, outer["error"], inner["message"], outer["message"], detailsOf(outer["detail"])].map(textOf);
	const codes = [inner["code"], inner["type"], outer["code"]].map((code) => textOf(code) || (numberOf(code) ?? ""));
	return {
		words: wordsOf(settings, words.find((text) => text !== "") ?? ""),
		codes: codes.join(" "),
		// Ollama's, for models that run elsewhere. The address has the name of the machine in it, and the command is shorter.
		wantsSignIn: textOf(outer["signin_url"]) !== "",
	};
}

/** Servers made with FastAPI list everything that is wrong with a request. */
function detailsOf(detail: unknown): string {
	if (!Array.isArray(detail)) return textOf(detail);
	const messages = detail.map((one) => textOf(recordOf(one)["msg"])).filter((message) => message !== "");
	return messages.join("; ");
}

/** A foreign text as a part of our sentence: one line, of bounded length, with no key in it. */
function wordsOf(settings: AnySettings, text: string): string {
	const line = maskCredentials(text, settings).replace(/\s+/g, " ").trim();
	if (line === "") return "";
	// By whole characters, since half of one cannot be written to a file.
	const short = line.length > WORDS_CHARS_MAX ? `${[...line].slice(0, WORDS_CHARS_MAX).join("")}…` : line;
	return /[.!?…]$/.test(short) ? short : `${short}.`;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The code of an error, or of what caused it: `fetch` wraps what went wrong below it. */
function codeOf(error: unknown): string {
	for (let one = error; one instanceof Error; one = one.cause) {
		if ("code" in one && typeof one.code === "string") return one.code;
	}
	return "";
}

/** What is below an error, in words, where it says nothing itself: `fetch failed` means anything. */
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

// What providers and servers call these, in codes where they have some, and in words where they have none.
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

/** A shorter key is a word that local servers are given because they want something, and its beginning says nothing. */
const KEY_CHARS_MIN = 12;

/** By how many of its first characters a key is known, where a provider tells only some of it. */
const KEY_BEGINNING_CHARS = 6;

/**
 * Takes the key out of a foreign text, and what is left of one where a provider shows only its beginning, and the values of
 * headers that a person configured, and the password of an address.
 */
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
