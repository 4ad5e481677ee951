import { describe, expect, it } from "vitest";
import type { FailureKind } from "./failure.js";
import { failureOfConnection, failureOfError } from "./failure-of.js";
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

	it("is told in one line, and cut short", () => {
		const error = { message: `one\n\ntwo ${"x".repeat(1000)}` };
		const { message } = failureOfError(SETTINGS, { status: 400, error, retryAfterMs: undefined });
		expect(message).toContain("one two xxx");
		expect(message).not.toContain("\n");
		expect(message.length).toBeLessThan(450);
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
		["EMFILE", "unreachable", "could not be reached (EMFILE.)"],
	])("with %s is told as what a person can do", (code, kind, told) => {
		const cause = Object.assign(new Error("connect"), { code });
		const failure = failureOfConnection(SETTINGS, new TypeError("fetch failed", { cause }));
		expect(failure.kind).toBe(kind);
		expect(failure.message).toContain(told);
	});
});
