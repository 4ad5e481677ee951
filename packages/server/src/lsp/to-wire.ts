import type { SuggestionOffer } from "@segue/agent/next-edit/offers";
import type { DocumentEdits } from "@segue/predict";
import type * as lsp from "@segue/protocol/lsp";
import { Change, type Edit, positionAt, rangeAt, type Text } from "@segue/text";

/** Commands for the client to execute. Most take a suggestion id as their argument. */
export const LSP_COMMANDS = {
	accept: "segue.accept",
	reject: "segue.reject",
	ignore: "segue.ignore",
	/** Applies the edit, for clients that do not support edits in code actions. */
	apply: "segue.apply",
	goTo: "segue.goTo",
	/** The argument is a number of minutes; 0 ends the snooze. */
	snooze: "segue.snooze",
} as const;

// Kinds of code actions. Editors show a light bulb for the first, and list the second among the refactorings.
export const QUICK_FIX = "quickfix";
export const REWRITE = "refactor.rewrite";

const INCREMENTAL = 2;

export function capabilitiesToWire(positionEncoding: lsp.PositionEncoding): lsp.InitializeResult["capabilities"] {
	return {
		positionEncoding,
		textDocumentSync: { openClose: true, change: INCREMENTAL, save: { includeText: false } },
		inlineCompletionProvider: {},
		codeActionProvider: { codeActionKinds: [QUICK_FIX, REWRITE] },
		executeCommandProvider: { commands: Object.values(LSP_COMMANDS) },
		inlayHintProvider: {},
		workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
	};
}

export function acceptCommand(id: string): lsp.Command {
	return { title: "Accept next edit", command: LSP_COMMANDS.accept, arguments: [id] };
}

/** The second argument of the accept command for a whole rename. */
export const EVERYWHERE = "everywhere";

/** Joins a suggestion's edits into one, because some clients use only the first edit in a response. */
export function joinedEdit({ suggestion, document }: SuggestionOffer): Edit | undefined {
	if (suggestion.kind !== "edit") return undefined;
	const change = Change.of(suggestion.edits, document.text.length);
	const [first] = change.edits;
	const last = change.edits.at(-1);
	if (first === undefined || last === undefined) return undefined;
	return spanned(change, document.text, first.from, last.to);
}

/** Returns a single edit that replaces the range. The range must contain all edits of the change. */
function spanned(change: Change, text: Text, from: number, to: number): Edit {
	const growth = change.lengthAfter - change.lengthBefore;
	return { from, to, insert: change.apply(text).slice(from, to + growth) };
}

export function inlineEditToWire(
	{ id, document }: SuggestionOffer,
	edit: Edit,
	encoding: lsp.PositionEncoding,
): lsp.InlineEdits["edits"][number] {
	const { uri, version, text } = document;
	return {
		text: withLineFeeds(edit.insert),
		range: rangeAt(text, edit.from, edit.to, encoding),
		textDocument: { uri, version },
		command: acceptCommand(id),
	};
}

/**
 * Converts a suggestion to an inline completion, whose range must be on the cursor's line and include the cursor.
 * Returns undefined for a suggestion that changes other lines. `selected` is the selected entry in the completion menu;
 * the item has to start with it.
 */
export function inlineItemToWire(
	{ id, suggestion, document }: SuggestionOffer,
	cursor: number,
	selected: { readonly range: lsp.Range; readonly text: string } | undefined,
	encoding: lsp.PositionEncoding,
): lsp.InlineCompletionItem | undefined {
	if (suggestion.kind !== "edit") return undefined;
	const { text } = document;
	const change = Change.of(suggestion.edits, text.length);
	const from = Math.min(cursor, ...change.edits.map((edit) => edit.from));
	const to = Math.max(cursor, ...change.edits.map((edit) => edit.to));
	const line = text.lineAt(cursor);
	if (from < text.lineStart(line) || to > text.lineEnd(line)) return undefined;
	const { insert } = spanned(change, text, from, to);
	const range = rangeAt(text, from, to, encoding);
	if (
		selected !== undefined &&
		!(isSamePosition(selected.range.start, range.start) && insert.startsWith(selected.text))
	)
		return undefined;
	return { insertText: withLineFeeds(insert), range, command: acceptCommand(id) };
}

/** Editors store the kind of line break separately, and some insert carriage returns literally. */
function withLineFeeds(text: string): string {
	return text.replaceAll("\r\n", "\n");
}

function isSamePosition(one: lsp.Position, other: lsp.Position): boolean {
	return one.line === other.line && one.character === other.character;
}

/** Converts edits in several files, with one undo step per file. */
export function workspaceEditToWire(
	changed: readonly DocumentEdits[],
	{ workspace }: lsp.ClientCapabilities,
	encoding: lsp.PositionEncoding,
	annotation?: { readonly label: string; readonly description: string },
): lsp.WorkspaceEdit {
	const { documentChanges, changeAnnotationSupport } = workspace?.workspaceEdit ?? {};
	const isAnnotated = annotation !== undefined && documentChanges === true && changeAnnotationSupport != null;
	const files = changed.map(({ document: { uri, version, text }, edits }) => {
		const written = edits.map(({ from, to, insert }): lsp.TextEdit => {
			const edit = { range: rangeAt(text, from, to, encoding), newText: insert };
			return isAnnotated ? { ...edit, annotationId: annotation.label } : edit;
		});
		return { uri, version, edits: written };
	});
	if (documentChanges !== true) {
		return { changes: Object.fromEntries(files.map(({ uri, edits }) => [uri, edits])) };
	}
	return {
		documentChanges: files.map(({ uri, version, edits }) => ({ textDocument: { uri, version }, edits })),
		...(isAnnotated && { changeAnnotations: { [annotation.label]: { ...annotation, needsConfirmation: true } } }),
	};
}

/** Returns the offset in the document where a suggestion starts. */
export function offerOffset({ suggestion }: SuggestionOffer): number {
	return suggestion.kind === "edit" ? (suggestion.edits[0]?.from ?? 0) : suggestion.cursor;
}

/** Returns the range to select when the client goes to a suggestion. */
export function offerRangeToWire(offer: SuggestionOffer, encoding: lsp.PositionEncoding): lsp.Range {
	const position = positionAt(offer.document.text, offerOffset(offer), encoding);
	return { start: position, end: position };
}
