import { contentLength } from "@segue/rpc";
import { ConfiguredBackend } from "@segue/server/eca/configured";
import { serveEca } from "@segue/server/eca/door";
import type { Form } from "@segue/server/eca/session";
import type { CommandProcess } from "../command-line.js";
import { serveStandardStreams } from "../standard-streams.js";

export interface EcaCommandOptions {
	/** The form of the protocol; as the editor says it where it is absent. */
	readonly protocol?: Form;
	/** Another agent that answers: its name, or its command line. */
	readonly agent?: string;
}

/** Serves the editor that started this process over ECA. */
export async function serveEcaHere(
	{ protocol, agent }: EcaCommandOptions,
	version: string,
	process: CommandProcess,
): Promise<void> {
	await serveStandardStreams(process, contentLength, (channel, { tell, report }) => {
		const { env, startAgent } = process;
		const folder = process.cwd();
		const backend = new ConfiguredBackend({ env, folder, agent, tell, startAgent });
		const connection = serveEca(channel, { backend, version, report, folder, form: protocol });
		return { connection, end: () => backend.close() };
	});
	// An editor that says exit, or is gone, need not have closed what we read from.
	process.exit();
}
