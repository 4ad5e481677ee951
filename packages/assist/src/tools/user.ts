import * as z from "zod";
import type { Client } from "../client.js";
import type { PlanStep } from "../threads/thread.js";
import type { Tool } from "./tool.js";
import { cutTo, truncateHead } from "./truncate.js";

/** More than this is no question but a letter. */
const QUESTION_CHARS_MAX = 4_000;
/** A person who has to read more than these answers with something else. */
const OPTIONS_MAX = 10;
/** An option is a line or two. */
const OPTION_CHARS_MAX = 300;
/** Of what is said in answer: about 5,000 tokens. */
const ANSWER_CHARS_MAX = 20_000;
/** Of the question, where a call is shown in one line. */
const TITLE_CHARS_MAX = 80;

const option = z.string().min(1).max(OPTION_CHARS_MAX);

const questionInput = z.object({
	question: z.string().trim().min(1).max(QUESTION_CHARS_MAX).describe("What you want to know, in whole sentences."),
	options: z
		.array(z.object({ label: option, description: option.optional() }))
		.max(OPTIONS_MAX)
		.optional()
		.describe("Answers to choose from, where there are some that you expect."),
	only_options: z
		.boolean()
		.optional()
		.describe("Whether nothing but one of the options can be the answer. The user may say something else if absent."),
});

/** Lets the model ask the person what only they know. */
export function askUserTool(ask: NonNullable<Client["ask"]>): Tool<z.infer<typeof questionInput>> {
	return {
		name: "ask_user",
		description:
			"Asks the user a question and waits for the answer. Only for what you cannot find out and should not decide yourself.",
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
	"The user did not answer. Go on without if that is safe; otherwise say in your answer what you need to know.";

/** More than a person reads at a glance; a longer list is no plan. */
const STEPS_MAX = 30;
/** One step is a line or two. */
const STEP_CHARS_MAX = 300;

const planInput = z.object({
	steps: z
		.array(z.object({ text: z.string().min(1).max(STEP_CHARS_MAX), status: z.enum(["pending", "running", "done"]) }))
		.max(STEPS_MAX),
});

/** Lets the model show what it is going to do, and how far it is. */
export function planTool(keep: (steps: readonly PlanStep[]) => Promise<void>): Tool<z.infer<typeof planInput>> {
	return {
		name: "update_plan",
		description:
			"Shows the user your plan for a task of several steps. Give the whole plan each time, with the status of each step.",
		kind: "think",
		input: planInput,
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
