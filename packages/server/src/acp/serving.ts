import { LazyChat } from "../chat/lazy.js";
import type { CommandProcess, ServingOptions } from "../command-line.js";
import { witnessHere } from "../feedback/here.js";
import type { ProcessWitness } from "../feedback/process-witness.js";
import { LazyModels } from "../next-edit/lazy.js";
import { Outliner } from "../outline/outliner.js";
import { SyntaxChecker } from "../outline/syntax-checker.js";
import { startOutlineWorker, startParsers } from "../outline/worker.js";

/** The parts that all ACP connections of a process share. */
export function servingHere(options: ServingOptions, tell: (text: string) => void, process: CommandProcess): Serving {
	const { agent, nextEditModel, withCode = false } = options;
	return {
		outliner: new Outliner(
			startOutlineWorker,
			(why) => tell(`no outlines: ${why}`),
			new SyntaxChecker(startParsers, tell, () => performance.now()),
		),
		chat: new LazyChat(agent, tell, process),
		models: new LazyModels(nextEditModel, tell, process),
		witness: witnessHere(withCode, tell, process),
	};
}

/** Ends what would go on without editors: another agent is a process of its own. What is not kept yet is kept. */
export async function endServing({ outliner, chat, witness }: Serving): Promise<void> {
	outliner.stop();
	await Promise.all([witness.close(), chat.close()]);
}

interface Serving {
	readonly outliner: Outliner;
	readonly chat: LazyChat;
	readonly models: LazyModels;
	readonly witness: ProcessWitness;
}
