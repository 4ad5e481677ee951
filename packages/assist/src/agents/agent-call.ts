import type * as acp from "@segue/protocol/acp";
import { showInvisible, showInvisibleIn } from "@segue/text";
import * as z from "zod";
import type { FileDiff, ToolCall, ToolKind } from "../threads/thread.js";
import { cutTo } from "../tools/truncate.js";

/** Limits a call's input and its output to about 12,000 tokens each. Every update writes both in full. */
const TEXT_CHARS_MAX = 50_000;
/** Limits the combined size of a file before and after a change. Larger files are usually generated. */
const DIFF_CHARS_MAX = 1_000_000;

/** Creates a call with an id that is unique in the thread. Some agents restart their ids in each turn. */
export function newCall({ toolCallId, title, name }: acp.ToolCallUpdate, taken: ReadonlySet<string>): ToolCall {
	let id = toolCallId;
	for (let i = 2; taken.has(id); i++) id = `${toolCallId}-${i}`;
	const tool = name ?? "agent";
	const nothing = { input: "", output: "", diffs: [], locations: [] };
	return { id, tool, kind: "other", title: showInvisible(title ?? toolCallId), status: "pending", ...nothing };
}

/** Applies an agent's update to a call. Fields that the update omits stay unchanged. */
export function callAfter(
	call: ToolCall,
	{ title, name, kind, status, content, locations, rawInput, rawOutput }: acp.ToolCallUpdate,
	shownIn: (terminalId: string) => string | undefined,
): ToolCall {
	// Content takes precedence over the raw output, which is often the same text in a wrapper.
	const shown = content ? textIn(content, shownIn) : call.output;
	const output = shown === "" && rawOutput != null ? asText(rawOutput) : shown;
	return {
		...call,
		...(title && { title: showInvisible(title) }),
		...(name && { tool: name }),
		...(kind && { kind: KINDS[kind] ?? "other" }),
		...(status && { status: STATUS[status] ?? call.status }),
		...(rawInput != null && { input: cutTo(JSON.stringify(rawInput), TEXT_CHARS_MAX) }),
		...(rawOutput != null && { rawOutput: cutTo(JSON.stringify(rawOutput), TEXT_CHARS_MAX) }),
		output: cutTo(output, TEXT_CHARS_MAX),
		...(content && { diffs: content.flatMap(diffIn) }),
		...(locations && { locations: locations.map(({ path, line }) => ({ path, line: line || undefined })) }),
	};
}

/**
 * Returns a call's arguments: its input, or a JSON object in its text content. Kimi sends the arguments as text until
 * the tool runs.
 */
export function toolArguments({ input }: ToolCall, content: readonly acp.ToolCallContent[]): Arguments | undefined {
	const texts = content.flatMap((each) =>
		each.type === "content" && each.content.type === "text" ? each.content.text : [],
	);
	for (const text of [input, ...texts]) {
		const read = argumentsText.safeParse(text);
		if (read.success) return read.data;
	}
	return undefined;
}

export type Arguments = Readonly<Record<string, unknown>>;

const argumentsText = z
	.string()
	.regex(/^\{/)
	.transform((text, context): unknown => {
		try {
			return JSON.parse(text);
		} catch {
			context.addIssue("not JSON"); // incomplete JSON, or ordinary text
			return z.NEVER;
		}
	})
	.pipe(z.record(z.string(), z.unknown()));

/** The edit that a tool's arguments describe. `textAfter` returns undefined if the result is too long or unclear. */
interface DescribedEdit {
	readonly path: string;
	readonly textAfter: (before: string | undefined) => string | undefined;
}

/** Returns the edit that the arguments describe; undefined if they do not name a file. */
export function editIn(args: Arguments): DescribedEdit | undefined {
	const { data } = editArguments.safeParse(args);
	const path = data?.path ?? data?.file_path;
	if (data === undefined || path === undefined) return undefined;
	const textAfter = (before: string | undefined): string | undefined => {
		const { content, mode, old_string: old, new_string: replacement, replace_all: isAll } = data;
		if (content !== undefined) {
			const kept = mode === "append" ? (before ?? "") : "";
			return kept.length + content.length > DIFF_CHARS_MAX ? undefined : kept + content;
		}
		if (before === undefined || !old || replacement === undefined) return undefined;
		const pieces = before.split(old);
		const count = pieces.length - 1;
		const length = before.length + count * (replacement.length - old.length);
		if (length > DIFF_CHARS_MAX) return undefined;
		return isAll === true || count === 1 ? pieces.join(replacement) : undefined;
	};
	return { path, textAfter };
}

/** The argument names used by the tools of known agents. */
const editArguments = z.object({
	path: z.string().optional(),
	file_path: z.string().optional(),
	content: z.string().optional(),
	mode: z.enum(["overwrite", "append"]).optional(),
	old_string: z.string().optional(),
	new_string: z.string().optional(),
	replace_all: z.boolean().optional(),
});

/**
 * Makes invisible characters visible in the title and arguments of a call. Leaves the arguments of edits unchanged,
 * because they contain file content.
 */
export function visible<Update extends acp.ToolCallUpdate>(update: Update, kind: ToolKind): Update {
	const { title, rawInput } = update;
	return {
		...update,
		...(title != null && { title: showInvisible(title) }),
		...(rawInput != null && !isEdit(kind) && { rawInput: showInvisibleIn(rawInput) }),
	};
}

export function isEdit(kind: ToolKind): boolean {
	return kind === "edit" || kind === "delete" || kind === "move";
}

const KINDS: Readonly<Record<string, ToolKind>> = {
	read: "read",
	edit: "edit",
	delete: "delete",
	move: "move",
	search: "search",
	execute: "execute",
	think: "think",
	fetch: "fetch",
	switch_mode: "switch_mode",
};

const STATUS: Readonly<Record<string, ToolCall["status"]>> = {
	pending: "pending",
	in_progress: "running",
	completed: "done",
	failed: "failed",
};

function textIn(content: readonly acp.ToolCallContent[], shownIn: (terminalId: string) => string | undefined): string {
	const texts = content.map((each) => {
		if (each.type === "terminal") return shownIn(each.terminalId) ?? "";
		if (each.type === "diff") return "";
		const { content: block } = each;
		if (block.type === "text") return block.text;
		if (block.type === "resource" && "text" in block.resource) return block.resource.text;
		return block.type === "resource_link" ? `${block.name}: ${block.uri}` : `(${block.type})`;
	});
	return texts.filter((text) => text !== "").join("\n");
}

function diffIn(content: acp.ToolCallContent): FileDiff[] {
	if (content.type !== "diff") return [];
	const { path, oldText, newText } = content;
	if (newText.length + (oldText?.length ?? 0) > DIFF_CHARS_MAX) return [];
	return [{ path, before: oldText ?? undefined, ...(!oldText && { isBeforeUnknown: true }), after: newText }];
}

/** Some tools return a command's output as a property of an object, under one of these names. */
function asText(value: unknown): string {
	if (typeof value === "string") return value;
	const { output, formatted_output, stdout } = value as Readonly<Record<string, unknown>>;
	const printed = [output, formatted_output, stdout].find((each) => typeof each === "string");
	return printed === undefined ? JSON.stringify(value) : String(printed);
}
