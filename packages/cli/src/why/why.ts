import { readFileSync } from "node:fs";
import { outlineHere } from "@segue/agent/node/outline-here";
import type { Outlines } from "@segue/agent/outline/outliner";
import { drawStory, playStory, readStory, readStoryFile, type Step, type TitledStory } from "@segue/story";
import type { CommandProcess } from "../command-line.js";
import { isColoured } from "../terminal/colour.js";
import { ThoughtfulPlayer } from "./player.js";
import { jsonOf, printFile } from "./print.js";
import type { Thought } from "./thought.js";

export interface WhyOptions {
	readonly json?: boolean;
}

/** What an explanation needs of the process it is in. */
export interface Surroundings {
	readonly stdout: { write(text: string): unknown };
	readonly stderr: { write(text: string): unknown };
	readonly isColoured: boolean;
}

/** The stories of a file, as they went. */
export interface PlayedFile {
	readonly file: string;
	readonly stories: readonly PlayedStory[];
}

export interface PlayedStory {
	readonly title: string;
	/** Those that say what is suggested, or that nothing is. */
	readonly panes: readonly PlayedPane[];
	/** Why it could not be played to its end. */
	readonly problem: string | undefined;
}

export interface PlayedPane {
	/** Which of the story's panes it is, counted from 1. */
	readonly number: number;
	/** As the story has it, and as it went. */
	readonly drawn: string;
	readonly went: string;
	readonly thought: Thought;
}

/** `segue why`: plays stories on the embedded engine, and tells what it thought. */
export async function explainHere(
	files: readonly string[],
	options: WhyOptions,
	process: CommandProcess,
): Promise<void> {
	const { stdout, stderr, env } = process;
	process.exitCode = await explain(files, options, { stdout, stderr, isColoured: isColoured(stdout, env) });
}

/** Gives the exit code: 1 where a file or a story cannot be read, or a pane does not hold. */
export async function explain(
	files: readonly string[],
	{ json = false }: WhyOptions,
	{ stdout, stderr, isColoured }: Surroundings,
): Promise<number> {
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
	if (json) stdout.write(`${JSON.stringify(played.map(jsonOf))}\n`);
	return code;
}

/** Whether a story went otherwise than it was drawn. */
function isOff({ panes, problem }: PlayedStory): boolean {
	return problem !== undefined || panes.some(({ drawn, went }) => drawn !== went);
}

/** Why a file has nothing to explain; a sentence for whoever asked. */
class WhyError extends Error {}

async function play(file: string): Promise<PlayedFile> {
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
	const outliner = await outlineHere();
	const stories: PlayedStory[] = [];
	for (const story of titled) stories.push(await playOne(story, outliner.outlines()));
	return { file, stories };
}

async function playOne({ title, source }: TitledStory, outlines: Outlines): Promise<PlayedStory> {
	const player = new ThoughtfulPlayer(outlines);
	try {
		const story = readStory(source);
		const actual = await playStory(story, player);
		const asked = [...story.steps.keys()].filter((i) => story.steps[i]?.verb.startsWith("suggests"));
		const panes = player.thoughts.map((thought, i): PlayedPane => {
			const index = asked[i] as number;
			const [drawn, went] = [story, actual].map(({ steps }) => drawOne(steps[index] as Step)) as [string, string];
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

function drawOne(step: Step): string {
	return drawStory({ steps: [step], margin: { top: "", left: "", bottom: "" } });
}

/** What is wrong with a story is said by plain errors. Any other is ours. */
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
