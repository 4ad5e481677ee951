import type { Api, EditModelSettings } from "../settings.js";
import type { ModelPrompt } from "./format.js";

/** The kind of prompt each format creates. */
const PROMPT_KINDS = {
	"zeta-1": "completion",
	"zeta-2": "completion",
	"zeta-2.1": "completion",
	sweep: "completion",
	"sweep-v2": "completion",
	"sweep-api": "sweep",
	"sweep-local": "sweep",
	instinct: "chat",
	mercury: "edit",
	xtab: "chat",
	chat: "chat",
	nep: "completion",
	"nep-chat": "chat",
	"fim-qwen": "completion",
	"fim-seed": "completion",
	"fim-starcoder": "completion",
	"fim-deepseek": "completion",
	"fim-codellama": "completion",
	"fim-codestral": "completion",
	"fim-granite": "completion",
	"fim-granite-4": "completion",
	"fim-mellum": "completion",
	"fim-codegemma": "completion",
	"fim-glm": "completion",
	fill: "fill",
} as const satisfies Readonly<Record<string, ModelPrompt["kind"]>>;

type FormatName = keyof typeof PROMPT_KINDS;

/** All configurable formats. */
export const FORMAT_NAMES = Object.keys(PROMPT_KINDS) as readonly FormatName[];

/** The kinds of prompts each API supports. */
const SUPPORTED_KINDS: Readonly<Record<Api, readonly ModelPrompt["kind"][]>> = {
	openai: ["completion", "fill", "chat"],
	anthropic: ["chat"],
	ollama: ["completion", "fill", "chat"],
	llamacpp: ["completion", "fill", "chat"],
	mistral: ["fill", "chat"],
	inception: ["fill", "chat", "edit"],
	sweep: ["sweep"],
};

/**
 * Model name patterns, each with its formats, best first. The first matching pattern wins, so specific patterns come
 * first.
 */
const CHOICES: readonly (readonly [pattern: RegExp, ...formats: FormatName[]])[] = [
	// Models that don't generate text.
	[/embed|rerank|\bbge\b|whisper|\btts\b|moderation|transcribe|dall-e|stable-diffusion/],

	// Models for next edits.
	[/zeta-?2\.1|zeta-?2-1(?!\d|\.\d|b)/, "zeta-2.1", "chat"],
	[/zeta-?2(?!\d)/, "zeta-2", "chat"],
	[/\bzeta(?!-?\d)|\bzeta-?1(?!\d|\.\d|b)/, "zeta-1", "chat"],
	// The vendor's file names may have a v2 after the quantization, as in `q8_0.v2`. It means a second upload of the same
	// model, not the model's second version.
	[/sweep.*\bv2\b(?<!\bq\d[^.]*\.v2)/, "sweep-v2", "chat"],
	[/\bsweep\b/, "sweep", "chat"],
	[/\binstinct\b/, "instinct"],
	[/mercury-(coder|edit|next)/, "mercury", "chat"],
	[/\bxtab\b|copilot-nes/, "xtab"],
	[/\bnep\b/, "nep", "nep-chat"],

	// Chat-only models of the families below.
	[/codestral-mamba|mamba-codestral|devstral/, "chat"],
	[/qwen.*coder.*(480b|plus|flash|turbo)/, "chat"],
	[/seed-?coder.*(instruct|reasoning)/, "chat"],
	[/starcoder.*instruct|starchat/, "chat"],
	[/codellama.*(34b|70b|python)/, "chat"],
	[/codegemma.*(\bit\b|instruct)/, "chat"],
	[/mellum2?.*(instruct|thinking)/, "chat"],

	// Fill-in-the-middle models.
	[/codestral/, "fim-codestral", "fill", "chat"],
	[/codeqwen/, "fim-starcoder", "chat"],
	[/qwen.*coder/, "fim-qwen", "chat"],
	[/seed-?coder/, "fim-seed", "chat"],
	[/starcoder|stable-?code|refact.*fim/, "fim-starcoder", "chat"],
	[/deepseek-coder[-:]./, "fim-deepseek", "chat"],
	[/code-?llama/, "fim-codellama", "chat"],
	[/granite-?4/, "fim-granite-4", "chat"],
	[/granite.*code|granite-?3\.3/, "fim-granite", "chat"],
	[/mellum/, "fim-mellum", "chat"],
	[/codegemma/, "fim-codegemma", "chat"],
	[/\bglm-?4.*base/, "fim-glm", "chat"],

	// Models that support only chat, on any server.
	[/claude|gpt|\bo\d\b|gemini|gemma|llama-?[34]|mi(ni)?stral|mixtral|\bphi\b|\bphi-?\d|qwq|\bqwen-?[123]/, "chat"],
	[/deepseek|\bglm|kimi|minimax|grok|command-|nemotron|granite|olmo|hermes|\bmercury/, "chat"],
];

/**
 * Formats for models at certain addresses, regardless of what the same weights support elsewhere. Only used for the
 * `openai` API, which many kinds of servers implement; other APIs are specific enough.
 */
const ADDRESSES: readonly (readonly [address: RegExp, pattern: RegExp, format: FormatName])[] = [
	// A name without a size means the largest variant, which hosted services offer only for chat.
	[/^https:/i, /^qwen-?3-coder(?!.*(?:\d+b|base|fim))/, "chat"],
	// These models support fill-in-the-middle unless they think first. They accept no special tokens.
	[/^https:\/\/api\.deepseek\.com\/beta(?:\/|$)/i, /^(?!.*reasoner)/, "fill"],
];

/** Any other address is assumed to be the server that Sweep publishes, which counts positions differently. */
const SWEEP_HOSTED = /^https:\/\/([\w-]+\.)*sweep\.dev(?::\d+)?(?:\/|$)/i;

/** Returns the format for a model based on its address and name, or undefined if the model does not generate text. */
export function chooseFormat({ model, api, baseUrl }: FormatTarget): FormatName | undefined {
	if (api === "sweep") return SWEEP_HOSTED.test(baseUrl) ? "sweep-api" : "sweep-local";
	const name = plainName(model);
	const matches = ([address, pattern]: (typeof ADDRESSES)[number]) => address.test(baseUrl) && pattern.test(name);
	const known = api === "openai" ? ADDRESSES.find(matches) : undefined;
	if (known !== undefined) return known[2];
	const [, ...formats] = CHOICES.find(([pattern]) => pattern.test(name)) ?? [undefined, ...usual(api)];
	return formats.find((format) => canAsk(api, format));
}

/** The settings that determine a model's format. */
type FormatTarget = Pick<EditModelSettings, "model" | "api" | "baseUrl">;

/** A llama.cpp server usually serves a single fill-in-the-middle model, under any name. */
function usual(api: Api): FormatName[] {
	return api === "llamacpp" ? ["fill"] : ["chat"];
}

/** Returns the name without a file's folder or a repository's owner. */
function plainName(model: string): string {
	const name = model.toLowerCase().replaceAll("_", "-").replaceAll("\\", "/");
	return name.replace(/\/+$/, "").split("/").at(-1) ?? name;
}

function canAsk(api: Api, format: FormatName): boolean {
	return SUPPORTED_KINDS[api].includes(PROMPT_KINDS[format]);
}

/** Explains why a configured format cannot be used with an API, or returns undefined if it can. */
export function formatObjection(format: string, api: Api): string | undefined {
	const usable = (Object.keys(PROMPT_KINDS) as FormatName[]).filter((name) => canAsk(api, name)).join(", ");
	if (!isFormatName(format)) return `Unknown format "${format}". The api "${api}" supports: ${usable}.`;
	if (canAsk(api, format)) return undefined;
	return `The format "${format}" cannot be used with the api "${api}", which supports: ${usable}.`;
}

function isFormatName(name: string): name is FormatName {
	return Object.hasOwn(PROMPT_KINDS, name);
}
