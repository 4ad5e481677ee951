import { type ChildProcess, fork, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { CountingAgent, type DidChange, didChangeTo, type Suggest, type SuggestResult, suggestAt } from "./messages.js";

/** A JSON-RPC implementation over two streams. */
export interface Contender {
	/** Serves the agent's side. */
	serve(agent: CountingAgent, input: Readable, output: Writable): void;
	/** Connects the editor's side. */
	connect(input: Readable, output: Writable): Editor;
}

interface Editor {
	didChange(params: DidChange): void;
	suggest(params: Suggest): Promise<SuggestResult>;
}

/** Measurements for one pair of processes, in milliseconds. */
export interface Times {
	/** The time from the first of many notifications until the agent has handled the last. */
	readonly changes: number;
	/** The time taken by many consecutive requests. */
	readonly roundTrips: number;
}

export const CHANGES = 20_000;
export const ROUND_TRIPS = 3000;

/**
 * Runs the main program of a contender. Without an argument it is the editor: it starts another copy of itself as the
 * agent, and measures whenever the benchmark sends a message.
 */
export function compete(contender: Contender): void {
	if (process.argv[2] === "agent") contender.serve(new CountingAgent(), process.stdin, process.stdout);
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
	if (suggestions[0]?.id !== `suggestion-${version}`) throw new Error(`wrong response for version ${version}`);
}

/** A contender's processes: the editor, and the agent that it starts. */
export class ContenderProcess {
	private readonly editor: ChildProcess;

	constructor(private readonly file: string) {
		this.editor = fork(file, { execArgv: [] });
	}

	measure(): Promise<Times> {
		return new Promise((resolve, reject) => {
			const onExit = () => reject(new Error(`${this.file} exited during a measurement`));
			this.editor.once("exit", onExit);
			this.editor.once("message", (times) => {
				this.editor.off("exit", onExit);
				resolve(times as Times);
			});
			this.editor.send("measure");
		});
	}

	stop(): void {
		this.editor.disconnect();
	}
}
