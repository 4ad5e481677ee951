import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { atProcessExit } from "@segue/rpc/node";
import { firstInvisible } from "@segue/text";
import * as z from "zod";
import { ToolError } from "../failures.js";
import { environmentFor } from "../workspace/environment.js";
import { GRACE_MS, signalGroup, startShell } from "../workspace/shell.js";
import { commandOutcome, runInTerminal } from "./run-in-terminal.js";
import type { Tool, ToolAction, ToolContext, ToolOutcome } from "./tool.js";
import { HeadAndTail, truncateHead, truncateTail } from "./truncate.js";

// Builds and tests mostly end in this; what takes longer is asked for.
const TIME_LIMIT_S = 120;
const TIME_LIMIT_S_MAX = 600;
// Somebody who looks on has seen enough of it by then, and what is told is kept.
const PROGRESS_CHARACTERS_MAX = 100_000;
// Characters of a command in a title. The question shows all of it.
const TITLE_LENGTH_MAX = 80;

// Linux takes 128 KiB in one argument, and a character may be four bytes.
const COMMAND_LENGTH_MAX = 30_000;

const input = z.object({
	command: z
		.string()
		.min(1)
		.max(COMMAND_LENGTH_MAX)
		.describe("A command line for the shell, which runs at the top of the workspace."),
	time_limit_s: z
		.int()
		.min(1)
		.max(TIME_LIMIT_S_MAX)
		.optional()
		.describe(`Time limit in seconds (default ${TIME_LIMIT_S}). Not for a background job.`),
	background: z
		.boolean()
		.optional()
		.describe(
			"Whether to start it as a background job and go on at once, for servers and watchers. background_jobs reads its output and ends it.",
		),
});

type Input = z.infer<typeof input>;

/** The environment variables are those that no command gets. */
export function runCommandTool(secretVariables: readonly string[]): Tool<Input> {
	return {
		name: "run_command",
		description:
			"Runs a command line in a shell at the top of the workspace and tells what it printed and its exit code. " +
			"It gets no input, so nothing that asks can be answered, and what it leaves running ends with it, unless background is true. " +
			"The user may be asked first. Use the other tools to read, find, search and edit files.",
		kind: "execute",
		input,
		prepare: (given, context) => prepare(given, secretVariables, context),
	};
}

async function prepare(
	{ command, time_limit_s, background = false }: Input,
	secretVariables: readonly string[],
	{ workspace, client: { terminals }, jobs }: ToolContext,
): Promise<ToolAction> {
	checkVisible(command);
	const timeLimitS = time_limit_s ?? TIME_LIMIT_S;
	if (background && jobs === undefined) throw new ToolError("There are no background jobs here. Run it without.");
	return {
		title: `Run ${commandTitle(command)}${background ? " in the background" : ""}`,
		locations: [],
		diffs: [],
		permissions: [{ kind: "command", subject: command }],
		run: async (signal, progress, shownIn) => {
			signal.throwIfAborted();
			if (background && jobs !== undefined) {
				const { id } = jobs.start(command, workspace.root, environmentFor(process.env, secretVariables));
				return { output: `Started as ${id}. Read its output with background_jobs.`, read: [], failed: false };
			}
			if (terminals !== undefined && shownIn !== undefined) {
				const asked = { line: command, folder: workspace.root, timeLimitS, secretVariables };
				const outcome = await runInTerminal(terminals, asked, signal, shownIn);
				if (outcome !== undefined) return outcome;
			}
			const child = startShell(command, workspace.root, environmentFor(process.env, secretVariables), "joined");
			return follow(child, timeLimitS, signal, progress);
		},
	};
}

/** Throws for a command with invisible characters: a user who approves it would not see all of it. */
export function checkVisible(command: string): void {
	const invisible = firstInvisible(command);
	if (invisible === undefined) return;
	throw new ToolError(`The command contains an invisible character (${invisible}). Remove it and try again.`);
}

/** The start of a command, and its size if that is not all of it. */
export function commandTitle(command: string): string {
	const whole = command.trim();
	const [line = ""] = whole.split("\n");
	if (line === whole && line.length <= TITLE_LENGTH_MAX) return line;
	return `${truncateHead(line, TITLE_LENGTH_MAX)}… (${sizeOf(whole)})`;
}

/** The size of a text in characters, and in lines if there are several. */
function sizeOf(text: string): string {
	const characters = `${text.length.toLocaleString("en")} characters`;
	const lines = text.split("\n").length;
	return lines === 1 ? characters : `${lines.toLocaleString("en")} lines, ${characters}`;
}

/** What comes of a command that runs. */
function follow(
	child: ChildProcess,
	timeLimitS: number,
	signal: AbortSignal,
	progress: (output: string) => void,
): Promise<ToolOutcome> {
	const output = new HeadAndTail();
	const decoders = [child.stdout, child.stderr].map((stream) => {
		const decoder = new StringDecoder("utf8");
		stream?.on("data", (bytes: Buffer) => {
			const text = decoder.write(bytes);
			output.add(text);
			if (text !== "" && output.length <= PROGRESS_CHARACTERS_MAX) progress(text);
		});
		return decoder;
	});
	return new Promise((resolve, reject) => {
		let why: string | undefined;
		let kill: NodeJS.Timeout | undefined;
		/** Asks all of its processes to end, and then makes them. */
		const end = () => {
			signalGroup(child, "SIGTERM");
			kill ??= setTimeout(() => {
				signalGroup(child, "SIGKILL");
				// Who has left the group may hold the other end for ever.
				child.stdout?.destroy();
				child.stderr?.destroy();
			}, GRACE_MS);
		};
		const stop = (reason: string) => {
			why ??= reason;
			end();
		};
		const limit = setTimeout(() => stop(`ended after ${timeLimitS} s, before it was done`), timeLimitS * 1000);
		const cancel = () => stop("cancelled");
		signal.addEventListener("abort", cancel);
		const forgetExit = atProcessExit(() => signalGroup(child, "SIGKILL"));
		const settle = () => {
			forgetExit();
			clearTimeout(limit);
			clearTimeout(kill);
			signal.removeEventListener("abort", cancel);
		};
		child.on("error", (error) => {
			settle();
			reject(new ToolError(`The command could not be started: ${error.message}.`));
		});
		// What runs in the background keeps the streams open, so "close" may come much later than this.
		child.on("exit", end);
		child.on("close", (code, killedBy) => {
			settle();
			for (const decoder of decoders) output.add(decoder.end());
			const ending = why ?? (killedBy === null ? `exit code ${code}` : `ended by ${killedBy}`);
			resolve(commandOutcome(output.toString(), ending, why !== undefined || code !== 0));
		});
	});
}

/** Of a job's output, its end: about 4,000 tokens. */
const OUTPUT_CHARS_MAX = 16_000;

const jobsInput = z.object({
	action: z
		.enum(["list", "output", "kill"])
		.describe("list shows all jobs, output what one has printed, kill ends one."),
	job: z.string().optional().describe('The id of the job, such as "job-1". For output and kill.'),
});

/** Lets the model look after the commands that it started in the background. */
export const backgroundJobsTool: Tool<z.infer<typeof jobsInput>> = {
	name: "background_jobs",
	description: "Lists the commands that run_command started in the background, reads the output of one, or ends it.",
	kind: "execute",
	input: jobsInput,
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
			return { output: `${lineOf(named)}\n${truncateTail(printed, OUTPUT_CHARS_MAX)}`, read: [], failed: false };
		},
	}),
};
