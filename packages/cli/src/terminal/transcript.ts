import path from "node:path";
import type {
	Approval,
	ApprovalRequest,
	Body,
	EndReason,
	FileDiff,
	Permission,
	PlanStep,
	PromptPart,
	ToolCall,
	Update,
} from "@segue/assist";
import { printUnified, sanitize, sanitizeLine, showInvisible } from "@segue/text";
import type { Paint } from "./colour.js";
import { MESSAGE_MARK } from "./message.js";
import { columnsOf, hang, type Output, wrap } from "./width.js";

// Only the end of a command's output is shown, because it contains the result. The model sees more of it.
const OUTPUT_LINES_MAX = 8;
// A question shows at most this much of a command or an input, so that it fits on the screen. The user can press a key
// to see the rest.
const ASKED_CHARACTERS_MAX = 1000;
const ASKED_LINES_MAX = 20;
// Other agents may use a whole command as the title of a call.
const TITLE_CHARACTERS_MAX = 200;

const INDENT = "  ";

/**
 * Formats a conversation for a terminal. Each update only appends text, so that the output is the same in a terminal,
 * in a file and when a stored thread is shown again.
 */
export class Transcript {
	/** A short description of what the conversation is waiting for. */
	waitingFor = "Waiting for the model";
	/** The last thing printed. Blocks are separated by an empty line; consecutive calls are not. */
	private last: "nothing" | "call" | "block" = "nothing";
	private isInLine = false;
	/** Newlines at the end of the text, held back until more text follows. */
	private newlines = 0;
	private streamed: { readonly number: number; readonly type: "text" | "thought" } | undefined;
	/** Calls whose diffs were already shown by a question. */
	private readonly shown = new Set<string>();
	private tokens: Tokens = NO_TOKENS;

	constructor(
		private readonly workspace: string,
		private readonly paint: Paint,
		/** Notices are wrapped at its width if it is a terminal. */
		private readonly output: Pick<Output, "columns"> = {},
	) {}

	/** Returns the text to append for an update. */
	add(update: Update): string {
		if (update.type === "entry") return this.entry(update.entry.body, update.entry.number);
		if (update.type === "call") return this.call(update.call);
		return update.type === "more" && this.isOpen(update.number) ? this.stream(update.text) : "";
	}

	/** The text of a permission question, without the keys. */
	question({ call, permission }: ApprovalRequest): string {
		const { paint } = this;
		const title = sanitizeLine(call.title);
		const cut = title.length > TITLE_CHARACTERS_MAX ? `${title.slice(0, TITLE_CHARACTERS_MAX)}…` : title;
		const lines = [paint.yellow(`? ${paint.bold(cut)}`)];
		if (call.diffs.length > 0) lines.push(...this.diffs(call, DIFF_LINES_MAX));
		else {
			const details = detailsOf(call, permission, this.workspace);
			if (details !== undefined) lines.push(...indent(`${promptOf(permission)}${headAndTail(details)}`));
			if (details !== undefined && isLong(details)) {
				lines.push(`  (${details.length.toLocaleString("en")} characters. Press d to see all of it.)`);
			}
		}
		this.shown.add(call.id);
		return this.above(lines);
	}

	/** Whether `whole` would show more than the question did. */
	hasMore({ call, permission }: ApprovalRequest): boolean {
		return call.diffs.length > 0 || isLong(detailsOf(call, permission, this.workspace) ?? "");
	}

	/** The complete diffs, command or input of a question. */
	whole({ call, permission }: ApprovalRequest): string {
		if (call.diffs.length > 0) return this.above(this.diffs(call, Number.POSITIVE_INFINITY));
		return this.above(indent(`${promptOf(permission)}${detailsOf(call, permission, this.workspace) ?? ""}`));
	}

	/** A message for the user that is not part of the thread. */
	notice(level: "info" | "warning" | "error", text: string): string {
		const { yellow, red } = this.paint;
		if (level === "info") return this.block(this.wrapped(text));
		return this.block((level === "warning" ? yellow : red)(this.wrapped(text, MESSAGE_MARK)));
	}

	/** Wraps each line at the terminal's width, and indents the others. */
	wrapped(text: string, mark = ""): string {
		const columns = columnsOf(this.output);
		const lines = sanitize(text.trimEnd()).split("\n");
		return lines
			.flatMap((line, i) => {
				if (mark !== "") return hang(i === 0 ? mark : INDENT, line, columns);
				return wrap(line, columns - INDENT.length).map((one, j) => (j === 0 ? one : INDENT + one));
			})
			.join("\n");
	}

	/** Text that is separated from the previous text by an empty line. */
	block(text: string): string {
		return `${this.begin("block")}${text}\n`;
	}

	/** Whether this entry is being streamed. */
	isOpen(number: number): boolean {
		return this.streamed?.number === number;
	}

	/** Ends the current line, if any. Its entry can continue on a new line. */
	breakLine(): string {
		const end = this.isInLine ? "\n" : "";
		this.isInLine = false;
		this.newlines = 0;
		return end;
	}

	/** Ends the current entry, if any. */
	endLine(): string {
		this.streamed = undefined;
		return this.breakLine();
	}

	private entry(body: Body, number: number): string {
		const { paint } = this;
		switch (body.type) {
			case "prompt":
				return this.block(paint.cyan(printPrompt(body.parts)));
			case "text":
			case "thought": {
				const end = this.endLine();
				this.streamed = { number, type: body.type };
				return end + this.stream(body.text);
			}
			case "image":
				return this.block(sanitizeLine(`[image: ${body.mediaType}]`));
			case "link":
				return this.block(sanitizeLine(`${body.name}: ${body.uri}`));
			case "call":
				return this.call(body.call);
			case "plan":
				return this.block(body.steps.map((step) => printStep(step, paint)).join("\n"));
			case "approval":
				return this.approval(body.approval);
			case "usage":
				this.tokens = add(this.tokens, body.usage);
				return "";
			case "notice":
				return this.notice(body.level, body.text);
			// Calls or notices already report these. Their content is for the model.
			case "agent":
			case "file":
			case "summary":
				return "";
			case "end":
				return this.end(body.reason);
		}
	}

	/** Returns a chunk of the model's text. Thoughts are marked with a line in the margin, which needs no colours. */
	private stream(chunk: string): string {
		const { paint, streamed } = this;
		const shown = "\n".repeat(this.newlines) + sanitize(chunk);
		const text = this.isInLine ? shown : shown.replace(/^\n+/, "");
		const body = text.replace(/\n+$/, "");
		this.newlines = text.length - body.length;
		if (body === "") return "";
		const isBegun = this.isInLine;
		const begun = isBegun ? "" : this.separate("block");
		this.isInLine = true;
		this.waitingFor = streamed?.type === "thought" ? "Thinking" : "Writing";
		if (streamed?.type !== "thought") return begun + body;
		const lines = body.split("\n").map((line, i) => paint.dim(i === 0 && isBegun ? line : `│ ${line}`));
		return begun + lines.join("\n");
	}

	private call(call: ToolCall): string {
		const { paint } = this;
		const title = sanitizeLine(call.title);
		if (call.status === "pending" || call.status === "running") {
			const lastLine = sanitizeLine(call.output.trimEnd().split("\n").at(-1) ?? "");
			this.waitingFor = lastLine === "" ? title : `${title}: ${lastLine}`;
			return "";
		}
		this.waitingFor = "Waiting for the model";
		const hasFailed = call.status === "failed";
		const lines = [hasFailed ? `${paint.red("✗")} ${title}` : `${paint.green("✓")} ${title}`];
		if (hasFailed || call.kind === "execute") lines.push(...printOutput(call.output).map((line) => paint.dim(line)));
		else if (!this.shown.has(call.id)) lines.push(...this.diffs(call, DIFF_LINES_MAX));
		const begun = this.begin("call");
		return `${begun}${lines.join("\n")}\n`;
	}

	/** Returns nothing for the user's own answer, which is already shown beside the question. */
	private approval({ by, answer, permission }: Approval): string {
		if (by === "person") return "";
		const what = `${permission.kind} ${sanitizeLine(permission.subject)}`;
		const outcome = answer === "no" ? "Denied" : "Allowed";
		const begun = this.begin("call");
		return `${begun}${this.paint.dim(`  ${outcome} ${by === "rule" ? "by a rule" : "without an answer"}: ${what}`)}\n`;
	}

	private end(reason: EndReason): string {
		const { tokens, paint } = this;
		this.tokens = NO_TOKENS;
		const usage = printTokens(tokens);
		// A normal end needs no message, and a notice reports any other.
		const lines = reason === "cancelled" ? [paint.yellow("Cancelled. The partial answer is kept.")] : [];
		if (usage !== "") lines.push(paint.dim(usage));
		return lines.length === 0 ? this.endLine() : this.block(lines.join("\n"));
	}

	/** Returns a block without an empty line between it and the next call. */
	private above(lines: readonly string[]): string {
		const block = this.block(lines.join("\n"));
		this.last = "call";
		return block;
	}

	private diffs(call: ToolCall, linesMax: number): string[] {
		const { workspace, paint } = this;
		return printDiffs(call.diffs, { workspace, paint, linesMax }).map((line) => `  ${line}`);
	}

	private begin(kind: "call" | "block"): string {
		return this.endLine() + this.separate(kind);
	}

	private separate(kind: "call" | "block"): string {
		const isSeparated = this.last !== "nothing" && !(this.last === "call" && kind === "call");
		this.last = kind;
		return isSeparated ? "\n" : "";
	}
}

function printPrompt(parts: readonly PromptPart[]): string {
	const shown = parts.map((part) => {
		if (part.type === "text") return sanitize(part.text.trimEnd());
		if (part.type === "image") return `[image: ${sanitizeLine(part.mediaType)}]`;
		return `[${part.type === "file" ? sanitizeLine(part.path) : sanitizeLine(part.label)}]`;
	});
	return shown
		.join("\n")
		.split("\n")
		.map((line) => `> ${line}`)
		.join("\n");
}

function printStep({ text, status }: PlanStep, paint: Paint): string {
	const shown = sanitizeLine(text);
	if (status === "done") return paint.dim(`  ☑ ${shown}`);
	return status === "running" ? paint.bold(`  ▸ ${shown}`) : `  ☐ ${shown}`;
}

function printOutput(output: string): string[] {
	const lines = output.trim() === "" ? [] : indent(output.trimEnd());
	const left = lines.length - OUTPUT_LINES_MAX;
	return left <= 0 ? lines : [`  … ${left} earlier lines`, ...lines.slice(-OUTPUT_LINES_MAX)];
}

/**
 * The text below a question's title: a command that is not in the title, an MCP tool's input, or the files of an edit
 * without a diff and the agent's text about it.
 */
function detailsOf(call: ToolCall, { kind, subject }: Permission, workspace: string): string | undefined {
	if (kind === "edit" || kind === "delete") {
		// One answer covers the whole call, so show all of its files.
		const names = new Set([subject, ...call.locations.map((each) => nameIn(workspace, each.path))]);
		const unseen = [...names].filter((name) => !isTitle(call.title, name));
		const lines = [...unseen.map((name) => sanitizeLine(showInvisible(name))), showInvisible(call.output)];
		const shown = lines.filter((line) => line !== "").join("\n");
		return shown === "" ? undefined : shown;
	}
	if (kind === "command") return isTitle(call.title, subject) ? undefined : subject;
	return kind === "mcp" ? showInvisible(call.input) : undefined;
}

/**
 * Whether the title is exactly the command or file. A title is cut to one line, and can contain the subject by
 * coincidence.
 */
function isTitle(title: string, subject: string): boolean {
	const isWhole = title.length <= TITLE_CHARACTERS_MAX && !/[\r\n]/.test(title);
	return (
		isWhole && (title === subject || ["Run", "Edit", "Write", "Delete"].some((verb) => title === `${verb} ${subject}`))
	);
}

/** A path relative to the workspace, or absolute if it is outside. */
function nameIn(workspace: string, file: string): string {
	const name = path.relative(workspace, file);
	const isInside = name !== "" && name.split(path.sep)[0] !== ".." && !path.isAbsolute(name);
	return isInside ? name.replaceAll(path.sep, "/") : file;
}

function promptOf({ kind }: Permission): string {
	return kind === "command" ? "$ " : "";
}

function isLong(text: string): boolean {
	return text.length > ASKED_CHARACTERS_MAX || text.split("\n").length > ASKED_LINES_MAX;
}

/**
 * The start and end of text that is too long for a question, with a line between them that says how much is omitted.
 */
function headAndTail(text: string): string {
	const lines = text.split("\n");
	const moreLines = lines.length - ASKED_LINES_MAX;
	const half = ASKED_LINES_MAX / 2;
	const shown =
		moreLines <= 0 ? text : [...lines.slice(0, half), `… ${moreLines} more lines …`, ...lines.slice(-half)].join("\n");
	const more = shown.length - ASKED_CHARACTERS_MAX;
	const part = ASKED_CHARACTERS_MAX / 2;
	return more <= 0 ? shown : `${shown.slice(0, part)}\n… ${more} more characters …\n${shown.slice(-part)}`;
}

function indent(text: string): string[] {
	return sanitize(text)
		.split("\n")
		.map((line) => `  ${line}`);
}

interface Tokens {
	readonly input: number;
	readonly output: number;
	readonly costUsd: number | undefined;
}

const NO_TOKENS: Tokens = { input: 0, output: 0, costUsd: undefined };

function add(sum: Tokens, usage: { inputTokens: number; outputTokens: number; costUsd: number | undefined }): Tokens {
	return {
		input: sum.input + usage.inputTokens,
		output: sum.output + usage.outputTokens,
		costUsd: usage.costUsd === undefined ? sum.costUsd : (sum.costUsd ?? 0) + usage.costUsd,
	};
}

function printTokens({ input, output, costUsd }: Tokens): string {
	if (input === 0 && output === 0) return "";
	const count = (tokens: number) => tokens.toLocaleString("en");
	const cost = costUsd === undefined ? "" : `, $${costUsd.toFixed(4)}`;
	return `${count(input)} tokens in, ${count(output)} out${cost}`;
}

/** Number of diff lines shown by default: about two screens. Users don't read more. */
const DIFF_LINES_MAX = 60;

/** The lines of all diffs, at most `linesMax` in total. */
function printDiffs(
	diffs: readonly FileDiff[],
	{ workspace, paint, linesMax }: { workspace: string; paint: Paint; linesMax: number },
): string[] {
	const lines = diffs.flatMap((diff) => linesOf(diff, workspace));
	const shown = lines.slice(0, linesMax).map((line) => colour(line, paint));
	if (lines.length > linesMax) shown.push(paint.dim(`… ${lines.length - linesMax} more lines`));
	return shown;
}

function linesOf({ path: file, before, after }: FileDiff, workspace: string): string[] {
	const name = sanitizeLine(path.relative(workspace, file) || file);
	const old = before === undefined ? "/dev/null" : `a/${name}`;
	const now = after === undefined ? "/dev/null" : `b/${name}`;
	const printed = printUnified(before ?? "", after ?? "", old, now);
	// A new or deleted empty file has no changed lines.
	if (printed === "") return [`--- ${old}`, `+++ ${now}`];
	return printed.trimEnd().split("\n").map(sanitize);
}

function colour(line: string, paint: Paint): string {
	if (line.startsWith("--- ") || line.startsWith("+++ ")) return paint.bold(line);
	if (line.startsWith("+")) return paint.green(line);
	if (line.startsWith("-")) return paint.red(line);
	return line.startsWith("@@") || line.startsWith("\\") ? paint.dim(line) : line;
}
