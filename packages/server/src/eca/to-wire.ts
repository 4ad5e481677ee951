import { basename } from "node:path";
import type {
	Approval,
	Entry,
	FileDiff,
	Flag,
	PermissionAnswer,
	PlanStep,
	PromptPart,
	ToolCall,
	Update,
} from "@segue/assist";
import type { Usage } from "@segue/models";
import type * as eca from "@segue/protocol/eca";
import { parseUnified, printUnified, showInvisible, showInvisibleIn } from "@segue/text";
import type { ContentItem, FileChange } from "./eca-session.js";
import { beginningOf } from "./message-split.js";

/** The tools that no MCP server has are those of a server of this name: editors know it. */
export const NATIVE = "ECA";

/** Of a call's arguments, its change and its output, each, in bytes. All come in one message; see where texts are split. */
const SHOWN_BYTES_MAX = 16 * 1024;
/** Of its title, which some agents make of a whole script. */
const TITLE_BYTES_MAX = 4 * 1024;

/** Makes pieces of a chat of what happens in its thread, in today's form. One for each turn, or for a replay. */
export class ContentBuilder {
	private readonly calls = new Map<string, CallProgress>();
	/** Why calls that were declined were, by their ids. */
	private readonly declined = new Map<string, RejectionReason>();
	/** The thought that goes on. */
	private thought: { readonly id: string; readonly sinceMs: number } | undefined;
	/** What was last planned, until the call that planned it has ended. */
	private plan: eca.Details | undefined;

	constructor(
		private readonly now: () => number,
		/** How many tokens the model can look at, where that is known. */
		private readonly windowTokens: () => number | undefined,
		/** What the thread has cost before, and from then on. */
		private costUsd = 0,
	) {}

	/** Whether the turn was stopped: what had not begun by then was not refused by anybody. */
	isStopped = false;

	itemsOf(update: Update): ContentItem[] {
		switch (update.type) {
			case "entry":
				return this.entry(update.entry);
			case "more":
				return update.of === "text" ? this.text(update.text) : this.think(update.number, update.text);
			case "call":
				return [...this.endThought(), ...this.call(update.call)];
			case "thread":
				return [system({ type: "metadata", title: update.thread.title })];
		}
	}

	/** Whether a call was told of, so that a question about it makes sense. */
	knows(callId: string): boolean {
		return this.calls.has(callId);
	}

	/** Whether a question about a call can be shown with it: editors ask for each before it runs, once. */
	isAskable(callId: string): boolean {
		return this.calls.get(callId)?.stage === "prepared";
	}

	/** A call waits for the person to approve it. */
	requestApproval(call: ToolCall): ContentItem[] {
		return this.call(call, true).map((piece) => {
			return piece.content.type === "toolCallRun" ? { ...piece, request: requestOf(call, piece.changes ?? []) } : piece;
		});
	}

	/** A call that was nothing but a question is over. Without an answer, nobody gave one. */
	answered(call: ToolCall, answer: PermissionAnswer | undefined): ContentItem[] {
		if (answer === undefined || answer === "no") {
			this.declined.set(call.id, REJECTION_REASONS[answer === undefined ? "nobody" : "person"]);
			return this.call({ ...call, status: "failed" });
		}
		return this.call({ ...call, status: "done" });
	}

	/** What is open when the turn is over. */
	end(): ContentItem[] {
		return this.endThought();
	}

	private entry({ number, body }: Entry): ContentItem[] {
		switch (body.type) {
			case "text":
				return this.text(body.text);
			case "image": {
				const { mediaType, base64 } = body;
				return [...this.endThought(), assistant({ type: "image", mediaType, base64 })];
			}
			case "link":
				return [...this.endThought(), assistant({ type: "url", title: body.name, url: body.uri })];
			case "thought":
				return this.think(number, body.text);
			case "prompt":
				return [...this.endThought(), ...echoOf(body.parts, number)];
			case "call":
				return [...this.endThought(), ...this.call(body.call)];
			case "approval":
				if (body.approval.answer === "no") this.declined.set(body.approval.callId, REJECTION_REASONS[body.approval.by]);
				return [];
			case "plan":
				return [...this.endThought(), ...this.planned(body.steps, number)];
			case "usage":
				return [...this.endThought(), ...this.usage(body.usage)];
			case "notice": {
				const text = body.level === "error" ? `Error: ${body.text}` : body.text;
				return [...this.endThought(), system({ type: "text", text: `${text}\n` })];
			}
			// What was read is seen in the call that read it, and the end is told by whoever ends the turn.
			case "file":
			case "summary":
			case "agent":
			case "end":
				return [];
		}
	}

	private text(text: string): ContentItem[] {
		return text === "" ? [] : [...this.endThought(), assistant({ type: "text", text })];
	}

	private think(number: number, text: string): ContentItem[] {
		const id = `${number}`;
		if (text === "") return [];
		const said = assistant({ type: "reasonText", id, text });
		if (this.thought?.id === id) return [said];
		const before = this.endThought();
		this.thought = { id, sinceMs: this.now() };
		return [...before, assistant({ type: "reasonStarted", id }), said];
	}

	private endThought(): ContentItem[] {
		const { thought } = this;
		if (thought === undefined) return [];
		this.thought = undefined;
		return [assistant({ type: "reasonFinished", id: thought.id, totalTimeMs: this.now() - thought.sinceMs })];
	}

	/** What of a call was not told yet: editors wait for each of its stages, and for each once. */
	private call(call: ToolCall, isAsked = false): ContentItem[] {
		const { id, status, input } = call;
		const told = this.calls.get(id) ?? new CallProgress(this.now(), call.tool === PLAN);
		const isNew = !this.calls.has(id);
		this.calls.set(id, told);
		const pieces: ContentItem[] = [];
		const changes = this.changesOf(call, told);
		const tell = (content: eca.ChatContent) => {
			pieces.push({ ...assistant(content), ...(changes.length > 0 && { changes }) });
		};
		if (told.stage === "over") return [];
		const isOver = status === "done" || status === "failed";
		const more = input.startsWith(told.input) ? input.slice(told.input.length) : "";
		if (isNew || (more !== "" && told.stage === "prepared")) {
			tell({ type: "toolCallPrepare", ...nameOf(call), argumentsText: more });
			told.input = input;
		}
		const whole = { ...nameOf(call), ...this.detailsFor(call, changes), arguments: shownArguments(argumentsOf(input)) };
		if (told.stage === "prepared" && (isAsked || status !== "pending")) {
			told.stage = "run";
			tell({ type: "toolCallRun", ...whole, manualApproval: isAsked });
		}
		const declined = status !== "failed" ? undefined : this.declinedFor(id, told);
		if (told.stage === "run" && (status === "running" || isOver) && declined === undefined) {
			told.stage = "running";
			told.sinceMs = this.now();
			if (status !== "failed") tell({ type: "toolCallRunning", ...whole });
		}
		if (!isOver) return pieces;
		told.stage = "over";
		if (declined !== undefined) tell({ type: "toolCallRejected", ...whole, reason: declined });
		else {
			const outputs = call.output === "" ? [] : [{ type: "text" as const, text: cut(call.output) }];
			const totalTimeMs = this.now() - told.sinceMs;
			tell({ type: "toolCalled", ...whole, error: status === "failed", outputs, totalTimeMs });
		}
		if (call.tool === PLAN) this.plan = undefined;
		return pieces;
	}

	private declinedFor(callId: string, { stage }: CallProgress): RejectionReason | undefined {
		const hasBegun = stage === "running";
		return this.declined.get(callId) ?? (this.isStopped && !hasBegun ? "userPromptStop" : undefined);
	}

	private changesOf({ diffs }: ToolCall, told: CallProgress): readonly FileChange[] {
		if (told.diffs !== diffs) {
			told.diffs = diffs;
			told.changes = diffs.map(changeOf);
		}
		return told.changes;
	}

	private detailsFor(call: ToolCall, [first]: readonly FileChange[]): { details?: eca.Details } {
		const change = first && { ...first, diff: shownDiff(first.diff) };
		const details = call.tool === PLAN ? this.plan : (shellCommandOf(call) ?? change);
		return details === undefined ? {} : { details };
	}

	/** Our own models plan in a call, which is then shown with it. Other agents just say it. */
	private planned(steps: readonly PlanStep[], number: number): ContentItem[] {
		const details = tasksOf(steps);
		const isCalled = [...this.calls.values()].some(({ stage, isPlan }) => isPlan && stage !== "over");
		this.plan = details;
		if (isCalled) return [];
		const about = { origin: "native" as const, id: `plan-${number}`, name: TASK, server: NATIVE, summary: "Plan" };
		const whole = { ...about, details, arguments: {} };
		return [
			assistant({ type: "toolCallPrepare", ...about, argumentsText: "" }),
			assistant({ type: "toolCallRun", ...whole, manualApproval: false }),
			assistant({ type: "toolCallRunning", ...whole }),
			assistant({ type: "toolCalled", ...whole, error: false, outputs: [], totalTimeMs: 0 }),
		];
	}

	private usage({ inputTokens, outputTokens, costUsd }: Usage): ContentItem[] {
		const sessionTokens = inputTokens + outputTokens;
		if (sessionTokens === 0) return [];
		this.costUsd += costUsd ?? 0;
		const context = this.windowTokens();
		return [
			system({
				type: "usage",
				sessionTokens,
				...(costUsd !== undefined && { lastMessageCost: dollars(costUsd), sessionCost: dollars(this.costUsd) }),
				// Nobody tells us the most that a model writes at once, but it is never more than it can look at.
				...(context !== undefined && { limit: { context, output: context } }),
			}),
		];
	}
}

export function flagItem({ id, text }: Flag): ContentItem {
	return system({ type: "flag", text, contentId: id });
}

/** The id that an editor knows an entry by; undefined for one that it cannot name. */
export function contentIdOf({ number, body }: Entry): string | undefined {
	switch (body.type) {
		case "prompt":
		case "thought":
			return `${number}`;
		case "call":
			return body.call.id;
		case "plan":
			return `plan-${number}`;
		default:
			return undefined;
	}
}

type RejectionReason = Extract<eca.ChatContent, { type: "toolCallRejected" }>["reason"];

/** Who said no, in the words of ECA. */
const REJECTION_REASONS: Readonly<Record<Approval["by"], RejectionReason>> = {
	person: "userChoiceDeny",
	rule: "userConfigDeny",
	nobody: "userPromptStop",
};

/** How far an editor was told of a call. */
class CallProgress {
	stage: "prepared" | "run" | "running" | "over" = "prepared";
	input = "";
	diffs: readonly FileDiff[] = [];
	changes: readonly FileChange[] = [];

	constructor(
		/** When it began to be written, and then when it began to run. */
		public sinceMs: number,
		readonly isPlan: boolean,
	) {}
}

/** What our models call the tool that plans, and what editors know it by. */
const PLAN = "update_plan";
const TASK = "task";

function nameOf({ id, tool, title, diffs }: ToolCall) {
	// What a call changes besides the file that it is shown with.
	const others = diffs.slice(1).map(({ path }) => basename(path));
	const summary = others.length === 0 ? title : `${title} (and ${others.join(", ")})`;
	const about = { id, summary: beginningOf(inOneLine(summary), TITLE_BYTES_MAX) };
	// Some agents write mcp__ in front.
	const [, server, name] = /^(?:mcp__)?(.+?)__(.+)$/.exec(tool) ?? [];
	if (server !== undefined && name !== undefined) return { ...about, origin: "mcp" as const, server, name };
	return { ...about, origin: "native" as const, server: NATIVE, name: tool === PLAN ? TASK : tool };
}

/** Some agents have titles of several lines. Editors show a summary in one, and eca-nvim fails to ask if it has more. */
function inOneLine(text: string): string {
	const lines = text.split(/[\r\n]/).map((line) => line.trim());
	return lines.filter((line) => line !== "").join(" ↵ ");
}

/** The arguments with their invisible characters shown, in names and in values. Empty if the model wrote invalid JSON. */
function argumentsOf(input: string): Record<string, unknown> {
	try {
		const value = showInvisibleIn(JSON.parse(input));
		return typeof value === "object" && value !== null ? { ...value } : {};
	} catch {
		return {}; // the result of the call reports the error
	}
}

/** Arguments without the most of what is too long to be shown. */
function shownArguments(input: Record<string, unknown>): Record<string, unknown> {
	const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
	if (bytes(input) <= SHOWN_BYTES_MAX) return input;
	const members = Object.entries(input);
	const share = Math.floor(SHOWN_BYTES_MAX / members.length);
	return Object.fromEntries(
		members.map(([name, value]) => {
			if (bytes(value) + bytes(name) <= share) return [name, value];
			return [name, cut(typeof value === "string" ? value : JSON.stringify(value), share)];
		}),
	);
}

/** The beginning of a text that is too long to be shown, with a remark of how much is not. */
function cut(text: string, bytesMax = SHOWN_BYTES_MAX): string {
	const beginning = beginningOf(text, bytesMax);
	const more = text.length - beginning.length;
	return more === 0 ? text : `${beginning}\n(${more} more characters are not shown.)`;
}

/** Whole lines of a diff. Those who read diffs pass over what follows a backslash. */
function shownDiff(diff: string): string {
	const beginning = beginningOf(diff, SHOWN_BYTES_MAX);
	if (beginning === diff) return diff;
	const lines = beginning.slice(0, beginning.lastIndexOf("\n") + 1);
	const more = diff.slice(lines.length).split("\n").length - 1;
	return `${lines}\\ ${more} more lines are not shown.\n`;
}

/**
 * A call that waits for approval, as text: the whole command with its other arguments, the changed files with their diffs, or
 * the arguments. Input that is not JSON was cut, or the agent has not written all of it.
 */
function requestOf({ kind, title, input }: ToolCall, files: readonly FileChange[]): string {
	const values = argumentsOf(input);
	const { command, ...others } = values;
	const changes = files.map(({ path, diff }) => `${showInvisible(path)}\n${shownDiff(diff)}`);
	const printed = (part: object) => (Object.keys(part).length === 0 ? [] : [cut(JSON.stringify(part, undefined, 2))]);
	const whole =
		/^\s*(?:\{\s*\})?\s*$/.test(input) || Object.keys(values).length > 0
			? printed(values)
			: [cut(showInvisible(input))];
	const isCommand = kind === "execute" && typeof command === "string";
	const shown = isCommand ? [command, ...printed(others)] : changes.length > 0 ? changes : whole;
	const indented = shown.map((text) => text.trimEnd().replace(/^/gm, "    "));
	return [`Approval needed: ${showInvisible(title)}`, ...indented, HOW_TO_ANSWER].join("\n");
}

const HOW_TO_ANSWER =
	"Answer yes to approve it, or no to reject it. Any other answer rejects it and tells the model what to do instead.";

/** Without a file on one side, that side is called as git calls it. */
const NOWHERE = "/dev/null";

function changeOf({ path, before, after }: FileDiff): FileChange {
	const diff = printUnified(
		before ?? "",
		after ?? "",
		before === undefined ? NOWHERE : path,
		after === undefined ? NOWHERE : path,
	);
	const lines = parseUnified(diff).hunks.flatMap((hunk) => hunk.lines);
	const count = (kind: "added" | "removed") => lines.filter((line) => line.kind === kind).length;
	return { type: "fileChange", path, diff, linesAdded: count("added"), linesRemoved: count("removed") };
}

function shellCommandOf({ kind, input, title }: ToolCall): eca.Details | undefined {
	if (kind !== "execute") return undefined;
	const { command, background } = argumentsOf(input);
	const line = cut(typeof command === "string" ? command : title);
	return {
		type: "shellCommand",
		commands: [{ command: line, args: [] }],
		...(background === true && { background: true }),
	};
}

function tasksOf(steps: readonly PlanStep[]): eca.Details {
	const STATUS = { pending: "pending", running: "in-progress", done: "done" } as const;
	const count = (status: PlanStep["status"]) => steps.filter((step) => step.status === status).length;
	const active = steps.find(({ status }) => status === "running");
	return {
		type: "task",
		tasks: steps.map(({ text, status, priority = "medium" }, i) => {
			return { id: i + 1, subject: text, description: "", status: STATUS[status], priority, isBlocked: false };
		}),
		inProgressTaskIds: steps.flatMap(({ status }, i) => (status === "running" ? [i + 1] : [])),
		summary: { done: count("done"), inProgress: count("running"), pending: count("pending"), total: steps.length },
		...(active !== undefined && { activeSummary: active.text }),
	};
}

/** What the user said, as editors show it again. What went with it is theirs to show. */
function echoOf(parts: readonly PromptPart[], number: number): ContentItem[] {
	const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
	const images = parts.flatMap((part): ContentItem[] => {
		if (part.type !== "image") return [];
		const { mediaType, base64 } = part;
		return [{ role: "user", content: { type: "image", mediaType, base64 } }];
	});
	return [{ role: "user", content: { type: "text", text: `${text}\n`, contentId: `${number}` } }, ...images];
}

/** Small amounts keep two digits that say something. */
function dollars(amount: number): string {
	return amount === 0 || amount >= 0.1 ? amount.toFixed(2) : `${Number(amount.toPrecision(2))}`;
}

function assistant(content: eca.ChatContent): ContentItem {
	return { role: "assistant", content };
}

function system(content: eca.ChatContent): ContentItem {
	return { role: "system", content };
}
