import { describe, expect, it } from "vitest";
import {
	type FailureKind,
	failureOfConnection,
	failureOfError,
	retryAfterOf,
	TemporaryFailure,
	temporaryFailure,
} from "./failure.js";
import type { ModelSettings } from "./settings.js";

const SETTINGS: ModelSettings = {
	name: "lab/big",
	type: "openai-compatible",
	model: "big",
	baseUrl: "http://models.example:8000/v1",
	apiKey: "sk-0123456789abcdef",
	headers: { "X-Token": "Basic c2VjcmV0LXRva2Vu" },
	windowTokens: undefined,
	takesImages: false,
};

describe("An error of a provider", () => {
	it.each<[server: string, status: number | undefined, error: unknown, kind: FailureKind, told: string]>([
		[
			"Ollama",
			404,
			{ error: { message: 'model "big" not found, try pulling it first' } },
			"unknown-model",
			"try pulling",
		],
		["vLLM", 404, { object: "error", message: "The model `big` does not exist.", code: 404 }, "unknown-model", "big"],
		["vLLM", 400, { error: { message: "This model's maximum context length is 4096 tokens." } }, "too-long", "4096"],
		[
			"llama.cpp",
			400,
			{ error: { code: 400, message: "the request exceeds the available size", type: "exceed_context_size_error" } },
			"too-long",
			"new thread",
		],
		["LM Studio", 400, { error: "The number of tokens is greater than the context length" }, "too-long", "new thread"],
		["OpenRouter", 402, { error: { code: 402, message: "Insufficient credits" } }, "refused", "Insufficient credits"],
		["OpenRouter", 403, { error: { code: 403, message: "Your input was flagged" } }, "filtered", "flagged"],
		[
			"OpenRouter",
			400,
			{ error: { code: 400, message: "big is not a valid model ID" } },
			"unknown-model",
			"not a valid model",
		],
		["Gemini", 429, [{ error: { code: 429, message: "Resource exhausted", status: "X" } }], "busy", "exhausted"],
		["FastAPI", 422, { detail: "Field required" }, "refused", "Field required"],
		[
			"FastAPI",
			422,
			{ detail: [{ msg: "Field required" }, { msg: "Too big" }] },
			"refused",
			": Field required; Too big.",
		],
		[
			"a provider",
			401,
			{ error: "Your account was deactivated" },
			"wrong-key",
			"your key: Your account was deactivated.",
		],
		[
			"a provider",
			403,
			{ error: { message: "Country not supported" } },
			"wrong-key",
			"key: Country not supported. Run",
		],
		[
			"Ollama",
			401,
			{ error: "unauthorized", signin_url: "https://ollama.com/connect?name=desk" },
			"no-key",
			'lab wants you to sign in: unauthorized. Run "ollama signin"',
		],
		["Sweep", undefined, { status: "error", error: "model still loading" }, "busy", "still loading"],
		["Sweep", undefined, { detail: "Subscription expired" }, "refused", "Subscription expired"],
		["a proxy", 502, "Bad gateway", "busy", "(502): Bad gateway"],
		["a server in a stream", undefined, { message: "At most 512 tokens", code: "bad" }, "refused", "512"],
		["a server in a stream", undefined, { message: "Service unavailable", code: 503 }, "busy", "unavailable"],
		["a server without words", 400, undefined, "refused", "lab refused the request (400)."],
		["a server that is too terse", 501, "", "refused", "(501)"],
		["a limit on bodies", 413, "", "too-long", "too long"],
	])("of %s (%s) is understood", (_, status, error, kind, told) => {
		const failure = failureOfError(SETTINGS, { status, error, retryAfterMs: undefined });
		expect(failure.kind).toBe(kind);
		expect(failure.message).toContain(told);
	});

	it.each([
		["the key", "Bad key sk-0123456789abcdef!"],
		["a part of the key", "Bad key sk-012****cdef!"],
		["a header", "Bad header Basic c2VjcmV0LXRva2Vu!"],
		["a header without its scheme", "Bad header c2VjcmV0LXRva2Vu!"],
		["the password of an address", "No route to http://me:hunter22@models.example/!"],
	])("never tells %s", (_, message) => {
		const failure = failureOfError(SETTINGS, { status: 400, error: { message }, retryAfterMs: undefined });
		expect(failure.message).toContain("•••");
		expect(failure.message).not.toMatch(/sk-01|c2Vj|hunter22/);
	});

	it("never tells a short key, and leaves alone what only begins like one", () => {
		const error = { message: "Bad key s3cret, not s3curity" };
		const short = { ...SETTINGS, apiKey: "s3cret" };
		const { message } = failureOfError(short, { status: 400, error, retryAfterMs: undefined });
		expect(message).toContain("Bad key •••, not s3curity");
	});

	it.each([
		[401, "sk-wrong-0123456789", "WORK_KEY", "lab does not accept your key from WORK_KEY. Set WORK_KEY anew."],
		[401, undefined, undefined, "lab wants a key, and there is none. Set WORK_KEY anew."],
		[
			403,
			"sk-wrong-0123456789",
			"segue login",
			"lab does not allow this model to your key from segue login. Set WORK_KEY",
		],
	])("with status %s says where the key is from, and how to come to another", (status, apiKey, from, told) => {
		const settings = { ...SETTINGS, headers: {}, apiKey, keyAdvice: { from, next: "Set WORK_KEY anew." } };
		const { message } = failureOfError(settings, { status, error: undefined, retryAfterMs: undefined });
		expect(message).toContain(told);
	});

	it.each([
		[400, "refused"],
		[401, "does not accept your key"],
		[404, "has no model big"],
		[413, "is too long"],
		[429, "is busy"],
	])("with status %s can also be told without the provider's words", (status, told) => {
		const error = { message: "You sent: const zebra = 1" };
		const failure = failureOfError(SETTINGS, { status, error, retryAfterMs: undefined });
		for (const one of [
			failure,
			temporaryFailure(new TemporaryFailure("busy", failure.message, 1, failure.ownWords), 1),
		]) {
			expect(one.message).toContain("zebra");
			expect(one.ownWords).toContain(told);
			expect(one.ownWords).not.toContain("zebra");
		}
	});

	it("is told in one line, and cut short", () => {
		const error = { message: `one\n\ntwo ${"x".repeat(1000)}` };
		const { message } = failureOfError(SETTINGS, { status: 400, error, retryAfterMs: undefined });
		expect(message).toContain("one two xxx");
		expect(message).not.toContain("\n");
		expect(message.length).toBeLessThan(450);
	});

	it("is cut between words", () => {
		const error = { message: "unexpectedIdentifier ".repeat(30) };
		const { message } = failureOfError(SETTINGS, { status: 400, error, retryAfterMs: undefined });
		expect(message).toMatch(/(?:unexpectedIdentifier ){13}unexpectedIdentifier…/);
	});

	it.each<[header: string | null, ms: number | undefined]>([
		[null, undefined],
		["3", 3000],
		["1.5", 1500],
		["-3", undefined],
		["", undefined],
		["later", undefined],
		["Thu, 01 Jan 1970 00:01:00 GMT", 59_000],
		["Thu, 01 Jan 1970 00:00:00 GMT", 0],
	])("with Retry-After: %s, one second after 1970 began, asks for %s ms", (header, ms) => {
		expect(retryAfterOf(header, 1000)).toBe(ms);
	});
});

describe("A connection that fails", () => {
	it.each<[code: string, kind: FailureKind, told: string]>([
		["ECONNREFUSED", "unreachable", "Nothing answers at models.example:8000."],
		["ENOTFOUND", "unreachable", "There is no host models.example:8000"],
		["EAI_AGAIN", "unreachable", "no network"],
		["ETIMEDOUT", "unreachable", "models.example:8000 did not answer in time"],
		["UND_ERR_CONNECT_TIMEOUT", "unreachable", "did not answer in time"],
		["DEPTH_ZERO_SELF_SIGNED_CERT", "unreachable", "certificate"],
		["ERR_TLS_CERT_ALTNAME_INVALID", "unreachable", "certificate"],
		["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unreachable", "certificate"],
		["ECONNRESET", "unreachable", "models.example:8000 closed the connection"],
		["EMFILE", "unreachable", "could not be reached (EMFILE). Check"],
	])("with %s is told as what a person can do", (code, kind, told) => {
		const cause = Object.assign(new Error("connect"), { code });
		const failure = failureOfConnection(SETTINGS, new TypeError("fetch failed", { cause }));
		expect(failure.kind).toBe(kind);
		expect(failure.message).toContain(told);
	});

	it("to a port that is closed to programs says so", async () => {
		const error = await fetch("http://127.0.0.1:10080/").catch((thrown: unknown) => thrown);
		const { message } = failureOfConnection(SETTINGS, error);
		expect(message).toBe(
			"models.example:8000 could not be reached (bad port). Check the base URL and that the server runs.",
		);
	});
});
