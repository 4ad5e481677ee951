import { splitsCharacter } from "@segue/text";
import { endTokensOf, outputBefore } from "./end-tokens.js";
import type { EditModelRequest, ModelOutput, ParsedOutput, PromptInput } from "./format.js";
import { withBlanksOf } from "./indentation.js";
import { estimateTokens } from "./token-budget.js";
import { lineEndingOf, Window } from "./window.js";

/** The place of the cursor, where a model is asked to fill in what is missing. */
export class CursorInsertion {
	/** What the longest answer needs: as many lines as are read before they are accepted. */
	static readonly tokensMax = 256;

	/** What of the document the model sees, about so many tokens. Undefined where not even the cursor's line fits. */
	static of(input: PromptInput, tokens: number): CursorInsertion | undefined {
		const { text, cursor } = input;
		const shown = Window.ofTokens(text, cursor, tokens);
		const isTooLong = estimateTokens(shown.content) > tokens;
		return isTooLong || splitsCharacter(text, cursor) ? undefined : new CursorInsertion(shown, input);
	}

	/** What stands before the cursor and behind it. */
	readonly prefix: string;
	readonly suffix: string;
	/** Something is written behind the cursor in its line, so only what belongs before that can be missing. */
	readonly isInLine: boolean;
	readonly tokensMax: number;
	/** A completion that ends with its line needs no more than that. */
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

	/** How what a model says is read, if it may end with one of some tokens besides those of all models. */
	request(ask: EditModelRequest["ask"], ends: readonly string[]): EditModelRequest {
		const { text, cursor } = this.shown;
		const line = text.lineAt(cursor);
		return {
			ask,
			shown: { from: this.shown.from, to: this.shown.to },
			window: { from: text.lineStart(line), to: text.lineEnd(line) },
			read: (said) => this.read(said, ends),
		};
	}

	private read(said: ModelOutput, ends: readonly string[]): ParsedOutput {
		const tokens = [...ends, ...endTokensOf(said, this.input)];
		const { text, end } = outputBefore(said, this.isInLine ? [...tokens, "\n", "\r"] : tokens);
		// All of it is one insertion, and its end decides how much of it is a repetition of what follows.
		if (end === undefined) return { hunks: [] };
		const lines = text.split(/\r\n|\r|\n/);
		// What was cut off in its second line or later is good up to there: a block may well be longer than what was asked for.
		const isCut = end === "length" && lines.length === 1;
		if (end === "length" && !isCut) lines.pop();
		const missing = this.missingOf(this.indented(lines));
		if (missing.trim() === "") return { nothing: "no-edit" };
		const at = this.at;
		return {
			hunks: [
				{ edits: [{ from: at, to: at, insert: missing.replaceAll("\n", lineEndingOf(this.shown.text)) }], isCut },
			],
			// A server that does not know the stops goes on after them.
			...(said.end === undefined && { isEnough: true }),
		};
	}

	private get at(): number {
		const { text, cursor } = this.shown;
		// A cursor between the two characters of a line end is at the end of the line.
		return Math.min(cursor, text.lineEnd(text.lineAt(cursor)));
	}

	/** Some lines, indented as those around the cursor are. The first goes on with what was typed. */
	private indented(lines: readonly string[]): string[] {
		const [first = "", ...others] = lines;
		return [first, ...withBlanksOf([], this.shown.indent, others)];
	}

	/** What of some lines is not there yet. */
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

// As long as the rest of a line is.
const LINE_TOKENS = 96;

/** A completion without the rest of the line that it repeats. */
function withoutRest(said: string, rest: string): string {
	const repeated = rest.trimEnd();
	if (!said.trimEnd().endsWith(repeated)) return said;
	const before = said.slice(0, said.trimEnd().length - repeated.length);
	// A bracket at the end may close one of the completion's own.
	return /\w{2}/.test(repeated) || closesMore(said) ? before : said;
}

/** Whether more brackets are closed in a text than opened. */
function closesMore(text: string): boolean {
	return text.replace(/[^)\]}]/g, "").length > text.replace(/[^([{]/g, "").length;
}

/** From which line on some lines only repeat those below the cursor. */
function repetitionIn(lines: readonly string[], below: readonly string[]): number {
	const ahead = below.filter((line) => line.trim() !== "").map((line) => line.trim());
	for (let at = 0; at < lines.length; at++) {
		const tail = lines
			.slice(at)
			.filter((line) => line.trim() !== "")
			.map((line) => line.trim());
		// A lone bracket may well be the next after another.
		const isTelling = tail.length > 1 || /\w{2}/.test(tail[0] ?? "");
		if (isTelling && tail.every((line, i) => line === ahead[i])) return at;
	}
	return lines.length;
}
