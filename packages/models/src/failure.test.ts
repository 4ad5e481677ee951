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

describe("A provider's error", () => {
	it.each<[server: string, status: number | undefined, error: unknown, kind: FailureKind, expected: string]>([
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
			"use this model: Country not supported. Run",
		],
		[
			"Ollama",
			401,
			{ error: "unauthorized", signin_url: "https://ollama.com/connect?name=desk" },
			"no-key",
			'lab requires you to sign in: unauthorized. Run "ollama signin"',
		],
		["Sweep", undefined, { status: "error", error: "model still loading" }, "busy", "still loading"],
		["Sweep", undefined, { detail: "Subscription expired" }, "refused", "Subscription expired"],
		["a proxy", 502, "Bad gateway", "busy", "(502): Bad gateway"],
		["a server mid-stream", undefined, { message: "At most 512 tokens", code: "bad" }, "refused", "512"],
		["a server mid-stream", undefined, { message: "Service unavailable", code: 503 }, "busy", "unavailable"],
		["a server without a message", 400, undefined, "refused", "lab refused the request (400)."],
		["a server with an empty message", 501, "", "refused", "(501)"],
		["a server with a body limit", 413, "", "too-long", "too long"],
	])("from %s (status %s) is classified", (_, status, error, kind, expected) => {
		const failure = failureOfError(SETTINGS, { status, error, retryAfterMs: undefined });
		expect(failure.kind).toBe(kind);
		expect(failure.message).toContain(expected);
	});

	it.each([
		["the key", "Bad key sk-0123456789abcdef!"],
		["part of the key", "Bad key sk-012****cdef!"],
		["a header", "Bad header Basic c2VjcmV0LXRva2Vu!"],
		["a header without its scheme", "Bad header c2VjcmV0LXRva2Vu!"],
		["the password in a URL", "No route to http://me:hunter22@models.example/!"],
	])("never shows %s", (_, message) => {
		const failure = failureOfError(SETTINGS, { status: 400, error: { message }, retryAfterMs: undefined });
		expect(failure.message).toContain("•••");
		expect(failure.message).not.toMatch(/sk-01|c2Vj|hunter22/);
	});

	it("never shows a short key, but keeps words that merely start with it", () => {
		const error = { message: "Bad key s3cret, not s3curity" };
		const short = { ...SETTINGS, apiKey: "s3cret" };
		const { message } = failureOfError(short, { status: 400, error, retryAfterMs: undefined });
		expect(message).toContain("Bad key •••, not s3curity");
	});

	it.each([
		[401, "sk-wrong-0123456789", "WORK_KEY", "lab does not accept your key from WORK_KEY. Replace WORK_KEY."],
		[401, undefined, undefined, "lab requires an API key, and none is configured. Replace WORK_KEY."],
		[
			403,
			"sk-wrong-0123456789",
			"segue login",
			"lab does not allow your key from segue login to use this model. Replace WORK_KEY",
		],
	])("with status %s names the origin of the key and how to replace it", (status, apiKey, from, expected) => {
		const settings = { ...SETTINGS, headers: {}, apiKey, keyAdvice: { from, next: "Replace WORK_KEY." } };
		const { message } = failureOfError(settings, { status, error: undefined, retryAfterMs: undefined });
		expect(message).toContain(expected);
	});

	it.each([
		[400, "refused"],
		[401, "does not accept your key"],
		[404, 'has no model named "big"'],
		[413, "is too long"],
		[429, "is busy"],
	])("with status %s is also available without the provider's text", (status, expected) => {
		const error = { message: "You sent: const zebra = 1" };
		const failure = failureOfError(SETTINGS, { status, error, retryAfterMs: undefined });
		for (const one of [
			failure,
			temporaryFailure(new TemporaryFailure("busy", failure.message, 1, failure.ownWords), 1),
		]) {
			expect(one.message).toContain("zebra");
			expect(one.ownWords).toContain(expected);
			expect(one.ownWords).not.toContain("zebra");
		}
	});

	it("is shortened to one line of limited length", () => {
		const error = { message: `one\n\ntwo ${"x".repeat(1000)}` };
		const { message } = failureOfError(SETTINGS, { status: 400, error, retryAfterMs: undefined });
		expect(message).toContain("one two xxx");
		expect(message).not.toContain("\n");
		expect(message.length).toBeLessThan(450);
	});

	it("is shortened between words", () => {
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
	])("with Retry-After: %s, received one second after the epoch, gives a delay of %s ms", (header, ms) => {
		expect(retryAfterOf(header, 1000)).toBe(ms);
	});
});

describe("A failed connection", () => {
	it.each<[code: string, kind: FailureKind, expected: string]>([
		["ECONNREFUSED", "unreachable", "Cannot connect to models.example:8000: connection refused."],
		["ENOTFOUND", "unreachable", "Cannot find the host models.example:8000"],
		["EAI_AGAIN", "unreachable", "no network"],
		["ETIMEDOUT", "unreachable", "models.example:8000 did not respond in time"],
		["UND_ERR_CONNECT_TIMEOUT", "unreachable", "did not respond in time"],
		["DEPTH_ZERO_SELF_SIGNED_CERT", "unreachable", "certificate"],
		["ERR_TLS_CERT_ALTNAME_INVALID", "unreachable", "certificate"],
		["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unreachable", "certificate"],
		["ECONNRESET", "unreachable", "models.example:8000 closed the connection"],
		["EMFILE", "unreachable", "Cannot connect to models.example:8000 (EMFILE). Check"],
	])("with %s has a message with advice", (code, kind, expected) => {
		const cause = Object.assign(new Error("connect"), { code });
		const failure = failureOfConnection(SETTINGS, new TypeError("fetch failed", { cause }));
		expect(failure.kind).toBe(kind);
		expect(failure.message).toContain(expected);
	});

	it("to Ollama says how to start it", () => {
		const error = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
		const { message } = failureOfConnection({ ...SETTINGS, name: "ollama/qwen3" }, error);
		expect(message).toBe(
			"Cannot connect to models.example:8000: connection refused. Is Ollama running? Start it with `ollama serve`.",
		);
	});

	it("to a port that fetch blocks mentions the bad port", async () => {
		const error = await fetch("http://127.0.0.1:10080/").catch((thrown: unknown) => thrown);
		const { message } = failureOfConnection(SETTINGS, error);
		expect(message).toBe(
			"Cannot connect to models.example:8000 (bad port). Check the base URL, and check that the server is running.",
		);
	});
});
