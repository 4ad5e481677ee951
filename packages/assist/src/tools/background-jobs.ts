import * as z from "zod";
import { type Tool, ToolError } from "../tool.js";
import { endOf } from "./cut.js";

/** Of a job's output, its end: about 4,000 tokens. */
const OUTPUT_CHARS_MAX = 16_000;

const input = z.object({
	action: z
		.enum(["list", "output", "kill"])
		.describe("list shows all jobs, output what one has printed, kill ends one."),
	job: z.string().optional().describe('The id of the job, such as "job-1". For output and kill.'),
});

/** Lets the model look after the commands that it started in the background. */
export const backgroundJobs: Tool<z.infer<typeof input>> = {
	name: "background_jobs",
	description: "Lists the commands that run_command started in the background, reads the output of one, or ends it.",
	kind: "execute",
	input,
	prepare: async ({ action, job }, { jobs }) => ({
		title: action === "list" ? "List background jobs" : `${action === "kill" ? "End" : "Read the output of"} ${job}`,
		locations: [],
		diffs: [],
		permissions: [],
		run: async () => {
			const all = jobs?.list() ?? [];
			const lineOf = ({ id, status, exitCode, command }: (typeof all)[number]) => {
				return `${id}: ${status}${exitCode === undefined ? "" : ` (exit code ${exitCode})`}: ${command}`;
			};
			if (action === "list") {
				const output = all.length === 0 ? "There are no background jobs." : all.map(lineOf).join("\n");
				return { output, read: [], failed: false };
			}
			const named = all.find(({ id }) => id === job);
			if (jobs === undefined || named === undefined) throw new ToolError(`There is no job ${job ?? "without an id"}.`);
			if (action === "kill") {
				const output = jobs.kill(named.id) ? `${named.id} was ended.` : `${named.id} had ended already.`;
				return { output, read: [], failed: false };
			}
			const printed = (jobs.output(named.id) ?? []).map(({ text }) => text).join("\n");
			return { output: `${lineOf(named)}\n${endOf(printed, OUTPUT_CHARS_MAX)}`, read: [], failed: false };
		},
	}),
};
