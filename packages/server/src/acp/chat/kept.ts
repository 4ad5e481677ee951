import type { PromptPart } from "@segue/assist";
import type { ContentBlock } from "@segue/protocol/acp";
import { promptPartsOf } from "./prompt.js";

/**
 * What a thread keeps of a prompt that another agent gets to the letter, a part for each block. What only that agent may make
 * sense of is kept by its name, so that it is still known which file it is.
 */
export function keptPartsOf(blocks: readonly ContentBlock[]): PromptPart[] {
	return promptPartsOf(
		blocks.map((block): ContentBlock => {
			if (block.type === "audio") return { type: "text", text: `(${block.mimeType})` };
			if (block.type !== "resource" || "text" in block.resource) return block;
			const { uri } = block.resource;
			return { type: "resource_link", uri, name: uri };
		}),
	);
}

/** Whether only some agents take it. */
export function isMoreThanText({ type }: ContentBlock): boolean {
	return type !== "text" && type !== "resource_link";
}
