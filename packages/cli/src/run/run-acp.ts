import { lines } from "@segue/rpc";
import { serveAcp } from "@segue/server/acp/acp-server";
import type { CommandProcess } from "../command-line.js";
import type { AcpCommandOptions } from "../commands/acp.js";
import { closeAgentParts, createAgentParts } from "./agent-parts.js";
import { serveStandardStreams } from "./standard-streams.js";

// Apart from the command, because one dynamic import of all of this starts faster than several: 21 files instead of 30.

/** Serves the editor that started this process over ACP. */
export function runAcp(
	{ sync, ...options }: AcpCommandOptions,
	version: string,
	process: CommandProcess,
): Promise<void> {
	return serveStandardStreams(process, lines, (channel, { tell, report }) => {
		const serving = createAgentParts(options, tell, process);
		const connection = serveAcp(channel, { sync, version, report, ...serving.acp });
		return { connection, end: () => closeAgentParts(serving) };
	});
}
