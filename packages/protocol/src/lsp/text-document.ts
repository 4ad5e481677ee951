import { notification, type ParamsOf } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, record, skipping } from "../tolerance.js";
import { documentId, range } from "./basic-structures.js";

// Dropping a malformed `didOpen` or `didChange` would silently put the two copies of a document out of sync. Instead,
// invalid members become undefined, and the handler marks the document as out of sync.

const version = z.catch(z.optional(z.int()), undefined);

export const didOpen = notification({
	method: "textDocument/didOpen",
	from: "client",
	params: record({
		textDocument: record({
			uri: z.string(),
			languageId: z.catch(z.string(), "plaintext"),
			version,
			text: z.catch(z.optional(z.string()), undefined),
		}),
	}),
});

/** A range and its replacement or, without a range, the full new text. */
const contentChange = record({ range: z.nullish(range), text: z.string() });

export const didChange = notification({
	method: "textDocument/didChange",
	from: "client",
	params: record({
		textDocument: record({ uri: z.string(), version }),
		contentChanges: z.catch(z.optional(z.array(contentChange)), undefined),
	}),
});

export const didClose = notification({
	method: "textDocument/didClose",
	from: "client",
	params: record({ textDocument: documentId }),
});

export const didSave = notification({
	method: "textDocument/didSave",
	from: "client",
	params: record({ textDocument: documentId }),
});

/** A Copilot extension: the user focused a document, or something that is not a document. */
export const didFocus = notification({
	method: "textDocument/didFocus",
	from: "client",
	params: record({ textDocument: lenient(documentId) }),
});

export const diagnostic = record({
	range,
	/** 1 = error, 2 = warning, 3 = information, 4 = hint. */
	severity: lenient(z.int()),
	message: z.string(),
});
export type Diagnostic = z.output<typeof diagnostic>;

/** A Segue extension: a plugin forwards diagnostics from other servers. Each list replaces the previous one. */
export const forwardedDiagnostics = notification({
	method: "segue/diagnostics",
	from: "client",
	params: record({ uri: z.string(), diagnostics: skipping(diagnostic) }),
});

export const publishDiagnostics = notification({
	method: "textDocument/publishDiagnostics",
	from: "agent",
	params: record({
		uri: z.string(),
		diagnostics: z.array(record({ range, severity: z.int(), source: z.string(), message: z.string() })),
	}),
});

export type DidOpen = ParamsOf<typeof didOpen>;
export type DidChange = ParamsOf<typeof didChange>;
