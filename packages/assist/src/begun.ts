import type { PromptOptions } from "./assist.js";
import type { Client } from "./client.js";
import type { TurnRecord } from "./record.js";
import type { Steering } from "./steering.js";
import type { PromptPart, Thread } from "./thread.js";
import type { Scope, Tool } from "./tool.js";
import type { Work } from "./works.js";

/** A turn that has begun, whoever answers in it. */
export interface Begun {
	readonly thread: Thread;
	readonly id: string;
	readonly parts: readonly PromptPart[];
	readonly client: Client;
	readonly options: PromptOptions;
	readonly work: Work;
	readonly scope: Scope;
	readonly tools: readonly Tool[];
	readonly record: TurnRecord;
	readonly steering: Steering;
}
