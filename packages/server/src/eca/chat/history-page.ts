import type { Body, Entry } from "@segue/assist";
import type * as eca from "@segue/protocol/eca";

/** The requested part of a chat: the latest messages, or those before or after a cursor. */
export interface PageRequest {
	readonly limit?: number | null | undefined;
	readonly before?: string | null | undefined;
	readonly after?: string | null | undefined;
}

interface HistoryPage {
	/** The entries from the page's first message up to the message that follows the page. */
	readonly entries: readonly Entry[];
	readonly meta: eca.HistoryMeta;
}

/** A cursor at the last summary. */
const LAST_COMPACTION = "lastCompaction";

/** Entries that count as messages. All others belong to the message before them. */
const MESSAGES: readonly Body["type"][] = [
	...(["prompt", "text", "image", "link", "thought", "call", "plan", "notice"] as const),
];

/** Returns a page of a chat, or undefined if a cursor refers to an entry that no longer exists. */
export function pageOf(
	entries: readonly Entry[],
	{ limit, before, after }: PageRequest,
	limitMax: number,
	/** Limit for the approximate JSON size of the page. A longer message is a page by itself. */
	charsMax: number,
): HistoryPage | undefined {
	const messages = entries.flatMap(({ body }, index) => (MESSAGES.includes(body.type) ? [index] : []));
	const summary = entries.findLastIndex(({ body }) => body.type === "summary");
	const indexOf = (cursor: string) =>
		cursor === LAST_COMPACTION ? summary : entries.findIndex((entry) => cursorOf(entry) === cursor);
	const isGone = (cursor: string | null | undefined) =>
		typeof cursor === "string" && cursor !== LAST_COMPACTION && indexOf(cursor) < 0;
	if (isGone(before) || isGone(after)) return undefined;

	const since = typeof after === "string" ? indexOf(after) : -1;
	const until = typeof before === "string" ? indexOf(before) : entries.length;
	const from = messages.filter((index) => index <= since).length;
	const to = Math.max(from, messages.filter((index) => index < until).length);
	const most = Math.min(limit ?? limitMax, limitMax, to - from);
	// With `after`, the page starts at the cursor. Otherwise it ends with the latest message.
	const isForward = typeof after === "string";
	const charsOf = (message: number) => JSON.stringify(entries.slice(messages[message], messages[message + 1])).length;
	let size = 0;
	for (let chars = 0; size < most; size++) {
		chars += charsOf(isForward ? from + size : to - 1 - size);
		if (size > 0 && chars > charsMax) break;
	}
	const first = isForward ? from : to - size;
	const cursorAt = (message: number) => cursorOf(entries[messages[message] as number] as Entry);
	return {
		entries: size === 0 ? [] : entries.slice(messages[first], messages[first + size] ?? entries.length),
		meta: {
			total: messages.length,
			returned: size,
			beforeCursor: size > 0 && first > 0 ? cursorAt(first) : null,
			afterCursor: size > 0 && first + size < messages.length ? cursorAt(first + size - 1) : null,
			compactionCursor: summary < 0 ? null : cursorOf(entries[summary] as Entry),
		},
	};
}

/** Returns the entry's number as a cursor. Numbers are never reused, so a cursor at a rolled-back entry is detected. */
function cursorOf({ number }: Entry): string {
	return `${number}`;
}
