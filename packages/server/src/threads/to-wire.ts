import type { Entry, PromptPart } from "@segue/assist";
import type * as threads from "@segue/protocol/threads";
import { TurnText } from "./turn-text.js";

// All entries are sent in one message, and a character can become six bytes. This keeps the message below the
// connection's limit.
const CHARACTERS_MAX = 4 * 2 ** 20;

/**
 * Converts a thread to the draft's entries: messages, and the files that were read. Consecutive output from the
 * assistant becomes one message. The user's unfinished message comes last. Omits the oldest entries of a thread that is
 * too long for one response.
 */
export function threadEntriesOf(entries: readonly Entry[], unfinished: string): threads.ThreadEntry[] {
	const converted: threads.ThreadEntry[] = [];
	let text = new TurnText();
	let reply: threads.MessageChunk[] | undefined;
	const add = (entry: threads.ThreadEntry) => {
		converted.push(entry);
		reply = undefined;
		text = new TurnText();
	};
	for (const entry of entries) {
		const { body } = entry;
		if (body.type === "prompt") add({ type: "message", role: "user", chunks: body.parts.map(chunkOf) });
		else if (body.type === "file") add({ type: "readFile", path: body.path, content: body.content });
		else {
			const chunk = text.add({ type: "entry", entry });
			if (chunk === "") continue;
			if (reply === undefined) {
				reply = [];
				converted.push({ type: "message", role: "assistant", chunks: reply });
			}
			reply.push({ type: "text", chunk });
		}
	}
	if (unfinished !== "") add({ type: "message", role: "user", chunks: [{ type: "text", chunk: unfinished }] });
	return newestOf(converted);
}

function newestOf(entries: readonly threads.ThreadEntry[]): threads.ThreadEntry[] {
	let room = CHARACTERS_MAX;
	const lastOmitted = entries.findLastIndex((entry) => {
		room -= entry.type === "readFile" ? entry.content.length : lengthOf(entry.chunks);
		return room < 0;
	});
	const newest = entries.at(-1);
	return newest !== undefined && lastOmitted === entries.length - 1
		? [truncate(newest)]
		: entries.slice(lastOmitted + 1);
}

/** Truncates an entry that is too long for a response. */
function truncate(entry: threads.ThreadEntry): threads.ThreadEntry {
	if (entry.type === "readFile") return { ...entry, content: beginningOf(entry.content) };
	const text = entry.chunks.map(({ chunk }) => chunk).join("");
	return { ...entry, chunks: [{ type: "text", chunk: beginningOf(text) }] };
}

function beginningOf(text: string): string {
	const beginning = text.slice(0, CHARACTERS_MAX).replace(/[\ud800-\udbff]$/, ""); // don't split a surrogate pair
	return `${beginning}\n[truncated: the thread has ${text.length - beginning.length} more characters]`;
}

function lengthOf(chunks: readonly threads.MessageChunk[]): number {
	return chunks.reduce((sum, { chunk }) => sum + chunk.length, 0);
}

/** Converts a part to text. Parts other than text were sent with other protocols. */
function chunkOf(part: PromptPart): threads.MessageChunk {
	return { type: "text", chunk: textOf(part) };
}

function textOf(part: PromptPart): string {
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
