import { lines } from "@segue/rpc";
import { type AcpSync, serveAcp } from "@segue/server/acp/acp-server";
import type { CommandProcess, ServingOptions } from "../command-line.js";
import { closeAgentParts, createAgentParts } from "./agent-parts.js";
import { serveStandardStreams } from "./standard-streams.js";

// Separate from the command, because one dynamic import loads fewer files than several dynamic imports do: 21
// instead of 30.

export interface AcpCommandOptions extends ServingOptions {
	readonly sync: AcpSync;
}

/** Serves the editor that started this process over ACP. */
export function runAcp(
	{ sync, ...options }: AcpCommandOptions,
	version: string,
	process: CommandProcess,
): Promise<void> {
	return serveStandardStreams(process, lines, (channel, { log, report }) => {
		const serving = createAgentParts(options, log, process);
		const connection = serveAcp(channel, { sync, version, report, ...serving.acp });
		return { connection, end: () => closeAgentParts(serving) };
	});
}
