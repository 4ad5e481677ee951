import { notification, type ParamsOf, type ResultOf, request } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, record, skipping, word } from "../tolerance.js";
import { fromEditor, position, range } from "./params.js";

// Text for a document. All positions are 1-based.

const insertions = record({
	items: skipping(record({ text: z.string(), docVersion: lenient(z.number()), range })),
	/** A Segue extension: why there is no item, or why the item's text is incomplete. */
	reason: lenient(z.string()),
});
export type Insertion = z.output<typeof insertions>["items"][number];

export const completionInline = request({
	method: "completion/inline",
	from: "client",
	params: fromEditor(
		record({ docText: z.string(), docVersion: lenient(z.number()), position, path: lenient(z.string()) }),
	),
	result: insertions,
});
export type CompletionInline = ParamsOf<typeof completionInline>;

/** A Segue extension: the protocol has a heading for this feature, but defines no message. */
export const generateDocumentation = request({
	method: "documentation/generate",
	from: "client",
	params: fromEditor(
		record({ path: z.string(), docText: lenient(z.string()), position, docVersion: lenient(z.number()) }),
	),
	result: insertions,
});
export type GenerateDocumentation = ParamsOf<typeof generateDocumentation>;

export const rewritePrompt = request({
	method: "rewrite/prompt",
	from: "client",
	params: fromEditor(
		record({
			id: z.string(),
			text: z.string(),
			prompt: z.string(),
			path: lenient(z.string()),
			range: lenient(range),
		}),
	),
	result: record({ status: word("prompting", "login", "error"), model: z.string() }),
});
export type RewritePrompt = ParamsOf<typeof rewritePrompt>;
export type RewriteResult = ResultOf<typeof rewritePrompt>;

export const rewriteReceived = notification({
	method: "rewrite/contentReceived",
	from: "agent",
	params: record({
		rewriteId: z.string(),
		content: z.discriminatedUnion("type", [
			record({ type: z.literal("started") }),
			record({ type: z.literal("reasoning") }),
			record({ type: z.literal("text"), text: z.string() }),
			/** Replaces all text sent before. */
			record({ type: z.literal("replace"), text: z.string() }),
			record({ type: z.literal("error"), message: z.string() }),
			record({ type: z.literal("finished"), totalTimeMs: z.number() }),
		]),
	}),
});
export type RewriteContent = ParamsOf<typeof rewriteReceived>["content"];
