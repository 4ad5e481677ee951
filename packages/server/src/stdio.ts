import { lines } from "@segue/rpc";
import { type Sync, serveAcp } from "./acp.js";
import { LazyChat } from "./chat/lazy.js";
import { Outliner } from "./outline/outliner.js";
import { startOutlineWorker } from "./outline/worker.js";
import { serveStandardStreams } from "./standard-streams.js";

export interface ServeOptions {
	readonly sync: Sync;
	/** Another agent that answers in chat: its name, or its command line. */
	readonly agent?: string;
}

/** Serves the editor that started this process over ACP. */
export function serveAcpHere({ sync, agent }: ServeOptions, version: string): Promise<void> {
	return serveStandardStreams(lines, (channel, { tell, report }) => {
		const outliner = new Outliner(startOutlineWorker, (why) => tell(`no outlines: ${why}`));
		const chat = new LazyChat(agent ?? (process.env["SEGUE_AGENT"] || undefined), tell);
		const connection = serveAcp(channel, { sync, version, report, outliner, chat });
		const end = () => {
			outliner.stop();
			// Another agent is a process of its own, and would go on.
			return chat.close();
		};
		return { connection, end };
	});
}
