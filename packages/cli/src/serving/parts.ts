import { LazyChat } from "@segue/agent/chat/lazy";
import { LazyModels } from "@segue/agent/edit-models/lazy";
import { witnessHere } from "@segue/agent/feedback/here";
import type { ProcessWitness } from "@segue/agent/feedback/process-witness";
import { startOutlineWorker, startParsers } from "@segue/agent/node/outline-worker";
import { Outliner } from "@segue/agent/outline/outliner";
import { SyntaxChecker } from "@segue/agent/outline/syntax-checker";
import { FolderIndexes, startIndexWorker } from "@segue/agent/workspace/folder-indexes";
import { withChat } from "@segue/server/acp/chat/door";
import type { AcpOptions } from "@segue/server/acp/door";
import type { CommandProcess, ServingOptions } from "../command-line.js";

/** The parts that all ACP connections of a process share. */
export function servingHere(
	options: ServingOptions,
	tell: (text: string) => void,
	process: CommandProcess,
	witness = witnessHere(options.withCode ?? false, tell, process),
	mayIndex?: (folder: string) => boolean,
): Serving {
	const chat = new LazyChat(options.agent, tell, process);
	const nextEdits = nextEditsHere(options, tell, process, witness, mayIndex);
	const { outliner, models, folders } = nextEdits;
	return { ...nextEdits, chat, acp: { outliner, models, witness, folders, chat: withChat(chat) } };
}

/** Those of them that next edits need, over any protocol. Whoever starts the process may name any folder, unless `mayIndex` says no. */
export function nextEditsHere(
	{ nextEditModel, withCode = false }: Omit<ServingOptions, "agent">,
	tell: (text: string) => void,
	process: CommandProcess,
	witness = witnessHere(withCode, tell, process),
	mayIndex: (folder: string) => boolean = () => true,
): NextEdits {
	const outliner = new Outliner(
		startOutlineWorker,
		(why) => tell(`no outlines: ${why}`),
		new SyntaxChecker(startParsers, tell, () => performance.now()),
	);
	const folders = new FolderIndexes({ start: startIndexWorker, tell, isAllowed: mayIndex, after: startTimer });
	return { outliner, witness, folders, models: new LazyModels(nextEditModel, tell, process) };
}

/** Stops the agent processes and background work of all connections, and saves unsaved feedback. */
export async function endServing({ outliner, folders, chat, witness }: NextEdits & { chat?: LazyChat }): Promise<void> {
	outliner.stop();
	folders.stop();
	await Promise.all([witness.close(), chat?.close()]);
}

interface NextEdits {
	readonly outliner: Outliner;
	readonly models: LazyModels;
	readonly folders: FolderIndexes;
	readonly witness: ProcessWitness;
}

interface Serving extends NextEdits {
	readonly chat: LazyChat;
	/** These parts, as `serveAcp` takes them. */
	readonly acp: Pick<AcpOptions, "outliner" | "models" | "witness" | "folders" | "chat">;
}

/** A timer that keeps no process alive. */
function startTimer(delayMs: number, run: () => void): () => void {
	const timer = setTimeout(run, delayMs);
	timer.unref();
	return () => clearTimeout(timer);
}
