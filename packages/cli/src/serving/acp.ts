import { lines } from "@segue/rpc";
import { type Sync, serveAcp } from "@segue/server/acp/door";
import type { CommandProcess, ServingOptions } from "../command-line.js";
import { serveStandardStreams } from "../standard-streams.js";
import { endServing, servingHere } from "./serving.js";

export interface AcpCommandOptions extends ServingOptions {
	readonly sync: Sync;
}

/** Serves the editor that started this process over ACP. */
export function serveAcpHere(
	{ sync, ...options }: AcpCommandOptions,
	version: string,
	process: CommandProcess,
): Promise<void> {
	return serveStandardStreams(process, lines, (channel, { tell, report }) => {
		const serving = servingHere(options, tell, process);
		const connection = serveAcp(channel, { sync, version, report, ...serving.acp });
		return { connection, end: () => endServing(serving) };
	});
}
