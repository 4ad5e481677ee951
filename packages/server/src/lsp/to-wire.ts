import type { SuggestionOffer } from "@segue/agent/next-edit/offers";
import type { DocumentEdits } from "@segue/predict";
import type * as lsp from "@segue/protocol/lsp";
import { Change, type Edit, positionAt, rangeAt, type Text } from "@segue/text";

/** The commands that a client sends back. Most have the id of a suggestion as their argument. */
export const LSP_COMMANDS = {
	accept: "segue.accept",
	reject: "segue.reject",
	ignore: "segue.ignore",
	/** Makes the edit, for clients that cannot make it themselves. */
	apply: "segue.apply",
	goTo: "segue.goTo",
	/** Its argument is a number of minutes; 0 ends the snooze. */
	snooze: "segue.snooze",
} as const;

// Kinds of code actions. A light bulb is shown for the first; the other is in the menu of refactorings.
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
	return { title: "Accept the next edit", command: LSP_COMMANDS.accept, arguments: [id] };
}

/** The second argument of the accept command of a whole rename. */
export const EVERYWHERE = "everywhere";

/** A suggestion as one edit. Some clients take only the first edit of an answer. */
export function joinedEdit({ suggestion, document }: SuggestionOffer): Edit | undefined {
	if (suggestion.kind !== "edit") return undefined;
	const change = Change.of(suggestion.edits, document.text.length);
	const [first] = change.edits;
	const last = change.edits.at(-1);
	if (first === undefined || last === undefined) return undefined;
	return spanned(change, document.text, first.from, last.to);
}

/** What becomes of a stretch that holds all edits of a change. */
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
		text: withBareLineEnds(edit.insert),
		range: rangeAt(text, edit.from, edit.to, encoding),
		textDocument: { uri, version },
		command: acceptCommand(id),
	};
}

/**
 * A suggestion as an inline completion, which replaces a stretch of the cursor's line with the cursor in it or at its ends.
 * Undefined for one that changes other lines. `selected` is the entry of the completion menu that would be inserted first: an item
 * has to begin with it.
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
	return { insertText: withBareLineEnds(insert), range, command: acceptCommand(id) };
}

/** Editors keep line ends apart from the text. Not all of them look for carriage returns in what they insert. */
function withBareLineEnds(text: string): string {
	return text.replaceAll("\r\n", "\n");
}

function isSamePosition(one: lsp.Position, other: lsp.Position): boolean {
	return one.line === other.line && one.character === other.character;
}

/** How the edits of several files are written for a client, one undo step for each file. */
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

/** Where a suggestion begins, in the text of its document. */
export function offerOffset({ suggestion }: SuggestionOffer): number {
	return suggestion.kind === "edit" ? (suggestion.edits[0]?.from ?? 0) : suggestion.cursor;
}

/** The place of a suggestion, as a client is sent there. */
export function offerRangeToWire(offer: SuggestionOffer, encoding: lsp.PositionEncoding): lsp.Range {
	const position = positionAt(offer.document.text, offerOffset(offer), encoding);
	return { start: position, end: position };
}
