import { notification, type ParamsOf, type ResultOf, request } from "@segue/rpc";
import * as z from "zod";
import { lenient, meta, record, skipping } from "../tolerance.js";
import { position, range } from "./position.js";

// What an editor tells an agent of its documents. Each event belongs to the NES session that `sessionId` names, and is
// sent only if the agent asked for it.

const sessionId = z.string();
const uri = z.string();
/** Grows with each change of a document, by any amount. */
const version = z.int();

/**
 * A file was opened. Were one that cannot be read dropped, later changes would be made to another text; so the members
 * that matter are undefined then, and the handler sees to it.
 */
export const didOpen = notification({
	method: "document/didOpen",
	from: "client",
	params: record({
		sessionId,
		uri,
		languageId: z.string().catch("plaintext"),
		version: version.optional().catch(undefined),
		text: z.string().optional().catch(undefined),
		_meta: meta,
	}),
});

/** One edit of a document: a range and its new text or, without a range, the whole new text. */
const contentChange = record({ range: range.nullish(), text: z.string(), _meta: meta });
export type ContentChange = z.output<typeof contentChange>;

/**
 * A file was edited; `version` is the one after all changes, which apply one after the other. Were a malformed change
 * passed over, or the notification dropped, two documents would differ and nobody would know. So both members are
 * undefined where they cannot be read, and the handler sees to it.
 */
export const didChange = notification({
	method: "document/didChange",
	from: "client",
	params: record({
		sessionId,
		uri,
		version: version.optional().catch(undefined),
		contentChanges: z.array(contentChange).optional().catch(undefined),
		_meta: meta,
	}),
});

/** A file was closed. */
export const didClose = notification({
	method: "document/didClose",
	from: "client",
	params: record({ sessionId, uri, _meta: meta }),
});

/** A file was saved. */
export const didSave = notification({
	method: "document/didSave",
	from: "client",
	params: record({ sessionId, uri, _meta: meta }),
});

/** A file became the active one, each time the user switches to it. */
export const didFocus = notification({
	method: "document/didFocus",
	from: "client",
	params: record({
		sessionId,
		uri,
		version: lenient(version),
		/** The cursor. */
		position,
		/** What the editor shows of the file. */
		visibleRange: lenient(range),
		_meta: meta,
	}),
});

export type DidOpen = ParamsOf<typeof didOpen>;
export type DidChange = ParamsOf<typeof didChange>;
export type DidFocus = ParamsOf<typeof didFocus>;

/**
 * Ours, for who looks into a connection: what the agent holds of the documents of a session of next edits. Only of an agent that
 * says `_meta.segue.documents` in its capabilities.
 */
export const heldDocuments = request({
	method: "_segue/documents",
	from: "client",
	params: record({ sessionId: z.string(), _meta: meta }),
	result: record({
		documents: skipping(
			record({
				uri: z.string(),
				version: lenient(z.number()),
				text: z.string(),
				/** Whether the agent knows that its text may no longer be the editor's. */
				isLost: z.boolean(),
			}),
		),
		_meta: meta,
	}),
});
export type HeldDocument = ResultOf<typeof heldDocuments>["documents"][number];
