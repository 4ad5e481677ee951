import { lines } from "@segue/rpc";
import { type Sync, serveAcp } from "./acp.js";
import { LazyChat } from "./chat/lazy.js";
import { witnessHere } from "./feedback/here.js";
import { LazyModels } from "./next-edit/lazy.js";
import { Outliner } from "./outline/outliner.js";
import { startOutlineWorker } from "./outline/worker.js";
import { serveStandardStreams } from "./standard-streams.js";

export interface ServeOptions {
	readonly sync: Sync;
	/** Another agent that answers in chat: its name, or its command line. */
	readonly agent?: string;
	/** PROVIDER/MODEL, or the embedded engine. */
	readonly nextEditModel?: string;
	/** Whether segue why is told of texts and paths, too. */
	readonly withCode?: boolean;
}

/** Serves the editor that started this process over ACP. */
export function serveAcpHere(options: ServeOptions, version: string): Promise<void> {
	const { sync, agent, nextEditModel, withCode = false } = options;
	return serveStandardStreams(lines, (channel, { tell, report }) => {
		const outliner = new Outliner(startOutlineWorker, (why) => tell(`no outlines: ${why}`));
		const chat = new LazyChat(agent ?? (process.env["SEGUE_AGENT"] || undefined), tell);
		const models = new LazyModels(nextEditModel, tell);
		const witness = witnessHere(withCode, tell);
		const connection = serveAcp(channel, { sync, version, report, outliner, witness, chat, models });
		const end = async () => {
			outliner.stop();
			// Another agent is a process of its own, and would go on.
			await Promise.all([witness.close(), chat.close()]);
		};
		return { connection, end };
	});
}
