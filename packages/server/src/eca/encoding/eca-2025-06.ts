import type * as eca from "@segue/protocol/eca";
import { type Hunk, type PatchLine, parseUnified } from "@segue/text";
import { split } from "../message-split.js";
import type { ContentItem, Encoder, FileChange, SendContent } from "./encoder.js";

/** The first version has only texts and changes of files. Everything else becomes text, or is left out. */
export class Encoder202506 implements Encoder {
	/** What the assistant said in this turn, for its blocks of code. */
	private text = "";
	private tokensUsed: number | undefined;
	/** The calls of this turn whose changes were sent. */
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
		// The editor shows what its user wrote.
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

	/** The changes of a call, file by file, as soon as they are known, and once. */
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
			return [lineContent("(An image, which cannot be shown here.)")];
		case "toolCallRun": {
			const { details, summary, name } = content;
			if (request !== undefined) return [lineContent(request)];
			return details?.type === "task" || details?.type === "fileChange" ? [] : [lineContent(summary ?? name)];
		}
		case "toolCalled":
			if (content.details?.type === "task") return content.details.tasks.map(taskLine);
			return content.error ? [lineContent(`Failed: ${content.summary ?? content.name}`)] : [];
		case "toolCallRejected":
			return [lineContent(`Not done: ${content.summary ?? content.name}`)];
		default:
			return [];
	}
}

/** A text on lines of its own. */
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
	if (newPath === NOWHERE) return { file: path, changes: [{ kind: "delete" }] };
	if (oldPath !== NOWHERE) return { file: path, changes: hunks.flatMap(changesIn) };
	return { file: path, changes: [{ kind: "create", content: printed(hunks.flatMap(({ lines }) => lines)) }] };
}

const NOWHERE = "/dev/null";

/**
 * The stretches of a hunk in which something is another, each with the old lines that it takes the place of. What only adds
 * lines takes the place of a neighbour together with it, because a range has at least one line.
 */
function changesIn({ oldStart, lines }: Hunk): Change[] {
	const changes: Change[] = [];
	const isKept = (at: number) => lines[at]?.kind === "context";
	const changedFrom = (at: number) => {
		let to = at;
		while (to < lines.length && !isKept(to)) to++;
		return to;
	};
	let oldLine = oldStart;
	for (let at = 0; at < lines.length; ) {
		const isBefore =
			isKept(at) && lines[at + 1]?.kind === "added" && isOnlyAdded(lines.slice(at + 1, changedFrom(at + 1)));
		if (isKept(at) && !isBefore) {
			oldLine++;
			at++;
			continue;
		}
		let to = changedFrom(isBefore ? at + 1 : at);
		if (!isBefore && isOnlyAdded(lines.slice(at, to)) && to < lines.length) to = changedFrom(to + 1);
		const stretch = lines.slice(at, to);
		changes.push(changeOf(stretch, oldLine));
		oldLine += stretch.filter(({ kind }) => kind !== "added").length;
		at = to;
	}
	return changes;
}

function isOnlyAdded(lines: readonly PatchLine[]): boolean {
	return lines.every(({ kind }) => kind === "added");
}

function changeOf(stretch: readonly PatchLine[], startLine: number): Change {
	const now = stretch.filter(({ kind }) => kind !== "removed");
	const before = stretch.length - stretch.filter(({ kind }) => kind === "added").length;
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
