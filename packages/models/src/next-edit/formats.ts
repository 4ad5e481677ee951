import { holdsSpecialToken } from "@segue/predict";
import { outputToEnd } from "./end-tokens.js";
import type { EditModelRequest, Format, PromptInput, PromptObstacle, PromptTarget } from "./format.js";
import { chat } from "./formats/chat.js";
import { fill } from "./formats/fill.js";
import { fimFormats } from "./formats/fim.js";
import { instinct } from "./formats/instinct.js";
import { mercury } from "./formats/mercury.js";
import { nep, nepChat } from "./formats/nep.js";
import { sweep } from "./formats/sweep.js";
import { sweepApi, sweepLocal } from "./formats/sweep-api.js";
import { sweepV2 } from "./formats/sweep-v2.js";
import { xtab } from "./formats/xtab.js";
import { zeta1 } from "./formats/zeta-1.js";
import { zeta2 } from "./formats/zeta-2.js";
import { zeta21 } from "./formats/zeta-2-1.js";

const ALL: readonly Format[] = [
	zeta1,
	zeta2,
	zeta21,
	sweep,
	sweepV2,
	sweepApi,
	sweepLocal,
	instinct,
	mercury,
	xtab,
	chat,
	nep,
	nepChat,
	...fimFormats,
	fill,
];

/** All formats by name. */
export const FORMATS: ReadonlyMap<string, Format> = new Map(ALL.map((format) => [format.name, format]));

/**
 * Creates a request without the content that the format must not send. Strips closing tokens from the output before it
 * is read.
 */
export function editModelRequestOf(
	format: Format,
	input: PromptInput,
	target: PromptTarget,
): EditModelRequest | PromptObstacle {
	const holdsToken = (text: string) => holdsSpecialToken(text, format.specialTokens);
	if (holdsToken(input.path)) return "special-token-in-text";
	const request = format.write(
		{
			...input,
			edits: input.edits.filter(({ path, diff }) => !holdsToken(path) && !holdsToken(diff)),
			recent: input.recent.filter(({ path, text }) => !holdsToken(path) && !holdsToken(text)),
			related: input.related.filter(({ path, text }) => !holdsToken(path) && !holdsToken(text)),
			diagnostics: input.diagnostics.filter(({ message }) => !holdsToken(message)),
		},
		target,
	);
	if (request === undefined) return "too-long";
	const { shown, window } = request;
	if (holdsToken(input.text.slice(shown.from, shown.to))) return "special-token-in-text";
	return { ...request, read: (output) => request.read(outputToEnd(output, input, window, format.specialTokens)) };
}
