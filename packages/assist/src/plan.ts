import * as z from "zod";
import type { PlanStep } from "./thread.js";
import type { Tool } from "./tool.js";

/** More than a person reads at a glance; a longer list is no plan. */
const STEPS_MAX = 30;
/** One step is a line or two. */
const STEP_CHARS_MAX = 300;

const input = z.object({
	steps: z
		.array(z.object({ text: z.string().min(1).max(STEP_CHARS_MAX), status: z.enum(["pending", "running", "done"]) }))
		.max(STEPS_MAX),
});

/** Lets the model show what it is going to do, and how far it is. */
export function planTool(keep: (steps: readonly PlanStep[]) => Promise<void>): Tool<z.infer<typeof input>> {
	return {
		name: "update_plan",
		description:
			"Shows the user your plan for a task of several steps. Give the whole plan each time, with the status of each step.",
		kind: "think",
		input,
		prepare: async ({ steps }) => ({
			title: "Update the plan",
			locations: [],
			diffs: [],
			permissions: [],
			run: async () => {
				await keep(steps);
				return { output: "The user sees the plan.", read: [], failed: false };
			},
		}),
	};
}
