import { type CodeSnippet, hunksOf, type PastEdit, type PromptInput } from "@segue/models";
import { Change, Text } from "@segue/text";

/** An editor state for which Zed's own code wrote prompts. Offsets are in UTF-16 code units. */
export interface ZedState {
	readonly name: string;
	readonly path: string;
	readonly language: string;
	readonly text: string;
	readonly cursorOffset: { readonly utf16: number };
	/** The contents of all edited files before the history, by path. */
	readonly before: Readonly<Record<string, string>>;
	/** Oldest first. */
	readonly history: readonly {
		readonly path: string;
		/** Present if the file was renamed. */
		readonly oldPath?: string;
		readonly predicted?: boolean;
		readonly edit: { readonly from: number; readonly to: number; readonly text: string };
	}[];
	readonly related: readonly {
		readonly path: string;
		readonly maxRow: number;
		readonly excerpts: readonly {
			readonly startRow: number;
			readonly endRow: number;
			/** Excerpts with lower numbers are more useful. */
			readonly order: number;
			readonly text: string;
		}[];
	}[];
	/** Innermost first. */
	readonly syntaxRanges?: readonly { readonly from: number; readonly to: number }[];
	readonly formats: readonly {
		readonly format: string;
		/** Null if Zed writes no prompt. */
		readonly prompt: string | null;
		readonly region: { readonly from: number; readonly to: number };
		readonly historyShown?: number;
	}[];
}

/** Converts the state to the input of Segue's formats. */
export function promptInputOfState(state: ZedState): PromptInput {
	const { path, language, text, cursorOffset, syntaxRanges = [] } = state;
	return {
		uri: uriOf(path),
		path,
		languageId: language,
		text: Text.of(text),
		cursor: cursorOffset.utf16,
		nodesAround: () => syntaxRanges,
		edits: editsOf(state),
		recent: [],
		related: relatedOf(state),
		diagnostics: [],
		repository: "untitled",
	};
}

function uriOf(path: string): string {
	return `file:///${encodeURI(path)}`;
}

function editsOf({ before, history, language }: ZedState): PastEdit[] {
	const texts = new Map(Object.entries(before).map(([path, text]) => [path, Text.of(text)]));
	return history.map(({ path, oldPath = path, predicted = false, edit }) => {
		const old = texts.get(oldPath) ?? texts.get(path) ?? Text.of("");
		const change = Change.of([{ from: edit.from, to: edit.to, insert: edit.text }], old.length);
		const after = change.apply(old);
		texts.set(path, after);
		const about = { uri: uriOf(path), languageId: language, atMs: 0, isAccepted: predicted, isPaste: false };
		const event = { ...about, before: old, after, change };
		return { path, oldPath, event, diff: hunksOf(event) };
	});
}

function relatedOf({ related }: ZedState): CodeSnippet[] {
	const snippets = related.flatMap(({ path, maxRow, excerpts }, file) => {
		return excerpts.map(({ startRow, endRow, order, text }, i) => ({
			rank: [order, file, i],
			snippet: { path, first: startRow, last: endRow, lineCount: maxRow + 1, text: text.replaceAll("\r\n", "\n") },
		}));
	});
	const byRank = snippets.toSorted((a, b) => {
		const differing = a.rank.findIndex((number, i) => number !== b.rank[i]);
		return (a.rank[differing] ?? 0) - (b.rank[differing] ?? 0);
	});
	return byRank.map(({ snippet }) => snippet);
}
