import { notification, type ParamsOf, type ResultOf, request } from "@segue/rpc";
import * as z from "zod";
import { lenient, meta, record, skipping, withoutNul, word } from "../tolerance.js";
import { position, range, uint32 } from "./position.js";

const sessionId = z.string();
const uri = z.string();

/** Begins an NES session, apart from all others and from chat. What it says of the workspace holds for its lifetime. */
export const nesStart = request({
	method: "nes/start",
	from: "client",
	params: record({
		workspaceUri: withoutNul(lenient(uri)),
		workspaceFolders: z.array(record({ uri: withoutNul(uri), name: z.string(), _meta: meta })).nullish(),
		/** Left out where the workspace is no git repository. */
		repository: lenient(record({ name: z.string(), owner: z.string(), remoteUrl: z.string(), _meta: meta })),
		_meta: meta,
	}).nullish(),
	result: record({ sessionId, _meta: meta }),
});
export type NesStart = ParamsOf<typeof nesStart>;

/** Ends an NES session. The agent cancels what it is doing for it and frees what belongs to it. */
export const nesClose = request({
	method: "nes/close",
	from: "client",
	params: record({ sessionId, _meta: meta }),
	result: record({ _meta: meta }),
});

const recentFile = record({ uri, languageId: z.string(), text: z.string(), _meta: meta });

/** `endLine` is the last line shown; lines count from 0. */
const excerpt = record({ startLine: uint32, endLine: uint32, text: z.string(), _meta: meta });

const diagnostic = record({
	uri,
	range,
	severity: word("error", "warning", "information", "hint"),
	message: z.string(),
	_meta: meta,
});
export type Diagnostic = z.output<typeof diagnostic>;

/** What the agent asked to have attached. A bad item is passed over; the request still makes sense without it. */
const suggestContext = record({
	/** Most recent first. */
	recentFiles: lenient(skipping(recentFile)),
	relatedSnippets: lenient(skipping(record({ uri, excerpts: skipping(excerpt), _meta: meta }))),
	/** Unified diffs, newest last. */
	editHistory: lenient(skipping(record({ uri, diff: z.string(), _meta: meta }))),
	/** Newest last. */
	userActions: lenient(skipping(record({ action: z.string(), uri, position, timestampMs: z.number(), _meta: meta }))),
	/** Most recently focused first. */
	openFiles: lenient(
		skipping(
			record({
				uri,
				languageId: z.string(),
				visibleRange: lenient(range),
				lastFocusedMs: lenient(z.number()),
				_meta: meta,
			}),
		),
	),
	diagnostics: lenient(skipping(diagnostic)),
	_meta: meta,
});
export type SuggestContext = z.output<typeof suggestContext>;

/** Peers of the second version call the id of a suggestion `suggestionId`. It is read, never written. */
function withId<Schema extends z.ZodType>(schema: Schema) {
	return z.preprocess((value) => {
		if (typeof value !== "object" || value === null || "id" in value || !("suggestionId" in value)) return value;
		return { ...value, id: value.suggestionId };
	}, schema);
}

const id = z.string();

const editSuggestion = record({
	id,
	kind: z.literal("edit"),
	uri,
	/** One or more; all ranges refer to the document as it is before any of them. */
	edits: z.array(record({ range, newText: z.string(), _meta: meta })),
	/** Where the cursor goes, in the document after the edits. */
	cursorPosition: lenient(position),
	_meta: meta,
});

const jumpSuggestion = record({ id, kind: z.literal("jump"), uri, position, _meta: meta });

/** Renames the symbol at a position, across the workspace. */
const renameSuggestion = record({ id, kind: z.literal("rename"), uri, position, newName: z.string(), _meta: meta });

/** Replaces in a file, or in all files of a folder. */
const searchAndReplaceSuggestion = record({
	id,
	kind: z.literal("searchAndReplace"),
	uri,
	search: z.string(),
	replace: z.string(),
	/** False if it is missing. */
	isRegex: z.boolean().nullish(),
	_meta: meta,
});

const suggestion = z.discriminatedUnion("kind", [
	editSuggestion,
	jumpSuggestion,
	renameSuggestion,
	searchAndReplaceSuggestion,
]);
export type Suggestion = z.output<typeof suggestion>;
export type SuggestionKind = Suggestion["kind"];

/** Asks for suggestions at a place of a document. */
export const nesSuggest = request({
	method: "nes/suggest",
	from: "client",
	params: record({
		sessionId,
		uri,
		version: z.int(),
		/** The cursor. */
		position,
		selection: range.nullish(),
		/** By typing or moving, by a diagnostic that appeared near the cursor, or because the user asked for it. */
		triggerKind: word("automatic", "diagnostic", "manual"),
		context: lenient(suggestContext),
		_meta: meta,
	}),
	result: record({
		/** Best first. A suggestion of a kind that is not known here is passed over. */
		suggestions: skipping(withId(suggestion)),
		_meta: meta,
	}),
});
export type SuggestRequest = ParamsOf<typeof nesSuggest>;
export type SuggestResponse = ResultOf<typeof nesSuggest>;

/** The user took a suggestion. */
export const nesAccept = notification({
	method: "nes/accept",
	from: "client",
	params: withId(record({ sessionId, id, _meta: meta })),
});

/**
 * The user did not take a suggestion: dismissed it (`rejected`), went on without it until it no longer fitted
 * (`ignored`), got a newer one in its place (`replaced`), or the request was cancelled before it came (`cancelled`).
 */
export const nesReject = notification({
	method: "nes/reject",
	from: "client",
	params: withId(
		record({ sessionId, id, reason: lenient(word("rejected", "ignored", "replaced", "cancelled")), _meta: meta }),
	),
});
export type RejectReason = NonNullable<ParamsOf<typeof nesReject>["reason"]>;
