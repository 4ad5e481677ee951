import type { Body, Entry } from "@segue/assist";
import type * as eca from "@segue/protocol/eca";

/** Which part of a chat an editor wants: the newest messages, or those on one side of a cursor. */
export interface PageRequest {
	readonly limit?: number | null | undefined;
	readonly before?: string | null | undefined;
	readonly after?: string | null | undefined;
}

interface HistoryPage {
	/** All that happened from the first message of the page up to the next one after it. */
	readonly entries: readonly Entry[];
	readonly meta: eca.HistoryMeta;
}

/** What editors write for the cursor of the last summary. */
const LAST_COMPACTION = "lastCompaction";

/** What is counted. All else belongs to the message before it. */
const MESSAGES: readonly Body["type"][] = [
	...(["prompt", "text", "image", "link", "thought", "call", "plan", "notice"] as const),
];

/** Undefined where a cursor names what is no longer there. */
export function pageOf(
	entries: readonly Entry[],
	{ limit, before, after }: PageRequest,
	limitMax: number,
	/** Of what is on the page, about as JSON has it. A message that has more is a page of its own. */
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
	// Behind a cursor it goes on from there; otherwise what is newest counts.
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

/** A number is never given again, so that what was rolled back is known to be gone. */
function cursorOf({ number }: Entry): string {
	return `${number}`;
}
