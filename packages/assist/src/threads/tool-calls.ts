import { errorText, showInvisible, unlessCancelled } from "@segue/text";
import * as z from "zod";
import { ToolError } from "../failures.js";
import type { Tool, ToolAction, ToolContext } from "../tools/tool.js";
import { truncateTail } from "../tools/truncate.js";
import type { TurnRecord } from "./record.js";
import type { Permission, ToolCall, ToolKind } from "./thread.js";
import type { TurnContext } from "./turn-context.js";

/** Of what is shown of a call that runs: some screens. All of it is written again whenever more comes. */
const PROGRESS_CHARS_MAX = 5_000;

/** A call that a model asked for, with its entry, from being written to its outcome. */
export class OpenCall {
	/** Whether the model has written all of it. */
	isWhole = false;

	private constructor(
		private readonly record: TurnRecord,
		private readonly number: number,
		/** As the model named it, which need not be unique. */
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
	/** What nobody said yes to. */
	readonly declined: Permission | undefined;
}

/**
 * Does what a call asks for, once that is allowed. Whatever a model or a tool does wrong becomes a failed result, which the
 * model is told. Throws the signal's reason when the turn is cancelled.
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
		if (!open.isWhole) throw new ToolError("This call was not written to its end. Nothing was done.");
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
					// What a tool still says after its end has no place to go, and what the store does not take ends the turn anyhow.
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

/** For the model, by who said no. */
const DECLINED = {
	person: "The user declined this. Nothing was done.",
	rule: "This is not allowed here, by the user's configuration. Nothing was done.",
	nobody: "The user was asked whether this may be done and did not answer. Nothing was done.",
} as const;

async function prepare(call: ToolCall, tools: ReadonlyMap<string, Tool>, context: ToolContext): Promise<ToolAction> {
	const tool = tools.get(call.tool);
	if (tool === undefined) {
		const names = [...tools.keys()].join(", ");
		throw new ToolError(`There is no tool ${call.tool}. ${names === "" ? "There are none." : `There are: ${names}.`}`);
	}
	let json: unknown;
	try {
		// A tool that needs nothing is often called with nothing.
		json = call.input.trim() === "" ? {} : JSON.parse(call.input);
	} catch (error) {
		throw new ToolError(`The input of ${call.tool} is no valid JSON: ${errorText(error)}`);
	}
	const input = tool.input.safeParse(json);
	if (!input.success) throw new ToolError(`The input of ${call.tool} does not fit:\n${z.prettifyError(input.error)}`);
	return tool.prepare(input.data, context, call.id);
}
