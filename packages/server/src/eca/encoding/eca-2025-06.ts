import type * as eca from "@segue/protocol/eca";
import { type Hunk, type PatchLine, parseUnified } from "@segue/text";
import { split } from "../message-split.js";
import type { ContentItem, Encoder, FileChange, SendContent } from "./encoder.js";

/** Encodes the first version, which has only text and file changes. Other content becomes text or is omitted. */
export class Encoder202506 implements Encoder {
	/** The assistant's text in this turn, from which code blocks are extracted. */
	private text = "";
	private tokensUsed: number | undefined;
	/** Calls in this turn whose changes have been sent. */
	private readonly changed = new Set<string>();

	constructor(private readonly sendContent: SendContent) {}

	sendInTurn(item: ContentItem): void {
		const { role, content } = item;
		if (content.type === "usage") this.tokensUsed = content.sessionTokens;
		if (content.type === "text" && role === "assistant") this.text += content.text;
		this.send(item);
	}

	send(item: ContentItem): void {
		const { role } = item;
		// The editor shows user messages itself.
		if (role === "user") return;
		for (const content of [...this.changesIn(item), ...contentsOf(item)]) {
			for (const each of split({ role, content })) this.sendContent({ ...each, isComplete: false });
		}
	}

	complete(): void {
		const codeBlocks = blocksIn(this.text);
		const content = { type: "text" as const, text: "", ...(codeBlocks.length > 0 && { codeBlocks }) };
		const { tokensUsed } = this;
		this.sendContent({
			role: "assistant",
			content,
			isComplete: true,
			...(tokensUsed !== undefined && { metadata: { tokensUsed } }),
		} satisfies Omit<eca.ContentReceived, "chatId">);
		this.text = "";
		this.tokensUsed = undefined;
		this.changed.clear();
	}

	/** Returns a call's file changes, one per file, when they first become known. */
	private changesIn({ content, changes = [] }: ContentItem): eca.ChatContent[] {
		const hasChanges =
			content.type === "toolCallRun" || content.type === "toolCallRunning" || content.type === "toolCalled";
		if (!hasChanges || changes.length === 0 || this.changed.has(content.id)) return [];
		this.changed.add(content.id);
		const manualApproval = content.type === "toolCallRun" && content.manualApproval;
		const description = content.summary ?? content.name;
		return changes.map((change) => ({ type: "fileChange", description, manualApproval, ...changesOf(change) }));
	}
}

function contentsOf({ content, request }: ContentItem): eca.ChatContent[] {
	switch (content.type) {
		case "text":
			return [content];
		case "url":
			return [lineContent(`${content.title}: ${content.url}`)];
		case "image":
			return [lineContent("(Images cannot be shown here.)")];
		case "toolCallRun": {
			const { details, summary, name } = content;
			if (request !== undefined) return [lineContent(request)];
			return details?.type === "task" || details?.type === "fileChange" ? [] : [lineContent(summary ?? name)];
		}
		case "toolCalled":
			if (content.details?.type === "task") return content.details.tasks.map(taskLine);
			return content.error ? [lineContent(`Failed: ${content.summary ?? content.name}`)] : [];
		case "toolCallRejected":
			return [lineContent(`Not run: ${content.summary ?? content.name}`)];
		default:
			return [];
	}
}

/** Puts text on a separate line. */
export function lineContent(text: string): eca.ChatContent {
	return { type: "text", text: `\n${text}\n` };
}

function taskLine({ subject, status }: Extract<eca.Details, { type: "task" }>["tasks"][number]): eca.ChatContent {
	const MARK = { pending: " ", "in-progress": "-", done: "x" } as const;
	return { type: "text", text: `\n[${MARK[status as keyof typeof MARK] ?? " "}] ${subject}` };
}

type Change = NonNullable<Extract<eca.ChatContent, { type: "fileChange" }>["changes"]>[number];

function changesOf({ path, diff }: FileChange): { file: string; changes: Change[] } {
	const { oldPath, newPath, hunks } = parseUnified(diff);
	if (newPath === DEV_NULL) return { file: path, changes: [{ kind: "delete" }] };
	if (oldPath !== DEV_NULL) return { file: path, changes: hunks.flatMap(changesIn) };
	return { file: path, changes: [{ kind: "create", content: printed(hunks.flatMap(({ lines }) => lines)) }] };
}

const DEV_NULL = "/dev/null";

/**
 * Splits a hunk into changed ranges of old lines with their replacements. A range has at least one line, so a pure
 * insertion includes an adjacent unchanged line.
 */
function changesIn({ oldStart, lines }: Hunk): Change[] {
	const changes: Change[] = [];
	const isContext = (at: number) => lines[at]?.kind === "context";
	const changedFrom = (at: number) => {
		let to = at;
		while (to < lines.length && !isContext(to)) to++;
		return to;
	};
	let oldLine = oldStart;
	for (let at = 0; at < lines.length; ) {
		const isBefore =
			isContext(at) && lines[at + 1]?.kind === "added" && isOnlyAdded(lines.slice(at + 1, changedFrom(at + 1)));
		if (isContext(at) && !isBefore) {
			oldLine++;
			at++;
			continue;
		}
		let to = changedFrom(isBefore ? at + 1 : at);
		if (!isBefore && isOnlyAdded(lines.slice(at, to)) && to < lines.length) to = changedFrom(to + 1);
		const changed = lines.slice(at, to);
		changes.push(changeOf(changed, oldLine));
		oldLine += changed.filter(({ kind }) => kind !== "added").length;
		at = to;
	}
	return changes;
}

function isOnlyAdded(lines: readonly PatchLine[]): boolean {
	return lines.every(({ kind }) => kind === "added");
}

function changeOf(lines: readonly PatchLine[], startLine: number): Change {
	const now = lines.filter(({ kind }) => kind !== "removed");
	const before = lines.length - lines.filter(({ kind }) => kind === "added").length;
	const range = { startLine, endLine: startLine + before - 1 };
	if (now.length === 0) return { kind: "delete", range };
	return { kind: "change", content: printed(now), ...(before > 0 && { range }) };
}

function printed(lines: readonly PatchLine[]): string {
	return lines.map(({ text, isUnterminated }) => (isUnterminated ? text : `${text}\n`)).join("");
}

function blocksIn(text: string) {
	return [...text.matchAll(/^(`{3,})([^\n`]*)\n(.*?)^\1`*[ \t]*$/gms)].map(([, , language = "", code = ""]) => {
		return { code, ...(language.trim() !== "" && { language: language.trim() }) };
	});
}
