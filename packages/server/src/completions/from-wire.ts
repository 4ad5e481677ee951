import { type DecodedPrompt, decodePrompt, type PromptParts } from "@segue/models/prompts";
import * as z from "zod";

/** The paths that accept prompts. */
export type Endpoint = "/v1/completions" | "/infill" | "/v1/fim/completions";

/** A request for a completion. */
export interface CompletionCall {
	readonly endpoint: Endpoint;
	/** Undefined if the prompt has an unknown format. */
	readonly prompt: DecodedPrompt | undefined;
	/** False for a request that is only meant to warm up a server's cache. */
	readonly isAsking: boolean;
	readonly stop: readonly string[];
	readonly isStream: boolean;
	/** The model name sent by the client. The response repeats it. */
	readonly model: string;
}

// Clients also send sampling parameters for a model. Members not listed here are ignored.
const request = z.object({
	model: z.string().nullish(),
	stop: z.union([z.string(), z.array(z.string())]).nullish(),
	stream: z.boolean().nullish(),
	/** OpenAI also accepts several prompts, or tokens. Editors send one string. */
	prompt: z.union([z.string(), z.tuple([z.string()])]).nullish(),
	suffix: z.string().nullish(),
	// Fields of llama.cpp's /infill. Its prompt is the start of the current line. The text before that line is a separate
	// field, for caching.
	input_prefix: z.string().nullish(),
	input_suffix: z.string().nullish(),
	input_extra: z.array(z.object({ filename: z.string().nullish(), text: z.string() })).nullish(),
	n_predict: z.number().nullish(),
});

/** Parses a request body, or returns why it is invalid. */
export function callFromWire(endpoint: Endpoint, body: unknown): CompletionCall | { readonly invalid: string } {
	const { data, error } = request.safeParse(body);
	if (error !== undefined) {
		const field = error.issues[0]?.path.join(".");
		return { invalid: field ? `Invalid request: check the field ${field}.` : "The body is not a JSON object." };
	}
	const { model, stop, stream, n_predict } = data;
	const prompt = typeof data.prompt === "string" ? data.prompt : data.prompt?.[0];
	if (prompt === undefined && endpoint !== "/infill") return { invalid: "The request has no prompt." };
	// A request for zero tokens is only meant to warm up a server's cache.
	const isAsking = n_predict !== 0;
	return {
		endpoint,
		prompt: isAsking ? promptOf(endpoint, prompt ?? "", data) : undefined,
		isAsking,
		stop: (typeof stop === "string" ? [stop] : (stop ?? [])).filter((one) => one !== ""),
		isStream: stream === true,
		model: model ?? "segue",
	};
}

function promptOf(endpoint: Endpoint, prompt: string, data: z.infer<typeof request>): DecodedPrompt | undefined {
	const { suffix, input_prefix, input_suffix, input_extra } = data;
	switch (endpoint) {
		case "/v1/completions":
			// With a suffix, markers in the prompt are part of the document.
			return typeof suffix === "string" ? gapIn(prompt, suffix, []) : decodePrompt(lines(prompt));
		case "/v1/fim/completions":
			return gapIn(prompt, suffix ?? "", []);
		case "/infill": {
			const files = (input_extra ?? []).map(({ filename, text }, i) => ({ path: filename || `extra-${i}`, text }));
			return gapIn(`${input_prefix ?? ""}${prompt}`, input_suffix ?? "", files);
		}
	}
}

/** Returns a prompt for the text between a prefix and a suffix. */
function gapIn(prefix: string, suffix: string, files: PromptParts["files"]): DecodedPrompt {
	const parts: PromptParts = {
		...{ path: undefined, edits: [], before: lines(prefix), region: "", cursor: 0, after: lines(suffix) },
		files: files.map(({ path, text }) => ({ path, text: lines(text) })),
	};
	return {
		format: "fill",
		answers: "insertion",
		parts,
		isUnclear: false,
		answer: (edits) => ({ text: edits.map(({ insert }) => insert).join(""), end: "" }),
	};
}

/** Normalizes line endings. Prompts and answers use \n. */
function lines(text: string): string {
	return text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
}
