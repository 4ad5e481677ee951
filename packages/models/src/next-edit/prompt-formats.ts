import { fimPrompts } from "./formats/fim.js";
import { sweepPrompt } from "./formats/sweep.js";
import { sweepV2Prompt } from "./formats/sweep-v2.js";
import { zeta1Prompt } from "./formats/zeta-1.js";
import { zeta2Prompt } from "./formats/zeta-2.js";
import { zeta21Prompt } from "./formats/zeta-2-1.js";
import type { PromptAnswer, PromptFormat, PromptParts, RegionEdit } from "./prompt-parts.js";

export type { PromptAnswer, PromptEdit, PromptParts, RegionEdit } from "./prompt-parts.js";

// Zeta 2 and 2.1 use Seed-Coder's tokens, and Sweep uses Qwen's, so the more specific formats come first.
const ALL: readonly PromptFormat[] = [
	zeta1Prompt,
	zeta21Prompt,
	zeta2Prompt,
	sweepV2Prompt,
	sweepPrompt,
	...fimPrompts,
].map((format) => format as PromptFormat);

/** The formats that `decodePrompt` understands, by name. */
export const PROMPT_FORMATS: ReadonlyMap<string, PromptFormat> = new Map(ALL.map((format) => [format.name, format]));

/** A prompt in one of the known formats. */
export interface DecodedPrompt {
	readonly format: string;
	readonly answers: PromptFormat["answers"];
	readonly parts: PromptParts;
	/** Whether the document contains marks of the format. If so, the region and the cursor may be wrong. */
	readonly isUnclear: boolean;
	/** Creates a reply that makes these edits in the region. Without edits, uses the format's way to say "no edit". */
	answer(edits: readonly RegionEdit[]): PromptAnswer;
}

/** Decodes a prompt in linear time. Returns undefined if its format is unknown. */
export function decodePrompt(prompt: string): DecodedPrompt | undefined {
	for (const format of ALL) {
		const parts = format.decode(prompt);
		if (parts !== undefined) {
			const { before, region, after } = parts;
			const hasMarks = format.marks.some((mark) => [before, region, after].some((text) => text.includes(mark)));
			// The history comes directly before the document. If it was decoded as a file, a line of the document must look like
			// a file header.
			const isCut = parts.files.some(({ path, text }) => path === "edit_history" && text.startsWith("--- a/"));
			const isUnclear = hasMarks || isCut;
			const { name, answers } = format;
			return { format: name, answers, parts, isUnclear, answer: (edits) => format.answer(parts, edits) };
		}
	}
	return undefined;
}
