import type { Effort } from "@segue/models";
import * as z from "zod";
import type { Tool } from "../tools/tool.js";

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

/** Tools that leave everything as it is. */
const READING: readonly Tool["kind"][] = ["read", "search", "fetch", "think"];

export function toolsIn(mode: Mode, tools: readonly Tool[]): readonly Tool[] {
	return mode === "edit" ? tools : tools.filter((tool) => READING.includes(tool.kind));
}

/** For the model. */
export const MODES: Readonly<Record<Mode, string>> = {
	ask: "The user has a question. You can look at things and change nothing.",
	edit: "Do what the user asks for with the tools that you have.",
	plan: "Work out a plan: look at what there is, then write the plan down with update_plan and explain it. You can change nothing.",
};
