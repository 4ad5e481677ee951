import { lines, type Problem } from "@segue/rpc";
import { overStreams } from "@segue/rpc/node";
import { type Sync, serveAcp } from "./acp.js";
import { Outliner } from "./outline/outliner.js";
import { startOutlineWorker } from "./outline/worker.js";

/** Serves the editor that started this process, until it goes. What has no answer is told on standard error. */
export async function serveStandardStreams(sync: Sync, version: string): Promise<void> {
	// An editor may close standard error and still want suggestions.
	process.stderr.on("error", () => {});
	const report = ({ kind, method, text, error }: Problem) => {
		const about = method === undefined ? kind : `${kind} ${method}`;
		process.stderr.write(`segue: ${about}: ${text}${error instanceof Error ? ` (${error.message})` : ""}\n`);
	};
	const outliner = new Outliner(startOutlineWorker, (why) => process.stderr.write(`segue: no outlines: ${why}\n`));
	const channel = overStreams(process.stdin, process.stdout, lines);
	const connection = serveAcp(channel, { sync, version, report, outliner });
	const { by, reason } = await connection.closed;
	outliner.stop();
	if (by === "failure") {
		process.stderr.write(`segue: ${reason}\n`);
		process.exitCode = 1;
	}
}
