import * as acp from "@segue/protocol/acp";
import {
	Change,
	contentChangesOf,
	type Document,
	type Event,
	insertsLines,
	positionAt,
	rangeAt,
	sameUri,
	uriKey,
} from "@segue/text";
import type { Session } from "../connection/agent-connection.js";
import type { DocumentView } from "../document-view.js";

// More edits than a user makes between two pauses. Storing more would only use memory.
const PENDING_EDITS_MAX = 100;
// As many documents as an agent is likely to keep.
const CLOSED_MAX = 1000;

/**
 * Sends an agent the document events that it requested, in the form that it requested. Changes are batched until the
 * agent needs them, so that a keystroke costs the same in a document of any size.
 */
export class DocumentSynchronizer {
	/** Keyed by `uriKey`. */
	private readonly known = new Map<string, Known>();
	/**
	 * The last versions of closed documents, for agents that receive neither didOpen nor didClose and therefore keep the
	 * documents.
	 */
	private readonly closedVersions = new Map<string, number>();

	constructor(private readonly session: Session) {}

	/** Whether the agent has a document's current text, or will have it after `flush`. */
	mirrors(uri: string): boolean {
		return Boolean(this.events.didChange) && this.known.get(uriKey(uri))?.sent !== undefined;
	}

	/**
	 * Returns the version that the agent has after `flush`, or the document's own version if the agent does not have its
	 * text.
	 */
	versionOf(document: Document): number {
		const known = this.known.get(uriKey(document.uri));
		return known !== undefined && this.mirrors(document.uri) ? known.version : document.version;
	}

	opened(document: Document): void {
		const key = uriKey(document.uri);
		if (!this.events.didOpen) {
			const version = this.closedVersions.get(key);
			// The agent may have an older version of the text, so continue its version numbers.
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
		// The agent recognizes a paste only if it is a change of its own.
		const isPaste = insertsLines(change, known.now.text);
		if (isPaste) this.flush(after.uri);
		const latest = this.known.get(key) ?? known;
		const pending = this.events.didChange ? (latest.pending?.compose(change) ?? change) : undefined;
		this.known.set(key, { ...latest, now: after, pending });
		if (isPaste || (pending !== undefined && pending.edits.length > PENDING_EDITS_MAX)) this.flush(after.uri);
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

	/** Sends the pending change. The first change to a document that was never opened is sent as full text. */
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

/** A document and its state on the agent's side. */
interface Known {
	readonly now: Document;
	/** The document as it was last sent; undefined if the agent does not have its text. */
	readonly sent: Document | undefined;
	/** The change from `sent` to `now`. */
	readonly pending: Change | undefined;
	/** The last version sent. */
	readonly version: number;
}

/**
 * Opens a document with its history for an agent that does not have it yet: sends the text before the user's last
 * edits, then each edit. Without this, an agent that starts or restarts later would have no edits to work from.
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

/** Returns the consecutive events that led to the current text, at most as many as the version number allows. */
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
