import * as z from "zod";
import { lenient, record } from "../tolerance.js";
import { position } from "./place.js";

/** What goes with a prompt, in either form of the protocol. Lines are 1-based, and both ends are included. */
export const chatContext = z.discriminatedUnion("type", [
	record({
		type: z.literal("file"),
		path: z.string(),
		linesRange: lenient(record({ start: z.int(), end: z.int() })),
		/** The first form's words for the same, and for a context of the type `cursor`. */
		selection: lenient(record({ startLine: z.int(), endLine: z.int() })),
		cursor: lenient(position),
	}),
	record({ type: z.literal("directory"), path: z.string() }),
	record({ type: z.literal("web"), url: z.string() }),
	record({ type: z.literal("image"), mediaType: z.string(), base64: z.string() }),
	record({ type: z.literal("text"), label: lenient(z.string()), content: z.string() }),
	/** 1-based. */
	record({ type: z.literal("cursor"), path: z.string(), position: record({ start: position, end: position }) }),
	record({
		type: z.literal("mcpResource"),
		uri: z.string(),
		name: lenient(z.string()),
		description: lenient(z.string()),
		mimeType: lenient(z.string()),
		server: z.string(),
	}),
	/** The first form's. */
	record({
		type: z.literal("code"),
		content: z.string(),
		language: lenient(z.string()),
		description: lenient(z.string()),
	}),
	/** Named by the first form and never defined; this is ours. */
	record({ type: z.literal("terminal"), content: z.string(), command: lenient(z.string()) }),
	/** No longer in use, and still sent. */
	record({ type: z.literal("repoMap") }),
]);
export type ChatContext = z.output<typeof chatContext>;

/** What an editor may put into a prompt. Only the editor knows where its cursor is, and adds that itself. */
export const offeredContext = z.union([chatContext, record({ type: z.literal("cursor") })]);
export type OfferedContext = z.output<typeof offeredContext>;
