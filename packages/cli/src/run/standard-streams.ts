import type { Readable, Writable } from "node:stream";
import type { Channel, Connection, Framing } from "@segue/rpc";
import { overStreams } from "@segue/rpc/node";
import type { CommandProcess } from "../command-line.js";
import { withTimeout } from "../shutdown.js";
import { openStandardErrorLog, type StandardErrorLog } from "./standard-error-log.js";

const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;
// Shells report 128 plus the signal number for a process ended by a signal.
const SIGNALLED = 128;

interface ServedConnection {
	readonly connection: Connection<"agent">;
	/** Stops background work once the connection has closed. */
	end(): Promise<void>;
}

/** Serves the editor that started this process until it disconnects or a signal arrives. Uses other streams if given. */
export async function serveStandardStreams(
	process: CommandProcess,
	framing: Framing,
	serve: (channel: Channel, log: StandardErrorLog) => ServedConnection,
	{ input, output }: { input: Readable; output: Writable } = { input: process.stdin, output: process.stdout },
): Promise<void> {
	const log = openStandardErrorLog(process);
	const served = serve(overStreams(input, output, framing), log);
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
		log.log(reason);
		process.exitCode = 1;
	}
	log.flush();
	if (!isEnded) process.exit();
}
