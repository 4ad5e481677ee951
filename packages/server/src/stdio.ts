import { lines, type Problem } from "@segue/rpc";
import { overStreams } from "@segue/rpc/node";
import { type Sync, serveAcp } from "./acp.js";
import { LazyChat } from "./chat/lazy.js";
import { Outliner } from "./outline/outliner.js";
import { startOutlineWorker } from "./outline/worker.js";

const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;
// What shells give for a process that a signal ended: this and its number.
const SIGNALLED = 128;

export interface ServeOptions {
	readonly sync: Sync;
	/** Another agent that answers in chat: its name, or its command line. */
	readonly agent?: string;
}

/** Serves the editor that started this process, until it goes. What has no answer is told on standard error. */
export async function serveStandardStreams({ sync, agent }: ServeOptions, version: string): Promise<void> {
	// An editor may close standard error and still want suggestions.
	process.stderr.on("error", () => {});
	const tell = (text: string) => process.stderr.write(`segue: ${text}\n`);
	const report = ({ kind, method, text, error }: Problem) => {
		const about = method === undefined ? kind : `${kind} ${method}`;
		tell(`${about}: ${text}${error instanceof Error ? ` (${error.message})` : ""}`);
	};
	const outliner = new Outliner(startOutlineWorker, (why) => tell(`no outlines: ${why}`));
	const channel = overStreams(process.stdin, process.stdout, lines);
	const chat = new LazyChat(agent, tell);
	const connection = serveAcp(channel, { sync, version, report, outliner, chat });
	let ended: number | undefined;
	const end = (_name: string, signal: number) => {
		ended ??= SIGNALLED + signal;
		connection.close();
	};
	for (const name of SIGNALS) process.on(name, end);
	const { by, reason } = await connection.closed;
	outliner.stop();
	// Another agent is a process of its own, and would go on.
	await chat.close();
	if (ended !== undefined) process.exit(ended);
	for (const name of SIGNALS) process.off(name, end);
	if (by === "failure") {
		tell(reason);
		process.exitCode = 1;
	}
}
