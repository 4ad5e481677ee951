import type { ImagePart, TextPart } from "@segue/models";
import { codeBlock, errorText, isKeyFile, maskKeys, schemeOf, unlessCancelled } from "@segue/text";
import { ToolError } from "../failures.js";
import type { ToolContext } from "../tools/tool.js";
import { cutTo } from "../tools/truncate.js";
import type { PromptPart } from "./thread.js";

/** Of one file or excerpt: about 25,000 tokens, which is more than a person points at, and an eighth of a usual window. */
const CONTENT_CHARS_MAX = 100_000;
/** Of all that comes with one prompt, so that a folder dragged into a chat leaves room for the answer. */
const PROMPT_CHARS_MAX = 300_000;
/** In base64. Providers take 5 MB at most, and scale down what is larger than a screen anyhow. */
export const IMAGE_CHARS_MAX = 5_000_000;

interface AttachedPrompt {
	readonly parts: readonly PromptPart[];
	/** What was left out, and why, for the person. */
	readonly notices: readonly string[];
}

/**
 * A prompt with the files that it refers to, as they are now, so that the thread keeps them whole. Private files are left out,
 * with a notice: a secret one, and one that is not on this machine, even if the editor sent its text; an ignored one unless
 * the editor sent its text, which is the user's consent. When the signal is aborted, the rest is not read.
 */
export async function readAttachments(
	parts: readonly PromptPart[],
	takesImages: boolean,
	context: ToolContext,
): Promise<AttachedPrompt> {
	const notices: string[] = [];
	const gathered: PromptPart[] = [];
	const room = new CharacterBudget();
	for (const part of parts) {
		if (part.type === "image") {
			const { refusal, isKept } = judge(part, takesImages);
			if (refusal !== undefined) notices.push(`The model was not shown the image: ${refusal}`);
			if (isKept) gathered.push(part);
			continue;
		}
		let whole: Exclude<PromptPart, { type: "image" }> = part;
		if (part.type === "file") {
			try {
				whole = { ...part, content: await contentOf(part, context) };
			} catch (error) {
				// An editor that fails to say what it has open is no reason to leave the prompt unanswered.
				const why = errorText(error);
				if (!context.signal.aborted) notices.push(`The model was not shown ${part.path}: ${why}`);
				whole = { ...part, content: undefined };
			}
		}
		const text = whole.type === "text" ? whole.text : whole.content;
		if (text !== undefined && room.take(text) !== text) {
			notices.push(`The model was shown only a part of ${nameOf(part)}, which is too long. The rest is in the thread.`);
		}
		gathered.push(whole);
	}
	return { parts: gathered, notices };
}

async function contentOf(
	{ path, lines, content }: Extract<PromptPart, { type: "file" }>,
	{ workspace, client, signal }: ToolContext,
): Promise<string> {
	if (await workspace.isSecret(path)) throw new ToolError("it is secret by its name.");
	if (isElsewhere(path)) throw new ToolError("it is not a file on this machine, so it may be ignored or secret.");
	if (content !== undefined) {
		if (isKeyFile(content)) throw new ToolError("it is a private key.");
		return content;
	}
	const resolved = await workspace.resolve(path);
	if (await workspace.isIgnored(resolved)) {
		throw new ToolError(
			workspace.problem(resolved) ?? "it is ignored. The assistant can read it with your permission.",
		);
	}
	return linesOf(await unlessCancelled(workspace.read(resolved, client.buffers, signal), signal), lines);
}

/** Whether a path is the URI of something that is not a file on this machine, such as `git:/a.ts` or `file://host/a.ts`. */
function isElsewhere(path: string): boolean {
	return schemeOf(path) !== undefined;
}

/** A prompt as a model is shown it. Keys in files are masked; what the user wrote is not. */
export function promptForModel(parts: readonly PromptPart[], takesImages: boolean): (TextPart | ImagePart)[] {
	const room = new CharacterBudget();
	return parts.map((part) => partForModel(part, takesImages, room));
}

function partForModel(part: PromptPart, takesImages: boolean, room: CharacterBudget): TextPart | ImagePart {
	switch (part.type) {
		case "text":
			return { type: "text", text: room.take(part.text) };
		case "image":
			return takesImages && IMAGE_TYPES.includes(part.mediaType)
				? part
				: { type: "text", text: "(An image, which you cannot see.)" };
		case "excerpt":
			return { type: "text", text: fenced(part.label, room.take(maskKeys(part.content))) };
		case "file": {
			const lines = part.lines === undefined ? "" : `, lines ${part.lines.first} to ${part.lines.last}`;
			const name = `${part.path}${lines}`;
			// Another agent was sent the whole prompt, and this model may take over its thread.
			const isShown = part.content !== undefined && !isElsewhere(part.path);
			const text = isShown ? fenced(name, room.take(maskKeys(part.content))) : `(${name}, not shown)`;
			return { type: "text", text };
		}
	}
}

/** What a model is told of the texts of one prompt: not too much of one, nor of all. */
class CharacterBudget {
	private left = PROMPT_CHARS_MAX;

	/** As much of the next text as there is room for. */
	take(text: string): string {
		const cut = cutTo(text, Math.min(CONTENT_CHARS_MAX, this.left));
		this.left = Math.max(0, this.left - cut.length);
		return cut;
	}
}

/** A text in a code block below its label. */
export function fenced(label: string, text: string): string {
	return `${label}:\n${codeBlock("", text)}`;
}

/** What all providers take; their packages refuse others, and would do so at each turn to come. */
const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** A model that takes images may be chosen later, and is then shown what is kept. */
function judge(
	{ mediaType, base64 }: Extract<PromptPart, { type: "image" }>,
	takesImages: boolean,
): { refusal: string | undefined; isKept: boolean } {
	if (!IMAGE_TYPES.includes(mediaType)) {
		return { refusal: "it is none that models take. Send a PNG, JPEG, GIF or WebP.", isKept: false };
	}
	if (base64.length > IMAGE_CHARS_MAX) return { refusal: "it is too large. Send one below 3.5 MB.", isKept: false };
	return {
		refusal: takesImages ? undefined : "the model takes none. Choose another one with /model.",
		isKept: true,
	};
}

function nameOf(part: Exclude<PromptPart, { type: "image" }>): string {
	return part.type === "text" ? "your text" : part.type === "file" ? part.path : part.label;
}

function linesOf(text: string, lines: { readonly first: number; readonly last: number } | undefined): string {
	if (lines === undefined) return text;
	return text
		.split("\n")
		.slice(lines.first - 1, lines.last)
		.join("\n");
}
