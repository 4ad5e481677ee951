import { LazyChat } from "@segue/agent/chat/lazy-chat";
import { lines } from "@segue/rpc";
import { serveThreads } from "@segue/server/threads/threads-server";
import type { CommandProcess } from "../command-line.js";
import { serveStandardStreams } from "./standard-streams.js";

/** Serves the editor that started this process over the thread draft protocol, for the current folder. */
export async function runThreads({ agent }: { readonly agent?: string }, process: CommandProcess): Promise<void> {
	await serveStandardStreams(process, lines, (channel, { log, report }) => {
		const chat = new LazyChat(agent, log, process);
		const { connection, over } = serveThreads(channel, { chat, folder: process.cwd(), report });
		return { connection, end: () => over.then(() => chat.close()) };
	});
}
