import type { Effort } from "@segue/models";
import * as z from "zod";

/** Whether a turn makes changes, answers questions or makes a plan. */
export type Mode = "ask" | "edit" | "plan";

/** The user's settings for a thread, restored when it is opened again. Missing settings come from the configuration. */
export interface ThreadSettings {
	readonly mode?: Mode | undefined;
	/** The name of the model. */
	readonly model?: string | undefined;
	readonly effort?: Effort | undefined;
}

/** Parses stored settings. Ignores values that only a newer version of Segue understands. */
export function readSettings(stored: string): ThreadSettings {
	return schema.parse(JSON.parse(stored));
}

const schema: z.ZodType<ThreadSettings> = z.object({
	mode: z.enum(["ask", "edit", "plan"]).optional().catch(undefined),
	model: z.string().optional().catch(undefined),
	effort: z.enum(["low", "medium", "high"]).optional().catch(undefined),
});
