import { outputBefore } from "../end-tokens.js";
import type { Format, ModelOutput, ParsedOutput, PromptInput, PromptTarget } from "../format.js";
import { contentBefore, isOwn, unifiedOf } from "../past-edits.js";
import { type PromptRegion, promptRegionOf } from "../region.js";
import { isEmptyOutput, readReply, readRewritten } from "../reply.js";
import { estimateTokens } from "../token-budget.js";
import { Window } from "../window.js";

// The model rewrites everything it is shown, so it is shown only the lines that are likely to change next.
const LINES = { above: 10, below: 20, around: 20 };
const PROMPT_TOKENS = 4096;
// The size of the tags and paths, and of the instructions in the chat variant.
const FRAME_TOKENS = 300;

const TOKENS = ["<|original_code|>", "<|edits_diff|>", "<|current_version|>", "<|next_version|>"];
const ENDS = ["<|endoftext|>", "<|im_end|>", "<|original_code|>", "<|next_version|>"];

/** The format for models trained on Tabby's tokens for next-edit prediction. */
export const nep: Format = {
	name: "nep",
	specialTokens: [...TOKENS, "<|endoftext|>", "<|im_end|>"],
	write: (input, target) => {
		const region = regionFor(input, target);
		if (region === undefined) return undefined;
		const { window, tokensMax } = region;
		const prompt = [
			`<|original_code|>\n${contentBefore(input, window)}\n`,
			`<|edits_diff|>\n${lastEdit(input, region)}`,
			`<|current_version|>\n${window.content}\n`,
			"<|next_version|>\n",
		].join("");
		return {
			ask: { kind: "completion", prompt, stop: ENDS, tokensMax, temperature: 0 },
			shown: window,
			window,
			read: (output) => read(window, output),
		};
	},
};

function read(window: Window, reply: ModelOutput): ParsedOutput {
	const output = outputBefore(reply, ENDS);
	return isEmptyOutput(output) ? { nothing: "no-edit" } : readRewritten(window, output);
}

const SYSTEM = `You predict the next edit of a developer.

You see a part of a file as it was, between <original_code> and </original_code>; what the developer changed in it since then, as a \
unified diff, between <edits_diff> and </edits_diff>; and the same part as it is now, between <current_version> and \
</current_version>. Write the part as it will be after the next edit, whole and with the same indentation, between <next_version> \
and </next_version>. Write nothing else. Where nothing is to be changed, write the part as it is now.`;

const TAGS = ["original_code", "edits_diff", "current_version", "next_version"].flatMap((name) => [
	`<${name}>`,
	`</${name}>`,
]);

/** The same layout for chat models. */
export const nepChat: Format = {
	name: "nep-chat",
	specialTokens: TAGS,
	write: (input, target) => {
		const region = regionFor(input, target);
		if (region === undefined) return undefined;
		const { window, tokensMax } = region;
		const user = [
			`<original_code>\n${contentBefore(input, window)}\n</original_code>`,
			`<edits_diff>\n${lastEdit(input, region)}</edits_diff>`,
			`<current_version>\n${window.content}\n</current_version>`,
		].join("\n");
		const tags = { opening: "<next_version>", closing: "</next_version>", cursor: "<|cursor|>" };
		return {
			ask: { kind: "chat", system: SYSTEM, user, tokensMax, temperature: 0 },
			shown: window,
			window,
			read: (output) => readReply(output, { window, shown: window, ...tags, nothing: [], isBare: false }),
		};
	},
};

function regionFor(input: PromptInput, target: PromptTarget): PromptRegion | undefined {
	const window = Window.ofLines(input.text, input.cursor, LINES.above, LINES.below);
	const frameTokens = FRAME_TOKENS + estimateTokens(contentBefore(input, window));
	return promptRegionOf(input, target, { ...LINES, tokens: PROMPT_TOKENS, frameTokens });
}

/** Prints the user's last edit if it was made in the document. */
function lastEdit(input: PromptInput, { edits }: PromptRegion): string {
	const { path } = input;
	const last = edits.at(-1);
	return last !== undefined && isOwn(last, input) ? `--- ${path}\n+++ ${path}\n${unifiedOf(last)}` : "";
}
