import type { Effort } from "@segue/models";
import * as z from "zod";

/** What a turn may do: answer, change things, or make a plan. */
export type Mode = "ask" | "edit" | "plan";

/** A user's choices for a thread, restored when the thread is opened again. An absent one is left to the configuration. */
export interface ThreadSettings {
	readonly mode?: Mode | undefined;
	/** By its name. */
	readonly model?: string | undefined;
	readonly effort?: Effort | undefined;
}

/** Parses stored settings. Choices that only a newer Segue knows are left out. */
export function readSettings(stored: string): ThreadSettings {
	return schema.parse(JSON.parse(stored));
}

const schema: z.ZodType<ThreadSettings> = z.object({
	mode: z.enum(["ask", "edit", "plan"]).optional().catch(undefined),
	model: z.string().optional().catch(undefined),
	effort: z.enum(["low", "medium", "high"]).optional().catch(undefined),
});
