import { basename } from "node:path";
import type { FileDiff, PlanStep, ToolCall } from "@segue/assist";
import type * as eca from "@segue/protocol/eca";
import { parseUnified, printUnified, showInvisible, showInvisibleIn } from "@segue/text";
import type { FileChange } from "./encoding/encoder.js";
import { beginningOf } from "./message-split.js";

/** The server name for our own tools, which editors recognize. */
export const NATIVE = "ECA";

/** Limit for each of a call's arguments, diff and output. All three share one message; see `message-split.ts`. */
const SHOWN_BYTES_MAX = 16 * 1024;
/** Limit for a call's title. Some agents put a whole script into it. */
const TITLE_BYTES_MAX = 4 * 1024;

/** Our name for the plan tool, and the name that editors recognize. */
export const PLAN_TOOL = "update_plan";
export const TASK_TOOL = "task";

export function callNameOf({ id, tool, title, diffs }: ToolCall) {
	// The call shows only its first file, so the summary lists the others.
	const others = diffs.slice(1).map(({ path }) => basename(path));
	const summary = others.length === 0 ? title : `${title} (and ${others.join(", ")})`;
	const about = { id, summary: beginningOf(inOneLine(summary), TITLE_BYTES_MAX) };
	// Some agents add the prefix mcp__.
	const [, server, name] = /^(?:mcp__)?(.+?)__(.+)$/.exec(tool) ?? [];
	if (server !== undefined && name !== undefined) return { ...about, origin: "mcp" as const, server, name };
	return { ...about, origin: "native" as const, server: NATIVE, name: tool === PLAN_TOOL ? TASK_TOOL : tool };
}

/**
 * Joins lines. Some agents send multi-line titles, but editors show one line, and eca-nvim's approval prompt fails with
 * more.
 */
function inOneLine(text: string): string {
	const lines = text.split(/[\r\n]/).map((line) => line.trim());
	return lines.filter((line) => line !== "").join(" ↵ ");
}

/**
 * Parses a call's arguments and makes invisible characters in names and values visible. Returns an empty object if the
 * model sent invalid JSON.
 */
export function callArgumentsOf(input: string): Record<string, unknown> {
	try {
		const value = showInvisibleIn(JSON.parse(input));
		return typeof value === "object" && value !== null ? { ...value } : {};
	} catch {
		return {}; // the result of the call reports the error
	}
}

/** Truncates long arguments for display. */
export function shownArguments(input: Record<string, unknown>): Record<string, unknown> {
	const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
	if (bytes(input) <= SHOWN_BYTES_MAX) return input;
	const members = Object.entries(input);
	const share = Math.floor(SHOWN_BYTES_MAX / members.length);
	return Object.fromEntries(
		members.map(([name, value]) => {
			if (bytes(value) + bytes(name) <= share) return [name, value];
			return [name, truncated(typeof value === "string" ? value : JSON.stringify(value), share)];
		}),
	);
}

/** Truncates text for display and appends the number of omitted characters. */
export function truncated(text: string, bytesMax = SHOWN_BYTES_MAX): string {
	const beginning = beginningOf(text, bytesMax);
	const more = text.length - beginning.length;
	return more === 0 ? text : `${beginning}\n(${more} more characters are not shown.)`;
}

/** Truncates a diff after a complete line. Diff parsers ignore lines that begin with a backslash. */
export function shownDiff(diff: string): string {
	const beginning = beginningOf(diff, SHOWN_BYTES_MAX);
	if (beginning === diff) return diff;
	const lines = beginning.slice(0, beginning.lastIndexOf("\n") + 1);
	const more = diff.slice(lines.length).split("\n").length - 1;
	return `${lines}\\ ${more} more lines are not shown.\n`;
}

/**
 * Describes a call that needs approval: the full command with its other arguments, the changed files with their diffs,
 * or otherwise the arguments. Input that is not JSON was truncated or is still incomplete; it is shown verbatim.
 */
export function approvalTextOf({ kind, title, input }: ToolCall, files: readonly FileChange[]): string {
	const values = callArgumentsOf(input);
	const { command, ...others } = values;
	const changes = files.map(({ path, diff }) => `${showInvisible(path)}\n${shownDiff(diff)}`);
	const printed = (part: object) =>
		Object.keys(part).length === 0 ? [] : [truncated(JSON.stringify(part, undefined, 2))];
	const whole =
		/^\s*(?:\{\s*\})?\s*$/.test(input) || Object.keys(values).length > 0
			? printed(values)
			: [truncated(showInvisible(input))];
	const isCommand = kind === "execute" && typeof command === "string";
	const shown = isCommand ? [command, ...printed(others)] : changes.length > 0 ? changes : whole;
	const indented = shown.map((text) => text.trimEnd().replace(/^/gm, "    "));
	return [`Approval needed: ${showInvisible(title)}`, ...indented, HOW_TO_ANSWER].join("\n");
}

const HOW_TO_ANSWER =
	"Answer yes to approve it, or no to reject it. Any other answer rejects it and tells the model what to do instead.";

/** Git's name for a missing file. */
const DEV_NULL = "/dev/null";

export function fileChangeOf({ path, before, after }: FileDiff): FileChange {
	const diff = printUnified(
		before ?? "",
		after ?? "",
		before === undefined ? DEV_NULL : path,
		after === undefined ? DEV_NULL : path,
	);
	const lines = parseUnified(diff).hunks.flatMap((hunk) => hunk.lines);
	const count = (kind: "added" | "removed") => lines.filter((line) => line.kind === kind).length;
	return { type: "fileChange", path, diff, linesAdded: count("added"), linesRemoved: count("removed") };
}

export function shellCommandOf({ kind, input, title }: ToolCall): eca.Details | undefined {
	if (kind !== "execute") return undefined;
	const { command, background } = callArgumentsOf(input);
	const line = truncated(typeof command === "string" ? command : title);
	return {
		type: "shellCommand",
		commands: [{ command: line, args: [] }],
		...(background === true && { background: true }),
	};
}

export function tasksOf(steps: readonly PlanStep[]): eca.Details {
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
