import { readFileSync } from "node:fs";
import type { Channel } from "@segue/rpc";
import { startTimer } from "@segue/text/clock";
import { errorText, sanitizeLine } from "@segue/text/sanitize";
import { type Command, Option } from "commander";
import type { ReplayDifference } from "../inspect/difference.js";
import type { Recording } from "../inspect/recording.js";
import { writeMessage } from "../terminal/message.js";

export function addReplay(program: Command): Command {
	return program
		.command("replay")
		.description("Replay a recorded session and report differences.")
		.argument("<trace>", "trace written by segue inspect, or saved from its web page")
		.argument("<command...>", "the command that starts the agent; put it after --")
		.addOption(
			new Option("--framing <framing>", "the agent's message framing")
				.choices(["lines", "content-length"])
				.default("lines"),
		)
		.option("--json", "print JSON")
		.addHelpText(
			"after",
			`
Example:
  $ segue replay acp.jsonl -- segue acp

Exit codes: 0 if nothing differs, 1 if something differs, 2 if the trace cannot be replayed.`,
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

/** Replays the editor's side of a trace against an agent and prints the differences. Returns the exit code. */
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
		const start = agentProcess(program, args, { framing: framing === "lines" ? lines : contentLength });
		channel = await start().catch((error: unknown) => {
			throw new Error(`${errorText(error)}.`);
		});
	} catch (error) {
		writeMessage(process.stderr, errorText(error));
		return UNPLAYABLE;
	}
	// Exit handlers stop the agent, even after Ctrl-C.
	for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
		process.once(name, (_name: string, number: number) => process.exit(128 + number));
	}
	const played = await playRecording(recording, channel, startTimer);
	await new Promise<void>((resolve) => channel.close(resolve));
	const differences = differencesOf(recording, played);
	const text = json ? printJson(recording, differences) : print(recording, differences);
	await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
	return differences.length === 0 ? SAME : DIFFERENT;
}

async function readRecording(file: string): Promise<Recording> {
	const { readTrace, TraceError } = await import("@segue/rpc/trace");
	const { recordingOf } = await import("../inspect/recording.js");
	let recording: Recording;
	try {
		recording = recordingOf(readTrace(readFileSync(file, "utf8")));
	} catch (error) {
		if (error instanceof TraceError) throw new Error(`${file}: ${error.message}.`);
		const { cannotRead } = await import("../terminal/message.js");
		throw new Error(`${cannotRead(file, error)} To record a trace: segue inspect --trace FILE -- AGENT`);
	}
	if (recording.steps.length === 0) throw new Error(`${file} has no messages from an editor.`);
	return recording;
}

function print(recording: Recording, differences: readonly ReplayDifference[]): string {
	const lines = differences.map(({ about, text }) => sanitizeLine(`${about}: ${text}`));
	const { requests, notifications, unplayable } = countsOf(recording);
	const found = differences.length === 0 ? "No differences" : count(differences.length, "difference");
	const skipped = unplayable === 0 ? "" : ` Skipped ${count(unplayable, "invalid message")} from the editor.`;
	const played = `${count(requests, "request")} from the editor and ${count(notifications, "notification")} from the agent`;
	return `${[...lines, `${found} in ${played}.${skipped}`].join("\n")}\n`;
}

function printJson(recording: Recording, differences: readonly ReplayDifference[]): string {
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

function count(number: number, noun: string): string {
	return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
