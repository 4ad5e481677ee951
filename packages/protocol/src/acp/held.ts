import { type ResultOf, request } from "@segue/rpc";
import * as z from "zod";
import { lenient, meta, record, skipping } from "../tolerance.js";

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
