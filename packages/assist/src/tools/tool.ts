import * as z from "zod";
import type { Client } from "../client.js";
import type { FileDiff, Location, Permission, ToolKind } from "../threads/thread.js";
import type { ThreadJobs } from "../workspace/jobs.js";
import type { ThreadWorkspace } from "../workspace/workspace.js";

/** A tool that a model can call. */
export interface Tool<Input = unknown> {
	/** The name in tool calls, such as `read_file`. */
	readonly name: string;
	/** Read by the model. */
	readonly description: string;
	readonly kind: ToolKind;
	readonly input: z.ZodType<Input>;
	/** The JSON schema sent to the model, if it isn't derived from `input`: MCP tools have their own. */
	readonly schema?: Readonly<Record<string, unknown>>;
	/**
	 * Determines the effects of a call without running it. Throws a `ToolError` if the call is invalid; its message
	 * tells the model what to do instead. `callId` is undefined if a slash command or an editor uses the tool.
	 */
	prepare(input: Input, context: ToolContext, callId?: string): Promise<ToolAction>;
}

/** Returns the JSON schema for a tool's input. */
export function schemaOf({ input, schema }: Tool): Readonly<Record<string, unknown>> {
	if (schema !== undefined) return schema;
	// Some model servers reject schemas with a `$schema` property.
	const { $schema, ...ours } = z.toJSONSchema(input, { io: "input" });
	return ours;
}

/** A prepared call: its effects are known, and it can be shown, approved and run. */
export interface ToolAction {
	/** A short title, such as "Read src/app.ts". */
	readonly title: string;
	readonly locations: readonly Location[];
	readonly diffs: readonly FileDiff[];
	/** Permissions that must be granted before `run`. */
	readonly permissions: readonly Permission[];
	/**
	 * `progress` receives a command's output as it is printed, up to a limit; the outcome has the start and end of the
	 * whole output. `shownIn` receives the id of the client's terminal if the output appears there instead. It is
	 * undefined if no user is watching the call.
	 */
	run(
		signal: AbortSignal,
		progress: (output: string) => void,
		shownIn?: (terminalId: string) => void,
	): Promise<ToolOutcome>;
}

export interface ToolOutcome {
	/** The result sent to the model. */
	readonly output: string;
	/** The parts of files that the model has read through this call. */
	readonly read: readonly { readonly path: string; readonly content: string }[];
	/** Whether the call ran but failed, for example a command with a non-zero exit code. */
	readonly failed: boolean;
}

/** The context of a call. Created for each turn, except for the workspace, which is shared by all turns in a thread. */
export interface ToolContext {
	readonly workspace: ThreadWorkspace;
	readonly client: Pick<Client, "buffers" | "editor" | "terminals">;
	readonly signal: AbortSignal;
	/** Undefined outside a thread. */
	readonly jobs?: ThreadJobs | undefined;
}
