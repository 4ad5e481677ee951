import { splitsCharacter } from "@segue/text";
import { endTokensOf, outputBefore } from "./end-tokens.js";
import type { EditModelRequest, ModelOutput, ParsedOutput, PromptInput } from "./format.js";
import { withBlanksOf } from "./indentation.js";
import { estimateTokens } from "./token-budget.js";
import { lineEndingOf, Window } from "./window.js";

/** Fills in text at the cursor. */
export class CursorInsertion {
	/** Maximum length of a reply. Users don't review longer insertions. */
	static readonly tokensMax = 256;

	/**
	 * Creates an insertion that shows about this many tokens of the document. Returns undefined if not even the
	 * cursor's line fits.
	 */
	static of(input: PromptInput, tokens: number): CursorInsertion | undefined {
		const { text, cursor } = input;
		const shown = Window.ofTokens(text, cursor, tokens);
		const isTooLong = estimateTokens(shown.content) > tokens;
		return isTooLong || splitsCharacter(text, cursor) ? undefined : new CursorInsertion(shown, input);
	}

	/** The text before and after the cursor. */
	readonly prefix: string;
	readonly suffix: string;
	/** Whether there is text after the cursor on its line. If so, only the missing part of the line is filled in. */
	readonly isInLine: boolean;
	readonly tokensMax: number;
	/** The stop sequences: a line break if only the rest of the line is missing. */
	readonly stop: readonly string[];

	private constructor(
		readonly shown: Window,
		private readonly input: PromptInput,
	) {
		const { content, cursorInContent } = shown;
		this.prefix = content.slice(0, cursorInContent);
		this.suffix = content.slice(cursorInContent);
		this.isInLine = (this.suffix.split("\n")[0] ?? "").trim() !== "";
		this.tokensMax = this.isInLine ? LINE_TOKENS : CursorInsertion.tokensMax;
		this.stop = this.isInLine ? ["\n"] : [];
	}

	/** Creates the request. `ends` are the model's end tokens, in addition to the common ones. */
	request(ask: EditModelRequest["ask"], ends: readonly string[]): EditModelRequest {
		const { text, cursor } = this.shown;
		const line = text.lineAt(cursor);
		return {
			ask,
			shown: { from: this.shown.from, to: this.shown.to },
			window: { from: text.lineStart(line), to: text.lineEnd(line) },
			read: (output) => this.read(output, ends),
		};
	}

	private read(output: ModelOutput, ends: readonly string[]): ParsedOutput {
		const tokens = [...ends, ...endTokensOf(output, this.input)];
		const { text, end } = outputBefore(output, this.isInLine ? [...tokens, "\n", "\r"] : tokens);
		// The output is a single insertion. How much of it repeats the following text is only known at its end.
		if (end === undefined) return { hunks: [] };
		const lines = text.split(/\r\n|\r|\n/);
		// Keep the complete lines of a truncated reply, because a block may be longer than the limit.
		const isCut = end === "length" && lines.length === 1;
		if (end === "length" && !isCut) lines.pop();
		const missing = this.missingOf(this.indented(lines));
		if (missing.trim() === "") return { nothing: "no-edit" };
		const at = this.at;
		return {
			hunks: [
				{ edits: [{ from: at, to: at, insert: missing.replaceAll("\n", lineEndingOf(this.shown.text)) }], isCut },
			],
			// Servers that do not support stop sequences continue after them.
			...(output.end === undefined && { isEnough: true }),
		};
	}

	private get at(): number {
		const { text, cursor } = this.shown;
		// Treat a cursor inside CR LF as the end of the line.
		return Math.min(cursor, text.lineEnd(text.lineAt(cursor)));
	}

	/** Adapts the indentation to the lines around the cursor. The first line continues the typed text. */
	private indented(lines: readonly string[]): string[] {
		const [first = "", ...others] = lines;
		return [first, ...withBlanksOf([], this.shown.indent, others)];
	}

	/** Returns the part of the lines that is not already in the document. */
	private missingOf(lines: readonly string[]): string {
		const [rest = "", ...below] = this.suffix.split("\n");
		if (this.isInLine) return withoutRest(lines[0] ?? "", rest);
		const typed = this.prefix.slice(this.prefix.lastIndexOf("\n") + 1);
		const [first = "", ...others] = lines;
		return lines
			.slice(0, repetitionIn([typed + first, ...others], below))
			.join("\n")
			.trimEnd();
	}
}

// Enough for the rest of a line.
const LINE_TOKENS = 96;

/** If the end of a completion repeats the rest of the line, removes the repetition. */
function withoutRest(completion: string, rest: string): string {
	const repeated = rest.trimEnd();
	if (!completion.trimEnd().endsWith(repeated)) return completion;
	const before = completion.slice(0, completion.trimEnd().length - repeated.length);
	// A bracket at the end may close a bracket that the completion opened.
	return /\w{2}/.test(repeated) || closesMore(completion) ? before : completion;
}

/** Whether the text closes more brackets than it opens. */
function closesMore(text: string): boolean {
	return text.replace(/[^)\]}]/g, "").length > text.replace(/[^([{]/g, "").length;
}

/** Returns the index from which the lines only repeat those below the cursor. */
function repetitionIn(lines: readonly string[], below: readonly string[]): number {
	const ahead = below.filter((line) => line.trim() !== "").map((line) => line.trim());
	for (let at = 0; at < lines.length; at++) {
		const tail = lines
			.slice(at)
			.filter((line) => line.trim() !== "")
			.map((line) => line.trim());
		// A single bracket may be new rather than repeated.
		const isSignificant = tail.length > 1 || /\w{2}/.test(tail[0] ?? "");
		if (isSignificant && tail.every((line, i) => line === ahead[i])) return at;
	}
	return lines.length;
}
