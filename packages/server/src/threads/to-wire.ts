import type { Entry, PromptPart } from "@segue/assist";
import type * as threads from "@segue/protocol/threads";
import { TurnText } from "./turn-text.js";

// All of them are one message, and a character may become six bytes of it: this stays below what a connection reads.
const CHARACTERS_MAX = 4 * 2 ** 20;

/**
 * A thread as the draft has it: what was said, and what was read. All that the assistant said without reading a file is one
 * message. What the user is still saying comes last. Of a thread that is too long for one answer, the newest entries are told.
 */
export function threadEntriesOf(entries: readonly Entry[], unfinished: string): threads.ThreadEntry[] {
	const told: threads.ThreadEntry[] = [];
	let text = new TurnText();
	let spoken: threads.MessageChunk[] | undefined;
	const add = (entry: threads.ThreadEntry) => {
		told.push(entry);
		spoken = undefined;
		text = new TurnText();
	};
	for (const entry of entries) {
		const { body } = entry;
		if (body.type === "prompt") add({ type: "message", role: "user", chunks: body.parts.map(chunkOf) });
		else if (body.type === "file") add({ type: "readFile", path: body.path, content: body.content });
		else {
			const chunk = text.add({ type: "entry", entry });
			if (chunk === "") continue;
			if (spoken === undefined) {
				spoken = [];
				told.push({ type: "message", role: "assistant", chunks: spoken });
			}
			spoken.push({ type: "text", chunk });
		}
	}
	if (unfinished !== "") add({ type: "message", role: "user", chunks: [{ type: "text", chunk: unfinished }] });
	return newestOf(told);
}

function newestOf(entries: readonly threads.ThreadEntry[]): threads.ThreadEntry[] {
	let room = CHARACTERS_MAX;
	const tooMuch = entries.findLastIndex((entry) => {
		room -= entry.type === "readFile" ? entry.content.length : lengthOf(entry.chunks);
		return room < 0;
	});
	const newest = entries.at(-1);
	return newest !== undefined && tooMuch === entries.length - 1 ? [cut(newest)] : entries.slice(tooMuch + 1);
}

/** The beginning of an entry that is too long by itself. */
function cut(entry: threads.ThreadEntry): threads.ThreadEntry {
	if (entry.type === "readFile") return { ...entry, content: beginningOf(entry.content) };
	const text = entry.chunks.map(({ chunk }) => chunk).join("");
	return { ...entry, chunks: [{ type: "text", chunk: beginningOf(text) }] };
}

function beginningOf(text: string): string {
	const beginning = text.slice(0, CHARACTERS_MAX).replace(/[\ud800-\udbff]$/, ""); // half of a character is none
	return `${beginning}\n[cut: ${text.length - beginning.length} characters more are in the thread]`;
}

function lengthOf(chunks: readonly threads.MessageChunk[]): number {
	return chunks.reduce((sum, { chunk }) => sum + chunk.length, 0);
}

/** What was put into a prompt by another way, in words. */
function chunkOf(part: PromptPart): threads.MessageChunk {
	return { type: "text", chunk: wordsFor(part) };
}

function wordsFor(part: PromptPart): string {
	switch (part.type) {
		case "text":
			return part.text;
		case "image":
			return `[image: ${part.mediaType}]`;
		case "file":
			return `[${part.path}${part.lines === undefined ? "" : `:${part.lines.first}-${part.lines.last}`}]`;
		case "excerpt":
			return `${part.label}\n${part.content}`;
	}
}
