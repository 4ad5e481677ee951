import { type Hunk, holdsSpecialToken } from "@segue/predict";
import { type Edit, splitsCharacter, type Text } from "@segue/text";
import type { Brief, Snippet } from "../brief.js";
import type { Format, Reading, Said } from "../format.js";
import { textAtFirst, unifiedOf } from "../past-edits.js";
import { snippetsBeside } from "../snippets.js";
import { estimateTokens, fitting } from "../tokens.js";
import { Window } from "../window.js";

// The server makes a prompt of about 8,000 tokens of what it is sent. More of a file than this is not looked at, and a
// request has to be on its way at every key.
const FILE_TOKENS = 16_384;
const EDITS_TOKENS = 4096;
const EDITS_MAX = 6;
const SNIPPETS_TOKENS = 4096;

// They are those of the server's prompt.
const SPECIAL_TOKENS = ["<|file_sep|>", "<|endoftext|>", "<|cursor|>"];

/** Sweep's own API, hosted or on this machine: the server is sent the file and makes the prompt itself. */
export const sweepApi: Format = {
	name: "sweep-api",
	specialTokens: SPECIAL_TOKENS,
	write(brief) {
		const sent = Window.ofTokens(brief.text, brief.cursor, FILE_TOKENS);
		const contents = brief.text.slice(sent.from, sent.to);
		if (estimateTokens(contents) > FILE_TOKENS) return undefined;
		return {
			ask: { kind: "sweep", body: bodyOf(brief, sent, contents) },
			shown: sent,
			window: sent,
			read: (said) => read(sent, said),
		};
	},
};

function bodyOf(brief: Brief, sent: Window, contents: string): Record<string, unknown> {
	const { text, cursor, path, repository } = brief;
	const beside = fitting(snippetsBeside(brief, sent), SNIPPETS_TOKENS, (snippet) => snippet.text);
	return {
		repo_name: repository ?? "untitled",
		file_path: path,
		file_contents: contents,
		original_file_contents: originalOf(brief, sent) ?? contents,
		// Positions count bytes of UTF-8, there and in the answer.
		use_bytes: true,
		cursor_position: Buffer.byteLength(text.slice(sent.from, cursor)),
		recent_changes: changesOf(brief),
		changes_above_cursor: true,
		multiple_suggestions: true,
		file_chunks: beside.filter((snippet) => !brief.related.includes(snippet)).map(chunkOf),
		retrieval_chunks: [
			...beside.filter((snippet) => brief.related.includes(snippet)).map(chunkOf),
			...diagnosed(brief),
		],
		recent_user_actions: [],
		// The server may not keep what it is sent.
		privacy_mode_enabled: true,
	};
}

/** What was in the file before the user began, where all of the file is sent and that may be too. */
function originalOf(brief: Brief, sent: Window): string | undefined {
	if (sent.from > 0 || sent.to < brief.text.length) return undefined;
	const original = textAtFirst(brief).toString();
	const isTold = estimateTokens(original) <= FILE_TOKENS && !holdsSpecialToken(original, SPECIAL_TOKENS);
	return isTold ? original : undefined;
}

/** The newest that fit, the oldest of them first. */
function changesOf({ edits }: Brief): string {
	const printed = edits.slice(-EDITS_MAX).map((edit) => `File: ${edit.path}:\n${unifiedOf(edit)}`);
	return fitting(printed.toReversed(), EDITS_TOKENS, (change) => change)
		.toReversed()
		.join("");
}

function chunkOf({ path, first, last, text }: Snippet): Record<string, unknown> {
	return { file_path: path, start_line: first, end_line: last + 1, content: text };
}

/** The problems of the document, as the vendor's own editor sends them. */
function diagnosed({ path, text, diagnostics }: Brief): Record<string, unknown>[] {
	const lines = diagnostics.map(({ line, from, severity, message }) => {
		return `${path}:${line + 1}:${from - text.lineStart(line) + 1}: ${severity}: ${message}\n`;
	});
	if (lines.length === 0) return [];
	return [{ file_path: "diagnostics", start_line: 1, end_line: lines.length, content: lines.join("") }];
}

/** An answer is a JSON object, or one on each line. Nothing of it is settled before it is whole. */
function read(sent: Window, { text, end }: Said): Reading {
	if (end === undefined) return { hunks: [] };
	const lines = text.split("\n").filter((line) => line.trim() !== "");
	const completions = lines.flatMap(completionsIn);
	const edits = completions.map((completion) => completion && editOf(completion, sent));
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

/** What is in an answer itself is the first of its completions, or all there is. Undefined for what is none. */
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
		// It is no completion then.
		return undefined;
	}
}

function isCompletion(value: unknown): value is Completion {
	const { start_index, end_index, completion } = Object(value) as Record<string, unknown>;
	return Number.isInteger(start_index) && Number.isInteger(end_index) && typeof completion === "string";
}

/** A completion as an edit of the document; undefined where it is not in what was sent or would split a character. */
function editOf(completion: Completion, { text, from, to }: Window): Edit | undefined {
	const bytes = Buffer.from(text.slice(from, to));
	const offsetOf = (index: number) => from + bytes.toString("utf8", 0, index).length;
	const { start_index: start, end_index: end, completion: insert } = completion;
	const isIn = 0 <= start && start <= end && end <= bytes.length;
	const isWhole = [start, end].every(
		(index) => !isInCharacter(bytes, index) && !splitsCharacter(text, offsetOf(index)),
	);
	return isIn && isWhole ? { from: offsetOf(start), to: offsetOf(end), insert } : undefined;
}

/** Whether a byte goes on with a character that began before it. */
function isInCharacter(bytes: Buffer, index: number): boolean {
	return ((bytes[index] ?? 0) & 0xc0) === 0x80;
}

/** The edits in order, those of one line as one. Of those that overlap, the first counts. */
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

/** An edit may be a whole block of which a word is new. */
function hunksOf({ from, to, insert }: Edit, text: Text): Hunk[] {
	const lines = text.lineAt(to) - text.lineAt(from);
	const start = Window.ofLines(text, from, 0, lines);
	const end = Window.ofLines(text, to, lines, 0);
	const given = start.content.slice(0, start.cursorInContent);
	const content = `${given}${insert}${end.content.slice(end.cursorInContent)}`;
	return start.hunksOf({ text: content, end: "stop" }, given);
}
