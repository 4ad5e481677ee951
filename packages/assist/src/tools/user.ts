import * as z from "zod";
import type { Client } from "../client.js";
import type { PlanStep } from "../threads/thread.js";
import type { Tool } from "./tool.js";
import { cutTo, truncateHead } from "./truncate.js";

/** Users don't read longer questions. */
const QUESTION_CHARS_MAX = 4_000;
/** Users don't read longer lists of options. */
const OPTIONS_MAX = 10;
/** One or two lines. */
const OPTION_CHARS_MAX = 300;
/** About 5,000 tokens. */
const ANSWER_CHARS_MAX = 20_000;
/** Limits the question in the call's title. */
const TITLE_CHARS_MAX = 80;

const option = z.string().min(1).max(OPTION_CHARS_MAX);

const questionInput = z.object({
	question: z.string().trim().min(1).max(QUESTION_CHARS_MAX).describe("The question, in full sentences."),
	options: z
		.array(z.object({ label: option, description: option.optional() }))
		.max(OPTIONS_MAX)
		.optional()
		.describe("Suggested answers, if you can name likely ones."),
	only_options: z
		.boolean()
		.optional()
		.describe("Whether the answer must be one of the options (default: the user can also type another answer)."),
});

/** Lets the model ask the user a question. */
export function askUserTool(ask: NonNullable<Client["ask"]>): Tool<z.infer<typeof questionInput>> {
	return {
		name: "ask_user",
		description:
			"Asks the user a question and waits for the answer. Use it only if you cannot find the answer and should not decide yourself.",
		kind: "think",
		input: questionInput,
		prepare: async ({ question, options = [], only_options }, _scope, callId = "") => ({
			title: `Ask: ${truncateHead(question.replace(/\s+/g, " "), TITLE_CHARS_MAX)}`,
			locations: [],
			diffs: [],
			permissions: [],
			run: async (signal) => {
				const inquiry = {
					text: question,
					options: options.map(({ label, description }) => ({ label, description })),
					isOpen: options.length === 0 || only_options !== true,
					callId,
				};
				const answer = await ask(inquiry, signal);
				const output = answer === undefined ? UNANSWERED : cutTo(answer, ANSWER_CHARS_MAX);
				return { output, read: [], failed: false };
			},
		}),
	};
}

const UNANSWERED =
	"The user did not answer. If it is safe, continue without an answer; otherwise explain in your reply what you need to know.";

/** Users can't take in a longer plan at a glance. */
const STEPS_MAX = 30;
/** One or two lines. */
const STEP_CHARS_MAX = 300;

const planInput = z.object({
	steps: z
		.array(z.object({ text: z.string().min(1).max(STEP_CHARS_MAX), status: z.enum(["pending", "running", "done"]) }))
		.max(STEPS_MAX),
});

/** Lets the model show its plan and progress. */
export function planTool(keep: (steps: readonly PlanStep[]) => Promise<void>): Tool<z.infer<typeof planInput>> {
	return {
		name: "update_plan",
		description:
			"Shows the user your plan for a task with several steps. Send the whole plan each time, with the status of each step.",
		kind: "think",
		input: planInput,
		prepare: async ({ steps }) => ({
			title: "Update the plan",
			locations: [],
			diffs: [],
			permissions: [],
			run: async () => {
				await keep(steps);
				return { output: "The plan is shown to the user.", read: [], failed: false };
			},
		}),
	};
}
