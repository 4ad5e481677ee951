import { LazyChat } from "../chat/lazy.js";
import type { ServingOptions } from "../command-line.js";
import { witnessHere } from "../feedback/here.js";
import type { ProcessWitness } from "../feedback/process-witness.js";
import { LazyModels } from "../next-edit/lazy.js";
import { Outliner } from "../outline/outliner.js";
import { startOutlineWorker } from "../outline/worker.js";

/** What the editors have in common that this process serves over ACP, however many they are. */
export function servingHere(options: ServingOptions, tell: (text: string) => void): Serving {
	const { agent, nextEditModel, withCode = false } = options;
	return {
		outliner: new Outliner(startOutlineWorker, (why) => tell(`no outlines: ${why}`)),
		chat: new LazyChat(agent, tell),
		models: new LazyModels(nextEditModel, tell),
		witness: witnessHere(withCode, tell),
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
