import { errorText, showInvisible, unlessCancelled } from "@segue/text";
import * as z from "zod";
import { ToolError } from "../failures.js";
import type { Tool, ToolAction, ToolContext } from "../tools/tool.js";
import { truncateTail } from "../tools/truncate.js";
import type { TurnRecord } from "./record.js";
import type { Permission, ToolCall, ToolKind } from "./thread.js";
import type { TurnContext } from "./turn-context.js";

/** Limits the output shown while a call runs to a few screens, because each update rewrites all of it. */
const PROGRESS_CHARS_MAX = 5_000;

/** A model's tool call and its entry in the thread. */
export class OpenCall {
	/** Whether the model has finished writing the call. */
	isWhole = false;

	private constructor(
		private readonly record: TurnRecord,
		private readonly number: number,
		/** The id from the model, which need not be unique. */
		readonly modelsId: string,
		public call: ToolCall,
	) {}

	static async begin(
		record: TurnRecord,
		modelsId: string,
		id: string,
		tool: string,
		kind: ToolKind,
	): Promise<OpenCall> {
		const nothing = { title: tool, input: "", output: "", diffs: [], locations: [] };
		const call: ToolCall = { id, tool, kind, status: "pending", ...nothing };
		return new OpenCall(record, await record.add({ type: "call", call }), modelsId, call);
	}

	get isOver(): boolean {
		return this.call.status === "done" || this.call.status === "failed";
	}

	async update(change: Partial<Omit<ToolCall, "id" | "tool" | "kind">>): Promise<void> {
		this.call = { ...this.call, ...change };
		await this.record.change(this.number, this.call);
	}
}

export interface ToolCallResult {
	readonly call: ToolCall;
	/** The permission that was declined, if any. */
	readonly declined: Permission | undefined;
}

/**
 * Gets approval for a call and runs it. The model gets its own mistakes and the tool's errors as a failed result.
 * Throws the signal's reason if the turn is cancelled.
 */
export async function runToolCall(
	open: OpenCall,
	tools: ReadonlyMap<string, Tool>,
	context: ToolContext & Pick<TurnContext, "approvals" | "client" | "record">,
): Promise<ToolCallResult> {
	const { approvals, client, record, signal } = context;
	const fail = async (output: string, declined?: Permission): Promise<ToolCallResult> => {
		await open.update({ status: "failed", output });
		return { call: open.call, declined };
	};
	let action: ToolAction;
	try {
		if (!open.isWhole) throw new ToolError("This call is incomplete. Nothing was done.");
		action = await unlessCancelled(prepare(open.call, tools, context), signal);
	} catch (error) {
		if (signal.aborted) throw error;
		return fail(errorText(error));
	}
	const { title, locations, diffs } = action;
	await open.update({ title: showInvisible(title), locations, diffs });
	for (const permission of action.permissions) {
		const approval = await approvals.decide(open.call, permission, client, signal);
		await record.add({ type: "approval", approval });
		signal.throwIfAborted();
		if (approval.answer === "no") return fail(DECLINED[approval.by], permission);
	}
	await open.update({ status: "running" });
	try {
		const outcome = await unlessCancelled(
			action.run(
				signal,
				(text) => {
					// Output that arrives after the end is dropped. Store errors are ignored here, because they end the
					// turn anyway.
					if (open.isOver) return;
					open.update({ output: truncateTail(open.call.output + text, PROGRESS_CHARS_MAX) }).catch(() => {});
				},
				(terminal) => {
					open.update({ terminal }).catch(() => {});
				},
			),
			signal,
		);
		for (const { path, content } of outcome.read) await record.add({ type: "file", path, content });
		await open.update({ status: outcome.failed ? "failed" : "done", output: outcome.output });
		return { call: open.call, declined: undefined };
	} catch (error) {
		if (signal.aborted) throw error;
		return fail(errorText(error));
	}
}

/** The output for a declined call, by the source of the answer. */
const DECLINED = {
	person: "The user declined this. Nothing was done.",
	rule: "The user's configuration does not allow this. Nothing was done.",
	nobody: "The user did not answer the request for approval. Nothing was done.",
} as const;

async function prepare(call: ToolCall, tools: ReadonlyMap<string, Tool>, context: ToolContext): Promise<ToolAction> {
	const tool = tools.get(call.tool);
	if (tool === undefined) {
		const names = [...tools.keys()].join(", ");
		throw new ToolError(`Unknown tool ${call.tool}. Available: ${names === "" ? "none" : names}.`);
	}
	let json: unknown;
	try {
		// Models often send no input for a tool without parameters.
		json = call.input.trim() === "" ? {} : JSON.parse(call.input);
	} catch (error) {
		throw new ToolError(`The input of ${call.tool} is not valid JSON: ${errorText(error)}`);
	}
	const input = tool.input.safeParse(json);
	if (!input.success) throw new ToolError(`The input of ${call.tool} is invalid:\n${z.prettifyError(input.error)}`);
	return tool.prepare(input.data, context, call.id);
}
