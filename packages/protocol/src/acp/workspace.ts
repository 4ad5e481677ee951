import { request } from "@segue/rpc";
import * as z from "zod";
import { meta, record, skipping } from "../tolerance.js";
import { uint32 } from "./position.js";

// What an agent may ask an editor about its state, where the editor says that it serves it.

/** A file of the editor; the uri is an absolute `file:///` one. */
const document = record({ uri: z.string(), languageId: z.string(), _meta: meta });
export type WorkspaceDocument = z.output<typeof document>;

const documents = record({ documents: skipping(document), _meta: meta });

/** The files that are open, in the order of the editor's tabs. */
export const openDocuments = request({
	method: "workspace/open_documents",
	from: "agent",
	params: record({ sessionId: z.string(), _meta: meta }),
	result: documents,
});

/** The files that were used last, most recent first. */
export const recentDocuments = request({
	method: "workspace/recent_documents",
	from: "agent",
	params: record({ sessionId: z.string(), limit: uint32.nullish(), _meta: meta }),
	result: documents,
});

/** The file that has the focus, or null. Some peers answer with a bare null. */
export const activeDocument = request({
	method: "workspace/active_document",
	from: "agent",
	params: record({ sessionId: z.string(), _meta: meta }),
	result: z.preprocess((value) => value ?? { document: null }, record({ document: document.nullable(), _meta: meta })),
});
