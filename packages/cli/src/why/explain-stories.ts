import { readFileSync } from "node:fs";
import { inProcessOutliner } from "@segue/agent/node/in-process-outliner";
import type { Outlines } from "@segue/agent/outline/outliner";
import { drawStory, playStory, readStory, readStoryFile, type StoryStep, type TitledStory } from "@segue/story";
import { sanitizeName } from "@segue/text/sanitize";
import { paintFor } from "../terminal/colour.js";
import { cannotRead, writeMessage } from "../terminal/message.js";
import { COLUMNS_MAX, columnsOf, type Output } from "../terminal/width.js";
import { ExplainingPlayer } from "./explaining-player.js";
import type { PlayedFile, PlayedPane, PlayedStory } from "./explanation.js";
import { printFile, printLegend, storyFileJson } from "./print.js";

export interface ExplainOptions {
	/** Also prints rules, features and the ids of reasons. */
	readonly all?: boolean;
	readonly json?: boolean;
}

/** The parts of the process that the command uses. */
interface WhyContext {
	readonly stdout: Output;
	readonly stderr: Output;
	readonly isColoured: boolean;
}

/**
 * Plays stories on the built-in engine. Returns the exit code: 1 if a file or story cannot be read, or if a pane
 * differs.
 */
export async function explainStories(
	files: readonly string[],
	{ all = false, json = false }: ExplainOptions,
	{ stdout, stderr, isColoured }: WhyContext,
): Promise<number> {
	const played: PlayedFile[] = [];
	const style = { paint: paintFor(isColoured), width: Math.min(columnsOf(stdout), COLUMNS_MAX), all };
	let code = 0;
	for (const file of files) {
		try {
			const one = await play(file);
			played.push(one);
			if (one.stories.some(isOff)) code = 1;
			if (!json) stdout.write(`${played.length > 1 ? "\n" : ""}${printFile(one, style)}`);
		} catch (error) {
			if (!(error instanceof WhyError)) throw error;
			writeMessage(stderr, error.message);
			code = 1;
		}
	}
	if (json) stdout.write(`${JSON.stringify(played.map(storyFileJson))}\n`);
	else stdout.write(printLegend(played, style));
	return code;
}

/** Whether a story's result differs from the expected result. */
function isOff({ panes, problem }: PlayedStory): boolean {
	return problem !== undefined || panes.some(({ drawn, went }) => drawn !== went);
}

/** A file without a story that can be played. The message is shown to the user. */
class WhyError extends Error {}

async function play(file: string): Promise<PlayedFile> {
	const text = readText(file);
	let titled: TitledStory[];
	try {
		titled = readStoryFile(text);
	} catch (error) {
		throw new WhyError(`${sanitizeName(file)}, ${messageOf(error)}`);
	}
	if (titled.length === 0) {
		throw new WhyError(
			`${sanitizeName(file)} has no story. To explain your recent edits, run \`segue why\` without a file. To replay edits, pass a story file (*.story.md).`,
		);
	}
	const outliner = await inProcessOutliner();
	const stories: PlayedStory[] = [];
	for (const story of titled) stories.push(await playOne(story, outliner.outlines()));
	return { file, stories };
}

async function playOne({ title, source }: TitledStory, outlines: Outlines): Promise<PlayedStory> {
	const drawOne = (step: StoryStep) => drawStory({ steps: [step], margin: { top: "", left: "", bottom: "" } });
	const player = new ExplainingPlayer(outlines);
	try {
		const story = readStory(source);
		const actual = await playStory(story, player);
		const requested = [...story.steps.keys()].filter((i) => story.steps[i]?.verb.startsWith("suggests"));
		const panes = player.explanations.map((explanation, i): PlayedPane => {
			const index = requested[i] as number;
			const [drawn, went] = [story, actual].map(({ steps }) => drawOne(steps[index] as StoryStep)) as [string, string];
			return { number: index + 1, drawn, went, explanation };
		});
		const left = requested.length - panes.length;
		const problem = left === 0 ? undefined : `The result differs, so ${left} more panes could not be played.`;
		return { title, panes, problem };
	} catch (error) {
		return { title, panes: [], problem: messageOf(error) };
	}
}

/** Returns the message of an error in a story, which is a plain `Error`. Throws any other error, because it is a bug. */
function messageOf(error: unknown): string {
	if (!(error instanceof Error) || error.constructor !== Error) throw error;
	return error.message;
}

function readText(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch (error) {
		throw new WhyError(`${cannotRead(file, error)} To explain your recent edits, run \`segue why\` without a file.`);
	}
}
