import { fimPrompts } from "./formats/fim.js";
import { sweepPrompt } from "./formats/sweep.js";
import { sweepV2Prompt } from "./formats/sweep-v2.js";
import { zeta1Prompt } from "./formats/zeta-1.js";
import { zeta2Prompt } from "./formats/zeta-2.js";
import { zeta21Prompt } from "./formats/zeta-2-1.js";
import type { PromptAnswer, PromptFormat, PromptParts, RegionEdit } from "./prompt-parts.js";

export type { PromptAnswer, PromptEdit, PromptParts, RegionEdit } from "./prompt-parts.js";

// Zeta 2 and 2.1 have the tokens of Seed-Coder, and Sweep's have those of Qwen, so the formats that ask for more come first.
const ALL: readonly PromptFormat[] = [
	zeta1Prompt,
	zeta21Prompt,
	zeta2Prompt,
	sweepV2Prompt,
	sweepPrompt,
	...fimPrompts,
].map((format) => format as PromptFormat);

/** The formats that `decodePrompt` reads, by name. */
export const PROMPT_FORMATS: ReadonlyMap<string, PromptFormat> = new Map(ALL.map((format) => [format.name, format]));

/** A prompt in one of the known formats. */
export interface DecodedPrompt {
	readonly format: string;
	readonly answers: PromptFormat["answers"];
	readonly parts: PromptParts;
	/** The document itself has marks of the format, so the region and the cursor may be wrong. */
	readonly isUnclear: boolean;
	/** The answer that makes these edits in the region; without any, the format's way to say "no edit". */
	answer(edits: readonly RegionEdit[]): PromptAnswer;
}

/** Takes a prompt apart, in linear time. Undefined where it is not in a known format. */
export function decodePrompt(prompt: string): DecodedPrompt | undefined {
	for (const format of ALL) {
		const parts = format.decode(prompt);
		if (parts !== undefined) {
			const { before, region, after } = parts;
			const hasMarks = format.marks.some((mark) => [before, region, after].some((text) => text.includes(mark)));
			// The history comes right before the file. One that is a file was cut off by a line of the document that looks like a head.
			const isCut = parts.files.some(({ path, text }) => path === "edit_history" && text.startsWith("--- a/"));
			const isUnclear = hasMarks || isCut;
			const { name, answers } = format;
			return { format: name, answers, parts, isUnclear, answer: (edits) => format.answer(parts, edits) };
		}
	}
	return undefined;
}
