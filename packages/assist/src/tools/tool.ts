import * as z from "zod";
import type { Client } from "../client.js";
import type { FileDiff, Location, Permission, ToolKind } from "../threads/thread.js";
import type { ThreadJobs } from "../workspace/jobs.js";
import type { ThreadWorkspace } from "../workspace/workspace.js";

/** Something that a model can have done. */
export interface Tool<Input = unknown> {
	/** As the model calls it: `read_file`. */
	readonly name: string;
	/** For the model. */
	readonly description: string;
	readonly kind: ToolKind;
	readonly input: z.ZodType<Input>;
	/** What the model is told of the input, where that is not the schema of `input`: an MCP server has its own. */
	readonly schema?: Readonly<Record<string, unknown>>;
	/**
	 * Looks at what a call would do, without doing it. Throws a `ToolError` for what cannot be done: its message is for the
	 * model, which can try otherwise. Without the id of a call, it is not a model that has it done.
	 */
	prepare(input: Input, context: ToolContext, callId?: string): Promise<ToolAction>;
}

/** What a model, or anybody else who is to know how a tool is called, is told of its input. */
export function schemaOf({ input, schema }: Tool): Readonly<Record<string, unknown>> {
	if (schema !== undefined) return schema;
	// Some servers refuse a schema that names its own language.
	const { $schema, ...ours } = z.toJSONSchema(input, { io: "input" });
	return ours;
}

/** What a call would do, ready to be shown, asked for and done. */
export interface ToolAction {
	/** In a few words: "Read src/app.ts". */
	readonly title: string;
	readonly locations: readonly Location[];
	readonly diffs: readonly FileDiff[];
	/** What has to be allowed first; empty where nothing has to. */
	readonly permissions: readonly Permission[];
	/**
	 * Told as progress is what a command prints, piece by piece and up to a bound; the outcome has it all, shortened. `shownIn`
	 * is told the client's terminal that shows it instead, for a call that somebody looks at.
	 */
	run(
		signal: AbortSignal,
		progress: (output: string) => void,
		shownIn?: (terminalId: string) => void,
	): Promise<ToolOutcome>;
}

export interface ToolOutcome {
	/** What the model is told. */
	readonly output: string;
	/** What of which file it has seen thereby. */
	readonly read: readonly { readonly path: string; readonly content: string }[];
	/** It was done and came to nothing: a command that ended with another code than 0. */
	readonly failed: boolean;
}

/** What a tool works on. One for each turn, but for the workspace, which lasts as long as the thread is worked on. */
export interface ToolContext {
	readonly workspace: ThreadWorkspace;
	readonly client: Pick<Client, "buffers" | "editor" | "terminals">;
	readonly signal: AbortSignal;
	/** Absent where no thread is worked on. */
	readonly jobs?: ThreadJobs | undefined;
}
