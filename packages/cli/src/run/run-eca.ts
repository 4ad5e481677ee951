import { contentLength } from "@segue/rpc";
import { ConfiguredBackend } from "@segue/server/eca/configured-backend";
import { serveEca } from "@segue/server/eca/eca-server";
import type { CommandProcess } from "../command-line.js";
import type { EcaCommandOptions } from "../commands/eca.js";
import { serveStandardStreams } from "./standard-streams.js";

/** Serves the editor that started this process over ECA. */
export async function runEca(
	{ protocol, agent }: EcaCommandOptions,
	version: string,
	process: CommandProcess,
): Promise<void> {
	await serveStandardStreams(process, contentLength, (channel, { tell, report }) => {
		const { env, startAgent } = process;
		const folder = process.cwd();
		const backend = new ConfiguredBackend({ env, folder, agent, notify: tell, startAgent });
		const connection = serveEca(channel, { backend, version, report, folder, protocolVersion: protocol });
		return { connection, end: () => backend.close() };
	});
	// An editor that sent exit or disconnected may still keep our standard input open.
	process.exit();
}
