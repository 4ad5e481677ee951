import type { TurnOptions } from "../assist.js";
import type { Client } from "../client.js";
import type { Tool, ToolContext } from "../tools/tool.js";
import type { TurnRecord } from "./record.js";
import type { Steering } from "./steering.js";
import type { PromptPart, Thread } from "./thread.js";
import type { ThreadState } from "./thread-state.js";

/** A turn that has begun, whoever answers in it. */
export interface TurnContext {
	readonly thread: Thread;
	readonly id: string;
	readonly parts: readonly PromptPart[];
	readonly client: Client;
	readonly options: TurnOptions;
	readonly state: ThreadState;
	readonly scope: ToolContext;
	readonly tools: readonly Tool[];
	readonly record: TurnRecord;
	readonly steering: Steering;
}
