import { holdsSpecialToken, type ModelHunk } from "@segue/predict";
import { type Edit, splitsCharacter, type Text } from "@segue/text";
import type { CodeSnippet, Format, ModelOutput, ParsedOutput, PromptInput } from "../format.js";
import { textAtFirst, unifiedOf } from "../past-edits.js";
import { estimateTokens, fitting, snippetsBeside } from "../token-budget.js";
import { Window } from "../window.js";

// The server builds a prompt of about 8,000 tokens, so it would not read more of a file. Requests are sent on every
// keystroke and should be small.
const FILE_TOKENS = 16_384;
const EDITS_TOKENS = 4096;
const EDITS_MAX = 6;
const SNIPPETS_TOKENS = 4096;

// The special tokens in the server's prompt.
const SPECIAL_TOKENS = ["<|file_sep|>", "<|endoftext|>", "<|cursor|>"];

/** Sweep's hosted API, which builds the prompt from the file. Positions in requests and replies are byte offsets. */
export const sweepApi = formatOf("sweep-api", {
	fields: { use_bytes: true },
	positionOf: (contents, offset) => Buffer.byteLength(contents.slice(0, offset)),
	offsetOf: (contents, position) => {
		const bytes = Buffer.from(contents);
		return isInCharacter(bytes, position) ? undefined : bytes.toString("utf8", 0, position).length;
	},
	lengthOf: (contents) => Buffer.byteLength(contents),
});

/**
 * The server that Sweep publishes for its weights. Positions are UTF-16 offsets in requests and code point offsets in
 * replies.
 */
export const sweepLocal = formatOf("sweep-local", {
	fields: {},
	positionOf: (_contents, offset) => offset,
	offsetOf: (contents, position) => Array.from(contents).slice(0, position).join("").length,
	lengthOf: (contents) => Array.from(contents).length,
});

/** How a server counts positions in the file. */
interface Counting {
	/** Request fields that select this way of counting. */
	readonly fields: Readonly<Record<string, unknown>>;
	/** Returns the position to send for a UTF-16 offset. */
	positionOf(contents: string, offset: number): number;
	/** Returns the UTF-16 offset of a position in a reply, or undefined if the position is inside a character. */
	offsetOf(contents: string, position: number): number | undefined;
	/** Returns the largest valid position in a reply. */
	lengthOf(contents: string): number;
}

function formatOf(name: string, counting: Counting): Format {
	return {
		name,
		specialTokens: SPECIAL_TOKENS,
		write(input) {
			const sent = Window.ofTokens(input.text, input.cursor, FILE_TOKENS);
			const contents = input.text.slice(sent.from, sent.to);
			if (estimateTokens(contents) > FILE_TOKENS) return undefined;
			const cursor = counting.positionOf(contents, input.cursor - sent.from);
			return {
				ask: { kind: "sweep", body: { ...bodyOf(input, sent, contents), ...counting.fields, cursor_position: cursor } },
				shown: sent,
				window: sent,
				read: (output) => read(sent, output, counting),
			};
		},
	};
}

function bodyOf(input: PromptInput, sent: Window, contents: string): Record<string, unknown> {
	const { path, repository } = input;
	const beside = fitting(snippetsBeside(input, sent), SNIPPETS_TOKENS, (snippet) => snippet.text);
	return {
		repo_name: repository,
		file_path: path,
		file_contents: contents,
		original_file_contents: originalOf(input, sent) ?? contents,
		recent_changes: changesOf(input),
		changes_above_cursor: true,
		multiple_suggestions: true,
		file_chunks: beside.filter((snippet) => !input.related.includes(snippet)).map(chunkOf),
		retrieval_chunks: [
			...beside.filter((snippet) => input.related.includes(snippet)).map(chunkOf),
			...diagnosed(input),
		],
		recent_user_actions: [],
		// Asks the server not to store the request.
		privacy_mode_enabled: true,
	};
}

/**
 * Returns the file as it was before the user's first edit. Returns undefined if only part of the file is sent, or if
 * the earlier text must not be sent.
 */
function originalOf(input: PromptInput, sent: Window): string | undefined {
	if (sent.from > 0 || sent.to < input.text.length) return undefined;
	const original = textAtFirst(input).toString();
	const maySend = estimateTokens(original) <= FILE_TOKENS && !holdsSpecialToken(original, SPECIAL_TOKENS);
	return maySend ? original : undefined;
}

/** Prints the newest edits that fit, oldest first. */
function changesOf({ edits }: PromptInput): string {
	const printed = edits.slice(-EDITS_MAX).map((edit) => `File: ${edit.path}:\n${unifiedOf(edit)}`);
	return fitting(printed.toReversed(), EDITS_TOKENS, (change) => change)
		.toReversed()
		.join("");
}

function chunkOf({ path, first, last, text }: CodeSnippet): Record<string, unknown> {
	return { file_path: path, start_line: first, end_line: last + 1, content: text };
}

/** The document's diagnostics, in the form that the vendor's own editor plugin sends. */
function diagnosed({ path, text, diagnostics }: PromptInput): Record<string, unknown>[] {
	const lines = diagnostics.map(({ line, from, severity, message }) => {
		return `${path}:${line + 1}:${from - text.lineStart(line) + 1}: ${severity}: ${message}\n`;
	});
	if (lines.length === 0) return [];
	return [{ file_path: "diagnostics", start_line: 1, end_line: lines.length, content: lines.join("") }];
}

/** A reply is one JSON object, or one object per line. Only a complete reply is read. */
function read(sent: Window, { text, end }: ModelOutput, counting: Counting): ParsedOutput {
	if (end === undefined) return { hunks: [] };
	const lines = text.split("\n").filter((line) => line.trim() !== "");
	const completions = lines.flatMap(completionsIn);
	const edits = completions.map((completion) => completion && editOf(completion, sent, counting));
	if (edits.length === 0 || edits.includes(undefined)) return { nothing: "unreadable-answer" };
	const apart = joined(
		edits.filter((edit) => edit !== undefined),
		sent.text,
	);
	const hunks = apart.flatMap((edit) => hunksOf(edit, sent.text));
	return hunks.length === 0 ? { nothing: "no-edit" } : { hunks };
}

interface Completion {
	readonly start_index: number;
	readonly end_index: number;
	readonly completion: string;
}

/** Returns the completions in a reply, or the reply itself if it has no list. Unreadable completions are undefined. */
function completionsIn(line: string): (Completion | undefined)[] {
	const answer = parsed(line);
	const { completions } = Object(answer) as { completions?: unknown };
	const all = Array.isArray(completions) && completions.length > 0 ? completions : [answer];
	return all.map((one: unknown) => (isCompletion(one) ? one : undefined));
}

function parsed(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		// Invalid JSON is treated as unreadable.
		return undefined;
	}
}

function isCompletion(value: unknown): value is Completion {
	const { start_index, end_index, completion } = Object(value) as Record<string, unknown>;
	return Number.isInteger(start_index) && Number.isInteger(end_index) && typeof completion === "string";
}

/**
 * Converts a completion to an edit of the document. Returns undefined if it is out of range or would split a character.
 */
function editOf(completion: Completion, { text, from, to }: Window, counting: Counting): Edit | undefined {
	const { start_index: start, end_index: end, completion: insert } = completion;
	const contents = text.slice(from, to);
	if (start < 0 || start > end || end > counting.lengthOf(contents)) return undefined;
	const [first, last] = [counting.offsetOf(contents, start), counting.offsetOf(contents, end)];
	if (first === undefined || last === undefined) return undefined;
	const edit = { from: from + first, to: from + last, insert };
	return splitsCharacter(text, edit.from) || splitsCharacter(text, edit.to) ? undefined : edit;
}

/** Whether the byte continues a character. */
function isInCharacter(bytes: Buffer, index: number): boolean {
	return ((bytes[index] ?? 0) & 0xc0) === 0x80;
}

/** Sorts the edits and merges edits on the same line. If edits overlap, the first one wins. */
function joined(edits: readonly Edit[], text: Text): Edit[] {
	const apart: Edit[] = [];
	for (const edit of edits.toSorted((a, b) => a.from - b.from)) {
		const last = apart.at(-1);
		if (last === undefined || text.lineAt(edit.from) > text.lineAt(last.to)) apart.push(edit);
		else if (edit.from >= last.to) {
			const insert = last.insert + text.slice(last.to, edit.from) + edit.insert;
			apart[apart.length - 1] = { from: last.from, to: edit.to, insert };
		}
	}
	return apart;
}

/** Splits an edit into hunks, because an edit may replace a whole block to change a single word. */
function hunksOf({ from, to, insert }: Edit, text: Text): ModelHunk[] {
	const lines = text.lineAt(to) - text.lineAt(from);
	const start = Window.ofLines(text, from, 0, lines);
	const end = Window.ofLines(text, to, lines, 0);
	const given = start.content.slice(0, start.cursorInContent);
	const content = `${given}${insert}${end.content.slice(end.cursorInContent)}`;
	return start.hunksOf({ text: content, end: "stop" }, given);
}
