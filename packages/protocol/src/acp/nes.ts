import { notification, type ParamsOf, type ResultOf, request } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, meta, preprocess, record, skipping, withoutNul, word } from "../tolerance.js";
import { position, range, uint32 } from "./position.js";

const sessionId = z.string();
const uri = z.string();

/** Starts an NES session, which is independent of other sessions and of chat. Its workspace never changes. */
export const nesStart = request({
	method: "nes/start",
	from: "client",
	params: z.nullish(
		record({
			workspaceUri: withoutNul(lenient(uri)),
			workspaceFolders: z.nullish(z.array(record({ uri: withoutNul(uri), name: z.string(), _meta: meta }))),
			/** Missing if the workspace is not a Git repository. */
			repository: lenient(record({ name: z.string(), owner: z.string(), remoteUrl: z.string(), _meta: meta })),
			_meta: meta,
		}),
	),
	result: record({ sessionId, _meta: meta }),
});
export type NesStart = ParamsOf<typeof nesStart>;

/** Closes an NES session. The agent cancels pending requests and frees the session's resources. */
export const nesClose = request({
	method: "nes/close",
	from: "client",
	params: record({ sessionId, _meta: meta }),
	result: record({ _meta: meta }),
});

const recentFile = record({ uri, languageId: z.string(), text: z.string(), _meta: meta });

/** Lines are 0-based, and `endLine` is inclusive. */
const excerpt = record({ startLine: uint32, endLine: uint32, text: z.string(), _meta: meta });

const diagnostic = record({
	uri,
	range,
	severity: word("error", "warning", "information", "hint"),
	message: z.string(),
	_meta: meta,
});
export type Diagnostic = z.output<typeof diagnostic>;

/** The context requested by the agent. Invalid items are dropped, because the request is still useful without them. */
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

/** Version 2 of the protocol calls a suggestion's id `suggestionId`. We read both names but send `id`. */
function withId<Schema extends z.ZodMiniType>(schema: Schema) {
	return preprocess((value) => {
		if (typeof value !== "object" || value === null || "id" in value || !("suggestionId" in value)) return value;
		return { ...value, id: value.suggestionId };
	}, schema);
}

const id = z.string();

const editSuggestion = record({
	id,
	kind: z.literal("edit"),
	uri,
	/** At least one. All ranges refer to the document before any of the edits. */
	edits: z.array(record({ range, newText: z.string(), _meta: meta })),
	/** The new cursor position, in the document after the edits. */
	cursorPosition: lenient(position),
	_meta: meta,
});

const jumpSuggestion = record({ id, kind: z.literal("jump"), uri, position, _meta: meta });

/** Renames the symbol at a position across the workspace. */
const renameSuggestion = record({ id, kind: z.literal("rename"), uri, position, newName: z.string(), _meta: meta });

/** Replaces text in a file, or in all files in a folder. */
const searchAndReplaceSuggestion = record({
	id,
	kind: z.literal("searchAndReplace"),
	uri,
	search: z.string(),
	replace: z.string(),
	/** The default is false. */
	isRegex: z.nullish(z.boolean()),
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

/** Requests suggestions for a position in a document. */
export const nesSuggest = request({
	method: "nes/suggest",
	from: "client",
	params: record({
		sessionId,
		uri,
		version: z.int(),
		/** The cursor. */
		position,
		selection: z.nullish(range),
		/**
		 * Why the request was sent: the user typed or moved the cursor, a diagnostic appeared near the cursor, or the user
		 * requested a suggestion.
		 */
		triggerKind: word("automatic", "diagnostic", "manual"),
		context: lenient(suggestContext),
		_meta: meta,
	}),
	result: record({
		/** Best first. Suggestions of unknown kinds are dropped. */
		suggestions: skipping(withId(suggestion)),
		_meta: meta,
	}),
});
export type SuggestRequest = ParamsOf<typeof nesSuggest>;
export type SuggestResponse = ResultOf<typeof nesSuggest>;

/** The user accepted a suggestion. */
export const nesAccept = notification({
	method: "nes/accept",
	from: "client",
	params: withId(record({ sessionId, id, _meta: meta })),
});

/**
 * The user did not accept a suggestion: they dismissed it (`rejected`) or kept editing until it no longer applied
 * (`ignored`), a newer suggestion replaced it (`replaced`), or the request was cancelled before it was shown
 * (`cancelled`).
 */
export const nesReject = notification({
	method: "nes/reject",
	from: "client",
	params: withId(
		record({ sessionId, id, reason: lenient(word("rejected", "ignored", "replaced", "cancelled")), _meta: meta }),
	),
});
export type RejectReason = NonNullable<ParamsOf<typeof nesReject>["reason"]>;
