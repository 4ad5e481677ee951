import type { Readable, Writable } from "node:stream";
import { debuglog } from "node:util";
import type { Channel, Connection, Framing, Problem } from "@segue/rpc";
import { overStreams } from "@segue/rpc/node";
import type { CommandProcess } from "../command-line.js";
import { withTimeout } from "../shutdown.js";
import { LogLimit } from "./log-limit.js";

/** Shown on standard error with NODE_DEBUG=segue. */
const debug = debuglog("segue");
const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;
// What shells give for a process that a signal ended: this and its number.
const SIGNALLED = 128;

/** What has no answer, told on standard error. */
export interface StandardErrorLog {
	tell(text: string): void;
	report(problem: Problem): void;
}

export interface ServedConnection {
	readonly connection: Connection<"agent">;
	/** Ends what would otherwise go on without the connection. */
	end(): Promise<void>;
}

/** Serves the editor that started this process, until it goes or a signal comes; over other streams where some are given. */
export async function serveStandardStreams(
	process: CommandProcess,
	framing: Framing,
	serve: (channel: Channel, log: StandardErrorLog) => ServedConnection,
	{ input, output }: { input: Readable; output: Writable } = { input: process.stdin, output: process.stdout },
): Promise<void> {
	// An editor may close standard error and still want to be served.
	process.stderr.on("error", () => {});
	const log = new LogLimit((text) => process.stderr.write(`segue: ${text}\n`));
	const tell = (text: string) => log.log(text);
	const report = ({ kind, method, text, error }: Problem) => {
		const about = method === undefined ? kind : `${kind} ${method}`;
		// Clients send notifications of other protocol versions and of their own.
		const write = kind === "unknown-notification" ? debug : tell;
		write(`${about}: ${text}${error instanceof Error ? ` (${error.message})` : ""}`);
	};
	const served = serve(overStreams(input, output, framing), { tell, report });
	let ended: number | undefined;
	const end = (_name: string, signal: number) => {
		ended ??= SIGNALLED + signal;
		served.connection.close();
	};
	for (const name of SIGNALS) process.on(name, end);
	const { by, reason } = await served.connection.closed;
	const isEnded = await withTimeout(served.end());
	if (ended !== undefined) {
		log.flush();
		process.exit(ended);
	}
	for (const name of SIGNALS) process.off(name, end);
	if (by === "failure") {
		tell(reason);
		process.exitCode = 1;
	}
	log.flush();
	if (!isEnded) process.exit();
}
