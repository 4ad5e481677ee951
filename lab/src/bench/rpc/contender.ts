import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { Agent, type DidChange, didChangeTo, type Suggest, type Suggestions, suggestAt } from "./messages.js";

/** A way to speak JSON-RPC over two streams. */
export interface Contender {
	/** The agent's end. */
	serve(agent: Agent, input: Readable, output: Writable): void;
	/** The editor's end. */
	connect(input: Readable, output: Writable): Editor;
}

interface Editor {
	didChange(params: DidChange): void;
	suggest(params: Suggest): Promise<Suggestions>;
}

/** What one pair of processes measures at a time, in milliseconds. */
export interface Times {
	/** From the first of many notifications until the agent says that it has handled the last. */
	readonly changes: number;
	/** Many requests, each sent when the one before was answered. */
	readonly roundTrips: number;
}

export const CHANGES = 20_000;
export const ROUND_TRIPS = 3000;

/**
 * The whole program of a contender. Without an argument it is the editor: it starts itself once more as the agent and
 * talks to it through the two pipes of a child process, as often as the benchmark asks it to.
 */
export function compete(contender: Contender): void {
	if (process.argv[2] === "agent") contender.serve(new Agent(), process.stdin, process.stdout);
	else edit(contender);
}

function edit(contender: Contender): void {
	const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1, 2), "agent"], {
		stdio: ["pipe", "pipe", "inherit"],
	});
	const editor = contender.connect(child.stdout, child.stdin);
	let version = 0;
	process.on("message", async () => {
		const changes = await sendChanges(editor, version);
		version += CHANGES;
		const roundTrips = await makeRoundTrips(editor, version);
		process.send?.({ changes, roundTrips } satisfies Times);
	});
	process.on("disconnect", () => child.kill());
}

async function sendChanges(editor: Editor, before: number): Promise<number> {
	const changes = Array.from({ length: CHANGES }, (_, index) => didChangeTo(before + index + 1));
	const start = performance.now();
	for (const change of changes) editor.didChange(change);
	await suggest(editor, before + CHANGES);
	return performance.now() - start;
}

async function makeRoundTrips(editor: Editor, version: number): Promise<number> {
	const start = performance.now();
	for (let i = 0; i < ROUND_TRIPS; i++) await suggest(editor, version);
	return performance.now() - start;
}

async function suggest(editor: Editor, version: number): Promise<void> {
	const { suggestions } = await editor.suggest(suggestAt(version));
	if (suggestions[0]?.id !== `suggestion-${version}`) throw new Error(`version ${version} got another answer`);
}
