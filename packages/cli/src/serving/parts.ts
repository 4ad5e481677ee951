import { LazyChat } from "@segue/agent/chat/lazy";
import { LazyModels } from "@segue/agent/edit-models/lazy";
import { witnessHere } from "@segue/agent/feedback/here";
import type { ProcessWitness } from "@segue/agent/feedback/process-witness";
import { startOutlineWorker, startParsers } from "@segue/agent/node/outline-worker";
import { Outliner } from "@segue/agent/outline/outliner";
import { SyntaxChecker } from "@segue/agent/outline/syntax-checker";
import { withChat } from "@segue/server/acp/chat/door";
import type { AcpOptions } from "@segue/server/acp/door";
import type { CommandProcess, ServingOptions } from "../command-line.js";

/** The parts that all ACP connections of a process share. */
export function servingHere(options: ServingOptions, tell: (text: string) => void, process: CommandProcess): Serving {
	const { agent, nextEditModel, withCode = false } = options;
	const chat = new LazyChat(agent, tell, process);
	const witness = witnessHere(withCode, tell, process);
	const outliner = new Outliner(
		startOutlineWorker,
		(why) => tell(`no outlines: ${why}`),
		new SyntaxChecker(startParsers, tell, () => performance.now()),
	);
	const models = new LazyModels(nextEditModel, tell, process);
	return { chat, witness, outliner, acp: { outliner, models, witness, chat: withChat(chat) } };
}

/** Stops the agent processes and background work of all connections, and saves unsaved feedback. */
export async function endServing({ outliner, chat, witness }: Serving): Promise<void> {
	outliner.stop();
	await Promise.all([witness.close(), chat.close()]);
}

interface Serving {
	readonly outliner: Outliner;
	readonly chat: LazyChat;
	readonly witness: ProcessWitness;
	/** These parts, as `serveAcp` takes them. */
	readonly acp: Pick<AcpOptions, "outliner" | "models" | "witness" | "chat">;
}
