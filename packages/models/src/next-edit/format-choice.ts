import type { Api, EditModelSettings } from "../settings.js";
import type { ModelPrompt } from "./format.js";

/** The kind of request that each format makes. */
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

/** All formats that can be configured. */
export const FORMAT_NAMES = Object.keys(PROMPT_KINDS) as readonly FormatName[];

/** The kinds of requests that each kind of server answers. */
const SUPPORTED_KINDS: Readonly<Record<Api, readonly ModelPrompt["kind"][]>> = {
	openai: ["completion", "fill", "chat"],
	anthropic: ["chat"],
	ollama: ["completion", "fill", "chat"],
	llamacpp: ["completion", "fill", "chat"],
	mistral: ["fill", "chat"],
	inception: ["fill", "chat", "edit"],
	sweep: ["sweep"],
};

/** Names of models and the formats for them, the best first. The first pattern that fits counts, so special ones come first. */
const CHOICES: readonly (readonly [pattern: RegExp, ...formats: FormatName[]])[] = [
	// These write no text at all.
	[/embed|rerank|\bbge\b|whisper|\btts\b|moderation|transcribe|dall-e|stable-diffusion/],

	// Models for next edits.
	[/zeta-?2\.1|zeta-?2-1(?!\d|\.\d|b)/, "zeta-2.1", "chat"],
	[/zeta-?2(?!\d)/, "zeta-2", "chat"],
	[/\bzeta(?!-?\d)|\bzeta-?1(?!\d|\.\d|b)/, "zeta-1", "chat"],
	// In the vendor's file names, v2 behind the quantization is the second upload of the first model.
	[/sweep.*\bv2\b(?<!\bq\d[^.]*\.v2)/, "sweep-v2", "chat"],
	[/\bsweep\b/, "sweep", "chat"],
	[/\binstinct\b/, "instinct"],
	[/mercury-(coder|edit|next)/, "mercury", "chat"],
	[/\bxtab\b|copilot-nes/, "xtab"],
	[/\bnep\b/, "nep", "nep-chat"],

	// Models of these families that were trained to chat only.
	[/codestral-mamba|mamba-codestral|devstral/, "chat"],
	[/qwen.*coder.*(480b|plus|flash|turbo)/, "chat"],
	[/seed-?coder.*(instruct|reasoning)/, "chat"],
	[/starcoder.*instruct|starchat/, "chat"],
	[/codellama.*(34b|70b|python)/, "chat"],
	[/codegemma.*(\bit\b|instruct)/, "chat"],
	[/mellum2?.*(instruct|thinking)/, "chat"],

	// Models that fill in the middle.
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

	// Models that chat, and cannot fill in the middle on any server.
	[/claude|gpt|\bo\d\b|gemini|gemma|llama-?[34]|mi(ni)?stral|mixtral|\bphi\b|\bphi-?\d|qwq|\bqwen-?[123]/, "chat"],
	[/deepseek|\bglm|kimi|minimax|grok|command-|nemotron|granite|olmo|hermes|\bmercury/, "chat"],
];

/**
 * Addresses at which it is known of some models what they are asked there, whatever their weights would take elsewhere. An
 * `openai` server can be anything; of the others, what they speak says as much.
 */
const ADDRESSES: readonly (readonly [address: RegExp, pattern: RegExp, format: FormatName])[] = [
	// Without a size in its name it is the largest, and those who serve that to others only chat with it.
	[/^https:/i, /^qwen-?3-coder(?!.*(?:\d+b|base|fim))/, "chat"],
	// Its models fill in the middle unless they think first, and take no tokens of their own.
	[/^https:\/\/api\.deepseek\.com\/beta(?:\/|$)/i, /^(?!.*reasoner)/, "fill"],
];

/** Any other address is that of the server that Sweep publishes, which counts positions differently. */
const SWEEP_HOSTED = /^https:\/\/([\w-]+\.)*sweep\.dev(?::\d+)?(?:\/|$)/i;

/** Which format a model is asked in, by where it is and by its name. Undefined for a model that writes no text. */
export function chooseFormat({ model, api, baseUrl }: FormatTarget): FormatName | undefined {
	if (api === "sweep") return SWEEP_HOSTED.test(baseUrl) ? "sweep-api" : "sweep-local";
	const name = plainName(model);
	const isThere = ([address, pattern]: (typeof ADDRESSES)[number]) => address.test(baseUrl) && pattern.test(name);
	const known = api === "openai" ? ADDRESSES.find(isThere) : undefined;
	if (known !== undefined) return known[2];
	const [, ...formats] = CHOICES.find(([pattern]) => pattern.test(name)) ?? [undefined, ...usual(api)];
	return formats.find((format) => canAsk(api, format));
}

/** The settings of a model that decide its format. */
type FormatTarget = Pick<EditModelSettings, "model" | "api" | "baseUrl">;

/** A llama.cpp server is mostly there for one model, which it may know under any name, to fill in the middle. */
function usual(api: Api): FormatName[] {
	return api === "llamacpp" ? ["fill"] : ["chat"];
}

/** The name without where it is from: the folders of a file, the owner of a repository. */
function plainName(model: string): string {
	const name = model.toLowerCase().replaceAll("_", "-").replaceAll("\\", "/");
	return name.replace(/\/+$/, "").split("/").at(-1) ?? name;
}

/** Whether a server of some kind can be asked in a format. */
function canAsk(api: Api, format: FormatName): boolean {
	return SUPPORTED_KINDS[api].includes(PROMPT_KINDS[format]);
}

/** The reason why a configured format cannot be used with a server, as a sentence with the next step. */
export function formatObjection(format: string, api: Api): string | undefined {
	const usable = (Object.keys(PROMPT_KINDS) as FormatName[]).filter((name) => canAsk(api, name)).join(", ");
	if (!isFormatName(format))
		return `There is no format "${format}". With the api "${api}" it can be one of: ${usable}.`;
	if (canAsk(api, format)) return undefined;
	return `The format "${format}" cannot be used with the api "${api}". It can be one of: ${usable}.`;
}

function isFormatName(name: string): name is FormatName {
	return Object.hasOwn(PROMPT_KINDS, name);
}
