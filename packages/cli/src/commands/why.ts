import { readFileSync } from "node:fs";
import type { Outlines } from "@segue/agent/outline/outliner";
import type { StoryStep, TitledStory } from "@segue/story";
import { type Command, Option } from "commander";
import { type CommandProcess, readCount } from "../command-line.js";
import { isColoured } from "../terminal/colour.js";
import type { StoryExplanation } from "../why/explanation.js";
import type { RecentOptions } from "../why/recent-requests.js";

export function addWhy(program: Command, _version: string, process: CommandProcess): Command {
	return (
		program
			.command("why")
			.description("tell what was considered for the last requests of running servers, or in stories, and why")
			.argument("[files...]", "files of stories, as *.story.md, to be played on the embedded engine")
			.addOption(new Option("--server <pid>", "the requests of one server alone").argParser(readCount))
			// Enough to explain what just happened.
			.addOption(new Option("--last <n>", "so many requests of each server").argParser(readCount).default(5))
			.option("--json", "print JSON: the likeliest candidates of each request, or every one in stories, with features")
			.addHelpText(
				"after",
				`
Examples:
  $ segue why                              what servers that run on this machine were asked last
  $ segue why --server 4242 --last 20
  $ segue why stories/rename.story.md      what the embedded engine thinks in a story

Servers write down nothing of what your documents hold, nor where they are, unless they were started with --with-code.
With --json, a candidate in a story has all its features; of a server, the three likeliest have those that are not 0.
The exit code is 1 where no server runs, or where a story goes otherwise than it is drawn.`,
			)
			.action(async (files: string[], options: RecentOptions & WhyOptions, command: Command) => {
				if (files.length === 0) {
					const { runExplainRecent } = await import("../why/recent-requests.js");
					await runExplainRecent(options, process);
					return;
				}
				const misplaced = ["server", "last"].find((name) => command.getOptionValueSource(name) === "cli");
				if (misplaced !== undefined) {
					command.error(`error: --${misplaced} is about running servers: leave it out, or the files of stories`);
				}
				const { stdout, stderr, env } = process;
				process.exitCode = await explain(files, options, { stdout, stderr, isColoured: isColoured(stdout, env) });
			})
	);
}

interface WhyOptions {
	readonly json?: boolean;
}

/** The parts of the process that the command uses. */
interface WhyContext {
	readonly stdout: { write(text: string): unknown };
	readonly stderr: { write(text: string): unknown };
	readonly isColoured: boolean;
}

/** The results of the stories of a file. */
export interface PlayedFile {
	readonly file: string;
	readonly stories: readonly PlayedStory[];
}

export interface PlayedStory {
	readonly title: string;
	/** The `suggests` panes. */
	readonly panes: readonly PlayedPane[];
	/** The reason why it could not be played to its end. */
	readonly problem: string | undefined;
}

export interface PlayedPane {
	/** Its position in the story, counted from 1. */
	readonly number: number;
	/** The expected and the actual pane. */
	readonly drawn: string;
	readonly went: string;
	readonly thought: StoryExplanation;
}

/** Plays stories on the embedded engine. Returns the exit code: 1 if a file or story cannot be read, or a pane differs. */
export async function explain(
	files: readonly string[],
	{ json = false }: WhyOptions,
	{ stdout, stderr, isColoured }: WhyContext,
): Promise<number> {
	const { storyFileJson, printFile } = await import("../why/print.js");
	const played: PlayedFile[] = [];
	let code = 0;
	for (const file of files) {
		try {
			const one = await play(file);
			played.push(one);
			if (one.stories.some(isOff)) code = 1;
			if (!json) stdout.write(`${played.length > 1 ? "\n" : ""}${printFile(one, isColoured)}`);
		} catch (error) {
			if (!(error instanceof WhyError)) throw error;
			stderr.write(`segue: ${error.message}\n`);
			code = 1;
		}
	}
	if (json) stdout.write(`${JSON.stringify(played.map(storyFileJson))}\n`);
	return code;
}

/** Whether the result of a story differs from what it expects. */
function isOff({ panes, problem }: PlayedStory): boolean {
	return problem !== undefined || panes.some(({ drawn, went }) => drawn !== went);
}

/** A file has nothing to explain. The message is shown to the user. */
class WhyError extends Error {}

async function play(file: string): Promise<PlayedFile> {
	const { inProcessOutliner } = await import("@segue/agent/node/in-process-outliner");
	const { readStoryFile } = await import("@segue/story");
	const text = readText(file);
	let titled: TitledStory[];
	try {
		titled = readStoryFile(text);
	} catch (error) {
		throw new WhyError(`${file}, ${messageOf(error)}`);
	}
	if (titled.length === 0) {
		throw new WhyError(`${file} has no story: one stands under a heading, in a block that begins with \`\`\`story`);
	}
	const outliner = await inProcessOutliner();
	const stories: PlayedStory[] = [];
	for (const story of titled) stories.push(await playOne(story, outliner.outlines()));
	return { file, stories };
}

async function playOne({ title, source }: TitledStory, outlines: Outlines): Promise<PlayedStory> {
	const { drawStory, playStory, readStory } = await import("@segue/story");
	const { ExplainingPlayer } = await import("../why/explaining-player.js");
	const drawOne = (step: StoryStep) => drawStory({ steps: [step], margin: { top: "", left: "", bottom: "" } });
	const player = new ExplainingPlayer(outlines);
	try {
		const story = readStory(source);
		const actual = await playStory(story, player);
		const asked = [...story.steps.keys()].filter((i) => story.steps[i]?.verb.startsWith("suggests"));
		const panes = player.thoughts.map((thought, i): PlayedPane => {
			const index = asked[i] as number;
			const [drawn, went] = [story, actual].map(({ steps }) => drawOne(steps[index] as StoryStep)) as [string, string];
			return { number: index + 1, drawn, went, thought };
		});
		const left = asked.length - panes.length;
		const problem =
			left === 0 ? undefined : `It went otherwise than drawn, and ${left} more panes could not be played.`;
		return { title, panes, problem };
	} catch (error) {
		return { title, panes: [], problem: messageOf(error) };
	}
}

/** Stories throw plain errors. Any other error is a bug. */
function messageOf(error: unknown): string {
	if (!(error instanceof Error) || error.constructor !== Error) throw error;
	return error.message;
}

function readText(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		const why = { ENOENT: "there is no such file", EISDIR: "it is a folder; name the files in it" }[code ?? ""];
		throw new WhyError(`cannot read ${file}: ${why ?? message}. How to call it: segue help why`);
	}
}
