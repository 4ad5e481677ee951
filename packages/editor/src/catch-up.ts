import { type Document, type Event, sameUri } from "@segue/text";
import type { Sync } from "./sync.js";

/**
 * Tells an agent of a document that it has not heard of, although the user has worked on it: as it was before what they
 * did last, and then what that was. Without it, an agent that comes late, or again, would have nothing to go by.
 */
export function catchUp(sync: Sync, document: Document, events: readonly Event[]): void {
	const past = pastOf(document, events);
	const begin = document.version - past.length;
	sync.opened({ ...document, version: begin, text: past[0]?.before ?? document.text });
	for (const [i, { after, change }] of past.entries()) {
		sync.changed({ ...document, version: begin + i + 1, text: after }, change);
		sync.flush(document.uri);
	}
}

/** The events that led to a document as it is, one from the other, as many as its versions leave room for. */
function pastOf(document: Document, events: readonly Event[]): Event[] {
	const past: Event[] = [];
	let text = document.text;
	for (const event of events.toReversed()) {
		if (!sameUri(event.uri, document.uri)) continue;
		if (past.length >= document.version || !event.after.equals(text)) break;
		past.unshift(event);
		text = event.before;
	}
	return past;
}
