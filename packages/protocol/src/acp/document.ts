import { notification, type ParamsOf, type ResultOf, request } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, meta, record, skipping } from "../tolerance.js";
import { position, range } from "./position.js";

// Document events. Each belongs to the NES session `sessionId` and is sent only if the agent subscribed to it.

const sessionId = z.string();
const uri = z.string();
/** Increases by any amount with each change to a document. */
const version = z.int();

/**
 * A file was opened. An invalid `version` or `text` becomes undefined, and the handler deals with it. If the whole
 * notification were dropped instead, later changes would apply to the wrong text.
 */
export const didOpen = notification({
	method: "document/didOpen",
	from: "client",
	params: record({
		sessionId,
		uri,
		languageId: z.catch(z.string(), "plaintext"),
		version: z.catch(z.optional(version), undefined),
		text: z.catch(z.optional(z.string()), undefined),
		_meta: meta,
	}),
});

/** A range and its replacement or, without a range, the full new text. */
const contentChange = record({ range: z.nullish(range), text: z.string(), _meta: meta });
export type ContentChange = z.output<typeof contentChange>;

/**
 * A file was edited. The changes apply in order, and `version` is the version after all of them. If either member is
 * invalid, it becomes undefined, and the handler deals with it. Dropping a change or the whole notification would
 * silently put the two copies out of sync.
 */
export const didChange = notification({
	method: "document/didChange",
	from: "client",
	params: record({
		sessionId,
		uri,
		version: z.catch(z.optional(version), undefined),
		contentChanges: z.catch(z.optional(z.array(contentChange)), undefined),
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

/** The user switched to a file. */
export const didFocus = notification({
	method: "document/didFocus",
	from: "client",
	params: record({
		sessionId,
		uri,
		version: lenient(version),
		/** The cursor. */
		position,
		/** The part of the file visible in the editor. */
		visibleRange: lenient(range),
		_meta: meta,
	}),
});

export type DidOpen = ParamsOf<typeof didOpen>;
export type DidChange = ParamsOf<typeof didChange>;
export type DidFocus = ParamsOf<typeof didFocus>;

/**
 * A Segue extension for inspecting a connection: returns the agent's copies of the documents in an NES session.
 * Requires `_meta.segue.documents` in the agent's capabilities.
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
				/** Whether the agent has detected that its copy may be out of sync with the editor. */
				isLost: z.boolean(),
			}),
		),
		_meta: meta,
	}),
});
export type HeldDocument = ResultOf<typeof heldDocuments>["documents"][number];
