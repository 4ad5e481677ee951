import { contentLength } from "@segue/rpc";
import { ConfiguredBackend } from "@segue/server/eca/configured-backend";
import { serveEca } from "@segue/server/eca/eca-server";
import type { EcaVersion } from "@segue/server/eca/encoding/eca-version";
import type { CommandProcess } from "../command-line.js";
import { serveStandardStreams } from "./standard-streams.js";

export interface EcaCommandOptions {
	/** The protocol version. If absent, it is detected from the editor's messages. */
	readonly protocol?: EcaVersion;
	/** Name or command line of another agent to use. */
	readonly agent?: string;
}

/** Serves the editor that started this process over ECA. */
export async function runEca(
	{ protocol, agent }: EcaCommandOptions,
	version: string,
	process: CommandProcess,
): Promise<void> {
	await serveStandardStreams(process, contentLength, (channel, { log, report }) => {
		const { env, startAgent } = process;
		const folder = process.cwd();
		const backend = new ConfiguredBackend({ env, folder, agent, notify: log, startAgent });
		const connection = serveEca(channel, { backend, version, report, folder, protocolVersion: protocol });
		return { connection, end: () => backend.close() };
	});
	// An editor may leave our standard input open after it has sent `exit` or disconnected.
	process.exit();
}
