import type { Effort } from "@segue/models";
import * as z from "zod";

/** What a person chose for a thread, so that whoever opens it next finds it so. Absent is what was left to the configuration. */
export interface ThreadSettings {
	readonly mode?: Mode | undefined;
	/** By its name. */
	readonly model?: string | undefined;
	readonly effort?: Effort | undefined;
}

/** What was kept. A choice that a newer Segue knows and this one does not is left out. */
export function readSettings(kept: string): ThreadSettings {
	return schema.parse(JSON.parse(kept));
}

const schema: z.ZodType<ThreadSettings> = z.object({
	mode: z.enum(["ask", "edit", "plan"]).optional().catch(undefined),
	model: z.string().optional().catch(undefined),
	effort: z.enum(["low", "medium", "high"]).optional().catch(undefined),
});

/** What a turn may do: answer, change things, or make a plan. */
export type Mode = "ask" | "edit" | "plan";
