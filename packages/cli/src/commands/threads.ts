import type { Command } from "commander";
import { type CommandProcess, readSegueAgent } from "../command-line.js";

export function addThreads(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("threads")
		.description("serve an editor over the thread draft, ACP's first form, on standard input and output")
		.allowExcessArguments(false)
		.option("--agent <name or command>", "another ACP agent that answers; segue agents lists them")
		.hook("preAction", readSegueAgent(process))
		.addHelpText(
			"after",
			'\nExamples:\n  $ segue threads\n  $ segue threads --agent "gemini --acp"\n\nThreads are about the folder that it is started in. Nobody can be asked to allow anything there: see approvals in the\nconfiguration, which segue config shows.',
		)
		.action(async (options: { agent?: string }) => {
			await runThreads(options, process);
		});
}

/** Serves the editor that started this process over the thread draft, for the present folder. */
async function runThreads({ agent }: { readonly agent?: string }, process: CommandProcess): Promise<void> {
	const { LazyChat } = await import("@segue/agent/chat/lazy");
	const { lines } = await import("@segue/rpc");
	const { serveThreads } = await import("@segue/server/threads/door");
	const { serveStandardStreams } = await import("../standard-streams.js");
	await serveStandardStreams(process, lines, (channel, { tell, report }) => {
		const chat = new LazyChat(agent, tell, process);
		const { connection, over } = serveThreads(channel, { chat, folder: process.cwd(), report });
		return { connection, end: () => over.then(() => chat.close()) };
	});
}
