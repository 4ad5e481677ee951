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

// What a command said at its end is what it was run for; more can be asked of the model, and is in the thread.
const OUTPUT_LINES_MAX = 8;
// A question shows no more of a command or an input than this, so that all of it is on the screen; a key shows the rest.
const ASKED_CHARACTERS_MAX = 1000;
const ASKED_LINES_MAX = 20;
// Other agents may put a whole command into the title of a call.
const TITLE_CHARACTERS_MAX = 200;

/**
 * A conversation as a terminal shows it. Each update adds to what is already there, and nothing that was printed is changed,
 * so that it reads the same in a terminal, in a file and when it is told again.
 */
export class Transcript {
	/** What the conversation is waiting for, in a few words. */
	waitingFor = "Waiting for the model";
	/** What stands last: blocks are parted by an empty line, and calls that follow each other are not. */
	private last: "nothing" | "call" | "block" = "nothing";
	private isInLine = false;
	/** Newlines at the end of a text are printed once something follows them in it. */
	private newlines = 0;
	private streamed: { readonly number: number; readonly type: "text" | "thought" } | undefined;
	/** The calls whose diffs stand there, because a question showed them. */
	private readonly shown = new Set<string>();
	private tokens: Tokens = NO_TOKENS;

	constructor(
		private readonly workspace: string,
		private readonly paint: Paint,
	) {}

	/** What an update adds. */
	add(update: Update): string {
		if (update.type === "entry") return this.entry(update.entry.body, update.entry.number);
		if (update.type === "call") return this.call(update.call);
		return update.type === "more" && this.isOpen(update.number) ? this.stream(update.text) : "";
	}

	/** What a person has to see before they allow something, but for the keys. */
	question({ call, permission }: ApprovalRequest): string {
		const { paint } = this;
		const title = sanitizeLine(call.title);
		const cut = title.length > TITLE_CHARACTERS_MAX ? `${title.slice(0, TITLE_CHARACTERS_MAX)}…` : title;
		const lines = [paint.yellow(`? ${paint.bold(cut)}`)];
		if (call.diffs.length > 0) lines.push(...this.diffs(call, DIFF_LINES_MAX));
		else {
			const asked = askedText(call, permission, this.workspace);
			if (asked !== undefined) lines.push(...indent(`${promptOf(permission)}${headAndTail(asked)}`));
			if (asked !== undefined && isLong(asked)) {
				lines.push(`  (${asked.length.toLocaleString("en")} characters. Press d to see all of it.)`);
			}
		}
		this.shown.add(call.id);
		return this.above(lines);
	}

	/** Whether there may be more to see than the question showed. */
	hasMore({ call, permission }: ApprovalRequest): boolean {
		return call.diffs.length > 0 || isLong(askedText(call, permission, this.workspace) ?? "");
	}

	/** Everything that the question is about. */
	whole({ call, permission }: ApprovalRequest): string {
		if (call.diffs.length > 0) return this.above(this.diffs(call, Number.POSITIVE_INFINITY));
		return this.above(indent(`${promptOf(permission)}${askedText(call, permission, this.workspace) ?? ""}`));
	}

	/** Something that is no part of the thread. */
	notice(level: "info" | "warning" | "error", text: string): string {
		const shown = sanitize(text.trimEnd());
		if (level === "info") return this.block(shown);
		return this.block(level === "warning" ? this.paint.yellow(`! ${shown}`) : this.paint.red(`✗ ${shown}`));
	}

	/** A text of our own, parted from what stands before it. */
	block(text: string): string {
		return `${this.begin("block")}${text}\n`;
	}

	/** Whether this entry is the one that is being written. */
	isOpen(number: number): boolean {
		return this.streamed?.number === number;
	}

	/** Ends the line that is being written, if one is; what it belongs to may go on in another. */
	breakLine(): string {
		const end = this.isInLine ? "\n" : "";
		this.isInLine = false;
		this.newlines = 0;
		return end;
	}

	/** Ends what is being written, if anything is. */
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
			// A call and a notice tell of these, and what is in them is for the model.
			case "agent":
			case "file":
			case "summary":
				return "";
			case "end":
				return this.end(body.reason);
		}
	}

	/** A piece of what the model writes. What it thinks has a rule beside it, so that it is told apart without colours too. */
	private stream(piece: string): string {
		const { paint, streamed } = this;
		const shown = "\n".repeat(this.newlines) + sanitize(piece);
		const text = this.isInLine ? shown : shown.replace(/^\n+/, "");
		const body = text.replace(/\n+$/, "");
		this.newlines = text.length - body.length;
		if (body === "") return "";
		const isBegun = this.isInLine;
		const begun = isBegun ? "" : this.part("block");
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
			const said = sanitizeLine(call.output.trimEnd().split("\n").at(-1) ?? "");
			this.waitingFor = said === "" ? title : `${title}: ${said}`;
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

	/** A person's own answer stands there already, beside the question. */
	private approval({ by, answer, permission }: Approval): string {
		if (by === "person") return "";
		const what = `${permission.kind} ${sanitizeLine(permission.subject)}`;
		const outcome = answer === "no" ? "Not allowed" : "Allowed";
		const begun = this.begin("call");
		return `${begun}${this.paint.dim(`  ${outcome} ${by === "rule" ? "by a rule" : "as nobody answered"}: ${what}`)}\n`;
	}

	private end(reason: EndReason): string {
		const { tokens, paint } = this;
		this.tokens = NO_TOKENS;
		const usage = printTokens(tokens);
		// Every other end is told by a notice, or plain from what was said.
		const lines = reason === "cancelled" ? [paint.yellow("Cancelled. What was said so far is kept.")] : [];
		if (usage !== "") lines.push(paint.dim(usage));
		return lines.length === 0 ? this.endLine() : this.block(lines.join("\n"));
	}

	/** A block, with what comes of it right below. */
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
		return this.endLine() + this.part(kind);
	}

	private part(kind: "call" | "block"): string {
		const isParted = this.last !== "nothing" && !(this.last === "call" && kind === "call");
		this.last = kind;
		return isParted ? "\n" : "";
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
	return left <= 0 ? lines : [`  … ${left} lines before`, ...lines.slice(-OUTPUT_LINES_MAX)];
}

/**
 * The text that a question shows below its title: a command that is not in the title, the input of an MCP tool, or the files of
 * an edit without a diff, with what the agent says of it.
 */
function askedText(call: ToolCall, { kind, subject }: Permission, workspace: string): string | undefined {
	if (kind === "edit" || kind === "delete") {
		// One answer is for the whole call, so all of its files are shown.
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
 * Whether the title alone shows the whole command or file: a title is cut, has one line, and may contain the subject by
 * accident.
 */
function isTitle(title: string, subject: string): boolean {
	const isWhole = title.length <= TITLE_CHARACTERS_MAX && !/[\r\n]/.test(title);
	return (
		isWhole && (title === subject || ["Run", "Edit", "Write", "Delete"].some((verb) => title === `${verb} ${subject}`))
	);
}

/** A path from the top of the workspace; absolute where it lies outside. */
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

/** The start and the end of a text that is too long for a question, with a line that says how much is left out. */
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

/** What of a diff is shown where nobody asked for the whole: about two screens, more is not read there. */
const DIFF_LINES_MAX = 60;

/** The lines of some diffs, one file after the other, with at most so many in all. */
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
	// An empty file that comes or goes has no line to tell of it.
	if (printed === "") return [`--- ${old}`, `+++ ${now}`];
	return printed.trimEnd().split("\n").map(sanitize);
}

function colour(line: string, paint: Paint): string {
	if (line.startsWith("--- ") || line.startsWith("+++ ")) return paint.bold(line);
	if (line.startsWith("+")) return paint.green(line);
	if (line.startsWith("-")) return paint.red(line);
	return line.startsWith("@@") || line.startsWith("\\") ? paint.dim(line) : line;
}
