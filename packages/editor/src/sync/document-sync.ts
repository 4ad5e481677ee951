import * as acp from "@segue/protocol/acp";
import { Change, contentChangesOf, type Document, type Event, positionAt, rangeAt, sameUri, uriKey } from "@segue/text";
import type { Session } from "../connection/agent-connection.js";
import type { DocumentView } from "../document-view.js";

// More edits than a person makes between two pauses. What waits longer would only cost memory.
const PENDING_EDITS_MAX = 100;
// As many documents as an agent is likely to hold.
const CLOSED_MAX = 1000;

/**
 * Tells an agent of the documents: the events that it asked for, in the form it asked for. Changes are gathered until
 * somebody needs the agent to know them, so that a keystroke costs the same in a text of any size.
 */
export class DocumentSynchronizer {
	/** By `uriKey`. */
	private readonly known = new Map<string, Known>();
	/** The last versions of closed documents that the agent still holds, because it hears neither of closings nor of openings. */
	private readonly closedVersions = new Map<string, number>();

	constructor(private readonly session: Session) {}

	/** Whether the agent has the present text of a document, or will have once `flush` is called. */
	mirrors(uri: string): boolean {
		return Boolean(this.events.didChange) && this.known.get(uriKey(uri))?.sent !== undefined;
	}

	/** The version under which the agent has the present text, once `flush` is called; the document's own if it has not. */
	versionOf(document: Document): number {
		const known = this.known.get(uriKey(document.uri));
		return known !== undefined && this.mirrors(document.uri) ? known.version : document.version;
	}

	opened(document: Document): void {
		const key = uriKey(document.uri);
		if (!this.events.didOpen) {
			const version = this.closedVersions.get(key);
			// What the agent holds is another text by now, perhaps, and its numbers go on.
			const pending = version === undefined ? undefined : Change.of([], document.text.length);
			this.known.set(key, { now: document, sent: undefined, pending, version: version ?? 0 });
			return;
		}
		this.known.set(key, { now: document, sent: document, pending: undefined, version: document.version });
		const { uri, languageId, version, text } = document;
		const { connection, id: sessionId } = this.session;
		connection.notify(acp.didOpen, { sessionId, uri, languageId, version, text: text.toString() });
	}

	changed(after: Document, change: Change): void {
		const key = uriKey(after.uri);
		const known = this.known.get(key);
		if (known === undefined) return;
		const pending = this.events.didChange ? (known.pending?.compose(change) ?? change) : undefined;
		this.known.set(key, { ...known, now: after, pending });
		if (pending !== undefined && pending.edits.length > PENDING_EDITS_MAX) this.flush(after.uri);
	}

	closed(uri: string): void {
		const key = uriKey(uri);
		const known = this.known.get(key);
		if (known === undefined) return;
		this.known.delete(key);
		const { didOpen, didClose } = this.events;
		if (didClose) this.session.connection.notify(acp.didClose, { sessionId: this.session.id, uri });
		else if (!didOpen && known.version > 0) this.remember(key, known.version);
	}

	saved(uri: string): void {
		if (!this.events.didSave || !this.known.has(uriKey(uri))) return;
		this.flush(uri);
		this.session.connection.notify(acp.didSave, { sessionId: this.session.id, uri });
	}

	focused(uri: string, view: DocumentView): void {
		const known = this.known.get(uriKey(uri));
		if (!this.events.didFocus || known === undefined) return;
		this.flush(uri);
		const { connection, id: sessionId, encoding } = this.session;
		const { text } = known.now;
		const { from, to } = view.visible ?? { from: 0, to: text.length };
		const version = this.versionOf(known.now);
		const position = positionAt(text, view.head, encoding);
		connection.notify(acp.didFocus, {
			sessionId,
			uri,
			version,
			position,
			visibleRange: rangeAt(text, from, to, encoding),
		});
	}

	/** Sends what waits. The first change of a document that was never opened goes as its full text. */
	flush(uri: string): void {
		const key = uriKey(uri);
		const known = this.known.get(key);
		const { didChange } = this.events;
		if (!didChange || known?.pending === undefined) return;
		const { now, sent, pending } = known;
		const version = Math.max(now.version, known.version + 1);
		this.known.set(key, { now, sent: now, pending: undefined, version });
		const { connection, id: sessionId, encoding } = this.session;
		const contentChanges =
			sent === undefined
				? [{ text: now.text.toString() }]
				: contentChangesOf(sent.text, pending, didChange.syncKind, encoding);
		connection.notify(acp.didChange, { sessionId, uri: now.uri, version, contentChanges });
	}

	flushAll(): void {
		for (const { now } of this.known.values()) this.flush(now.uri);
	}

	private remember(key: string, version: number): void {
		this.closedVersions.set(key, version);
		const [oldest] = this.closedVersions.keys();
		if (this.closedVersions.size > CLOSED_MAX && oldest !== undefined) this.closedVersions.delete(oldest);
	}

	private get events() {
		return this.session.capabilities.events?.document ?? {};
	}
}

/** What is known of a document, and what of that to the agent. */
interface Known {
	readonly now: Document;
	/** As the agent has it; undefined where it has none of its text. */
	readonly sent: Document | undefined;
	/** From there to now. */
	readonly pending: Change | undefined;
	/** The last version that was sent. */
	readonly version: number;
}

/**
 * Tells an agent of a document that it has not heard of, although the user has worked on it: as it was before what they
 * did last, and then what that was. Without it, an agent that comes late, or again, would have nothing to go by.
 */
export function catchUp(sync: DocumentSynchronizer, document: Document, events: readonly Event[]): void {
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
