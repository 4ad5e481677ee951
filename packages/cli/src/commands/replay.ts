import { readFileSync } from "node:fs";
import type { Channel } from "@segue/rpc";
import { startTimer } from "@segue/text/clock";
import { errorText, sanitizeLine } from "@segue/text/sanitize";
import { type Command, Option } from "commander";
import type { ReplayDifference } from "../inspect/difference.js";
import type { Recording } from "../inspect/recording.js";

export function addReplay(program: Command): Command {
	return program
		.command("replay")
		.description("play the editor of a trace against an agent, and tell what goes otherwise than it was recorded")
		.argument("<trace>", "a file that segue inspect has written, or the page has saved")
		.argument("<command...>", "the agent; after --")
		.addOption(
			new Option("--framing <how>", "how the agent tells messages apart")
				.choices(["lines", "content-length"])
				.default("lines"),
		)
		.option("--json", "print everything as JSON")
		.addHelpText(
			"after",
			"\nExample:\n  $ segue replay acp.jsonl -- segue acp\n\nThe exit code is 0 where all is the same, 1 where something differs, and 2 where it cannot be played.",
		)
		.action(async (trace: string, command: [string, ...string[]], options: ReplayOptions) => {
			process.exit(await replay(trace, command, options));
		});
}

interface ReplayOptions {
	readonly framing: "lines" | "content-length";
	readonly json?: boolean;
}

const SAME = 0;
const DIFFERENT = 1;
const UNPLAYABLE = 2;

/** Plays the editor's side of a trace against an agent, and prints the differences. Returns the exit code. */
async function replay(
	file: string,
	[program, ...args]: readonly [string, ...string[]],
	{ framing, json = false }: ReplayOptions,
): Promise<number> {
	const { contentLength, lines } = await import("@segue/rpc");
	const { agentProcess } = await import("@segue/rpc/node");
	const { differencesOf } = await import("../inspect/difference.js");
	const { playRecording } = await import("../inspect/playback.js");
	let recording: Recording;
	let channel: Channel;
	try {
		recording = await readRecording(file);
		channel = await agentProcess(program, args, { framing: framing === "lines" ? lines : contentLength })();
	} catch (error) {
		process.stderr.write(`segue replay: ${errorText(error)}\n`);
		return UNPLAYABLE;
	}
	// Exit handlers end the agent, also after Ctrl-C.
	for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
		process.once(name, (_name: string, number: number) => process.exit(128 + number));
	}
	const played = await playRecording(recording, channel, startTimer);
	await new Promise<void>((resolve) => channel.close(resolve));
	const differences = differencesOf(recording, played);
	const text = json ? inJson(recording, differences) : inWords(recording, differences);
	await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
	return differences.length === 0 ? SAME : DIFFERENT;
}

async function readRecording(file: string): Promise<Recording> {
	const { readTrace, TraceError } = await import("@segue/rpc");
	const { recordingOf } = await import("../inspect/recording.js");
	let recording: Recording;
	try {
		recording = recordingOf(readTrace(readFileSync(file, "utf8")));
	} catch (error) {
		const { message } = error as Error;
		throw new Error(error instanceof TraceError ? `${file}: ${message}` : `the trace cannot be read: ${message}`);
	}
	if (recording.steps.length === 0) throw new Error(`${file}: there is no message of an editor in it`);
	return recording;
}

function inWords(recording: Recording, differences: readonly ReplayDifference[]): string {
	const lines = differences.map(({ about, text }) => sanitizeLine(`${about}: ${text}`));
	const { requests, notifications, unplayable } = countsOf(recording);
	const found = differences.length === 0 ? "The same" : count(differences.length, "difference");
	const left = unplayable === 0 ? "" : ` ${count(unplayable, "record")} of the editor could not be played.`;
	const what = `${count(requests, "request")} of the editor, ${count(notifications, "notification")} of the agent`;
	return `${[...lines, `${found}: ${what}.${left}`].join("\n")}\n`;
}

function inJson(recording: Recording, differences: readonly ReplayDifference[]): string {
	return `${JSON.stringify({ ...countsOf(recording), differences }, null, 2)}\n`;
}

function countsOf({ steps, rest, unplayable }: Recording) {
	const expected = [...steps, rest].flatMap(({ after }) => after);
	return {
		requests: steps.filter(({ kind }) => kind === "request").length,
		notifications: expected.filter(({ kind }) => kind === "notification").length,
		unplayable,
	};
}

function count(number: number, what: string): string {
	return `${number} ${what}${number === 1 ? "" : "s"}`;
}
