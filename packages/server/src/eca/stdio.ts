import { contentLength, type Problem } from "@segue/rpc";
import { overStreams } from "@segue/rpc/node";
import { withinPatience } from "../patience.js";
import { ConfiguredBackend } from "./configured.js";
import { serveEca } from "./door.js";
import type { Form } from "./session.js";

const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;
// What shells give for a process that a signal ended: this and its number.
const SIGNALLED = 128;

export interface EcaCommandOptions {
	/** The form of the protocol; as the editor says it where it is absent. */
	readonly protocol?: Form;
	/** Another agent that answers: its name, or its command line. */
	readonly agent?: string;
}

/** Serves the editor that started this process, until it goes. What has no answer is told on standard error. */
export async function serveEcaStreams({ protocol, agent }: EcaCommandOptions, version: string): Promise<void> {
	// An editor may close standard error and still want answers.
	process.stderr.on("error", () => {});
	const tell = (text: string) => process.stderr.write(`segue: ${text}\n`);
	const report = ({ kind, method, text, error }: Problem) => {
		const about = method === undefined ? kind : `${kind} ${method}`;
		tell(`${about}: ${text}${error instanceof Error ? ` (${error.message})` : ""}`);
	};
	const channel = overStreams(process.stdin, process.stdout, contentLength);
	const { env } = process;
	const folder = process.cwd();
	const backend = new ConfiguredBackend({ env, folder, agent, tell });
	const connection = serveEca(channel, { backend, version, report, folder, form: protocol });
	let ended: number | undefined;
	const end = (_name: string, signal: number) => {
		ended ??= SIGNALLED + signal;
		connection.close();
	};
	for (const name of SIGNALS) process.on(name, end);
	const { by, reason } = await connection.closed;
	// Another agent is a process of its own, and would go on.
	await withinPatience(backend.close());
	if (by === "failure") tell(reason);
	// An editor that says exit, or is gone, need not have closed what we read from.
	process.exit(ended ?? (by === "failure" ? 1 : 0));
}
