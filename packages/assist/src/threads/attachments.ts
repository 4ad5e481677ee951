import type { ImagePart, TextPart } from "@segue/models";
import { codeBlock, errorText, isKeyFile, maskKeys, schemeOf, unlessCancelled } from "@segue/text";
import { ToolError } from "../failures.js";
import type { ToolContext } from "../tools/tool.js";
import { cutTo } from "../tools/truncate.js";
import type { PromptPart } from "./thread.js";

/** Limits each file or excerpt to about 25,000 tokens, an eighth of a typical context window. */
const CONTENT_CHARS_MAX = 100_000;
/** Limits a whole prompt, so that a folder dragged into a chat leaves room for the answer. */
const PROMPT_CHARS_MAX = 300_000;
/** Size in base64. Providers accept at most 5 MB, and scale down large images anyway. */
export const IMAGE_CHARS_MAX = 5_000_000;

interface AttachedPrompt {
	readonly parts: readonly PromptPart[];
	/** Messages that tell the user which attachments were omitted and why. */
	readonly notices: readonly string[];
}

/**
 * Adds the current content of the files in a prompt, which is then stored in the thread. Omits private files, and adds
 * a notice for each. Secret files and files on other machines are omitted even if the editor sent their content.
 * Ignored files are omitted unless the editor sent their content, which counts as the user's consent. Stops reading
 * files when the signal is aborted.
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
			const { refusal, isKept } = checkImage(part, takesImages);
			if (refusal !== undefined) notices.push(`The model was not shown the image: ${refusal}`);
			if (isKept) gathered.push(part);
			continue;
		}
		let whole: Exclude<PromptPart, { type: "image" }> = part;
		if (part.type === "file") {
			try {
				whole = { ...part, content: await contentOf(part, context) };
			} catch (error) {
				// The prompt is sent even if the editor fails to provide the file.
				const why = errorText(error);
				if (!context.signal.aborted) notices.push(`The model was not shown ${part.path}: ${why}`);
				whole = { ...part, content: undefined };
			}
		}
		const text = whole.type === "text" ? whole.text : whole.content;
		if (text !== undefined && room.take(text) !== text) {
			notices.push(
				`The model was shown only part of ${nameOf(part)} because it is too long. The thread contains all of it.`,
			);
		}
		gathered.push(whole);
	}
	return { parts: gathered, notices };
}

async function contentOf(
	{ path, lines, content }: Extract<PromptPart, { type: "file" }>,
	{ workspace, client, signal }: ToolContext,
): Promise<string> {
	if (await workspace.isSecret(path)) throw new ToolError("it has the name of a secret file.");
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

/** Whether a path is a URI outside this machine's file system, such as `git:/a.ts` or `file://host/a.ts`. */
function isElsewhere(path: string): boolean {
	return schemeOf(path) !== undefined;
}

/** Converts a prompt for a model. Masks keys in files and excerpts, but not in the user's text. */
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
				: { type: "text", text: "(An image that you cannot see.)" };
		case "excerpt":
			return { type: "text", text: fenced(part.label, room.take(maskKeys(part.content))) };
		case "file": {
			const lines = part.lines === undefined ? "" : `, lines ${part.lines.first} to ${part.lines.last}`;
			const name = `${part.path}${lines}`;
			// Another agent, which got the whole prompt, may have stored it in the thread.
			const isShown = part.content !== undefined && !isElsewhere(part.path);
			const text = isShown ? fenced(name, room.take(maskKeys(part.content))) : `(${name}, not shown)`;
			return { type: "text", text };
		}
	}
}

/** Limits the text of each part and of the whole prompt. */
class CharacterBudget {
	private left = PROMPT_CHARS_MAX;

	/** Returns the text, truncated to the remaining budget. */
	take(text: string): string {
		const cut = cutTo(text, Math.min(CONTENT_CHARS_MAX, this.left));
		this.left = Math.max(0, this.left - cut.length);
		return cut;
	}
}

/** Formats text as a code block below a label. */
export function fenced(label: string, text: string): string {
	return `${label}:\n${codeBlock("", text)}`;
}

/** The types that all providers accept. Any other type would make every later turn fail. */
const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/**
 * Keeps valid images even if the current model does not accept images, because the user can choose another model later.
 */
function checkImage(
	{ mediaType, base64 }: Extract<PromptPart, { type: "image" }>,
	takesImages: boolean,
): { refusal: string | undefined; isKept: boolean } {
	if (!IMAGE_TYPES.includes(mediaType)) {
		return { refusal: "models do not accept its format. Send a PNG, JPEG, GIF or WebP.", isKept: false };
	}
	if (base64.length > IMAGE_CHARS_MAX)
		return { refusal: "it is too large. Send an image below 3.5 MB.", isKept: false };
	return {
		refusal: takesImages ? undefined : "the model does not accept images. Choose another one with /model.",
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
