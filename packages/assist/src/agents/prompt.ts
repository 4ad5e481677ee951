import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type * as acp from "@segue/protocol/acp";
import type { VerbatimPrompt } from "../acp.js";
import { fenced } from "../threads/attachments.js";
import type { PromptPart } from "../threads/thread.js";
import type { ThreadWorkspace } from "../workspace/workspace.js";
import type { Verbatim } from "./other-agent.js";

/**
 * Removes the content of secret files from the parts to store, and returns the indices of parts that must not be sent.
 * `blocks` are the prompt's ACP blocks, if any. Only they name the file that an image comes from.
 */
export async function omitSecretFiles(
	parts: readonly PromptPart[],
	agent: string,
	workspace: ThreadWorkspace,
	blocks: readonly acp.ContentBlock[],
): Promise<{ kept: PromptPart[]; secret: ReadonlySet<number>; notices: string[] }> {
	const kept: PromptPart[] = [];
	const secret = new Set<number>();
	const notices: string[] = [];
	for (const [i, part] of parts.entries()) {
		const file = part.type === "file" ? part : imageFileIn(blocks[i]);
		if (file === undefined || !(await workspace.isSecret(file.path))) {
			kept.push(part);
			continue;
		}
		kept.push({ ...file, content: undefined });
		secret.add(i);
		notices.push(`${agent} was not shown ${file.path}: it has the name of a secret file.`);
	}
	return { kept, secret, notices };
}

/** Returns the local file of an image; undefined if the block does not name one. */
function imageFileIn(block: acp.ContentBlock | undefined): (PromptPart & { type: "file" }) | undefined {
	if (block?.type !== "image" || block.uri == null) return undefined;
	try {
		return { type: "file", path: fileURLToPath(block.uri), lines: undefined, content: undefined };
	} catch {
		return undefined; // not a local file
	}
}

/** Converts a prompt to the blocks that the agent supports, with notices for the user about omitted parts. */
export function blocksOf(
	parts: readonly PromptPart[],
	agent: string,
	{ promptCapabilities }: acp.AgentCapabilities,
): { blocks: acp.ContentBlock[]; notices: string[] } {
	const blocks: acp.ContentBlock[] = [];
	const notices: string[] = [];
	for (const part of parts) {
		switch (part.type) {
			case "text":
				blocks.push({ type: "text", text: part.text });
				break;
			case "image":
				if (promptCapabilities?.image === true) {
					blocks.push({ type: "image", data: part.base64, mimeType: part.mediaType });
				} else notices.push(`${agent} was not shown the image: it does not accept images.`);
				break;
			case "excerpt":
				blocks.push({ type: "text", text: fenced(part.label, part.content) });
				break;
			case "file":
				blocks.push(fileBlockOf(part, promptCapabilities?.embeddedContext === true));
		}
	}
	return { blocks, notices };
}

export function isAcpPrompt(prompt: Verbatim): prompt is VerbatimPrompt {
	return prompt.protocol === "acp";
}

/**
 * Returns the blocks verbatim, except that embedded text files become plain text if the agent does not support them.
 */
export function verbatimBlocksOf(
	blocks: readonly acp.ContentBlock[],
	{ promptCapabilities }: acp.AgentCapabilities,
): acp.ContentBlock[] {
	if (promptCapabilities?.embeddedContext === true) return [...blocks];
	return blocks.map((block) => {
		if (block.type !== "resource" || !("text" in block.resource)) return block;
		return { type: "text", text: fenced(block.resource.uri, block.resource.text) };
	});
}

/** Returns a name for the content that the agent does not accept; undefined if it accepts the block. */
export function unsupportedContent(
	block: acp.ContentBlock,
	{ promptCapabilities: takes }: acp.AgentCapabilities,
): string | undefined {
	if (block.type === "image" && takes?.image !== true) return "images";
	if (block.type === "audio" && takes?.audio !== true) return "audio";
	const isBytes = block.type === "resource" && "blob" in block.resource;
	return isBytes && takes?.embeddedContext !== true ? "binary files" : undefined;
}

function fileBlockOf(part: PromptPart & { type: "file" }, takesContent: boolean): acp.ContentBlock {
	const uri = uriOf(part);
	// The agent reads the file itself.
	if (part.content === undefined) return { type: "resource_link", uri, name: path.basename(part.path) };
	if (takesContent) return { type: "resource", resource: { uri, text: part.content } };
	return { type: "text", text: fenced(part.path, part.content) };
}

function uriOf({ path: file, lines }: PromptPart & { type: "file" }): string {
	const { href } = pathToFileURL(file);
	return lines === undefined ? href : `${href}#L${lines.first}-L${lines.last}`;
}
