import { readFileSync } from "node:fs";
import { type Channel, contentLength, lines, readTrace, TraceError } from "@segue/rpc";
import { agentProcess } from "@segue/rpc/node";
import { harmlessLine } from "@segue/text";
import { type Difference, differencesOf } from "./difference.js";
import { play } from "./playing.js";
import { type Recording, recordingOf } from "./recording.js";

export interface ReplayOptions {
	readonly framing: "lines" | "content-length";
	readonly json?: boolean;
}

const SAME = 0;
const DIFFERENT = 1;
const UNPLAYABLE = 2;

/** Plays a trace's editor against an agent, and prints what goes otherwise. Gives the exit code. */
export async function replay(
	file: string,
	[program, ...args]: readonly [string, ...string[]],
	{ framing, json = false }: ReplayOptions,
): Promise<number> {
	let recording: Recording;
	let channel: Channel;
	try {
		recording = readRecording(file);
		channel = await agentProcess(program, args, { framing: framing === "lines" ? lines : contentLength })();
	} catch (error) {
		process.stderr.write(`segue replay: ${error instanceof Error ? error.message : error}\n`);
		return UNPLAYABLE;
	}
	// Ctrl-C, too, ends the agent that was started.
	for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
		process.once(name, (_name: string, number: number) => process.exit(128 + number));
	}
	const played = await play(recording, channel, (delayMs, run) => {
		const timer = setTimeout(run, delayMs);
		return () => clearTimeout(timer);
	});
	await new Promise<void>((resolve) => channel.close(resolve));
	const differences = differencesOf(recording, played);
	const text = json ? inJson(recording, differences) : inWords(recording, differences);
	await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
	return differences.length === 0 ? SAME : DIFFERENT;
}

function readRecording(file: string): Recording {
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

function inWords(recording: Recording, differences: readonly Difference[]): string {
	const lines = differences.map(({ about, text }) => harmlessLine(`${about}: ${text}`));
	const { requests, notifications, unplayable } = countsOf(recording);
	const found = differences.length === 0 ? "The same" : count(differences.length, "difference");
	const left = unplayable === 0 ? "" : ` ${count(unplayable, "record")} of the editor could not be played.`;
	const what = `${count(requests, "request")} of the editor, ${count(notifications, "notification")} of the agent`;
	return `${[...lines, `${found}: ${what}.${left}`].join("\n")}\n`;
}

function inJson(recording: Recording, differences: readonly Difference[]): string {
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
