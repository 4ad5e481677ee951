import { LazyChat } from "@segue/agent/chat/lazy-chat";
import { LazyModels } from "@segue/agent/node/lazy-models";
import { startOutlineWorker, startParsers } from "@segue/agent/node/outline-worker";
import { Outliner } from "@segue/agent/outline/outliner";
import { SyntaxChecker } from "@segue/agent/outline/syntax-checker";
import { openRequestLog, type RequestLog } from "@segue/agent/request-log/request-log";
import { FolderIndexes, startIndexWorker } from "@segue/agent/workspace/folder-indexes";
import type { AcpOptions } from "@segue/server/acp/acp-server";
import { withChat } from "@segue/server/acp/chat/acp-chat-server";
import { startBackgroundTimer } from "@segue/text/clock";
import type { CommandProcess, ServingOptions } from "../command-line.js";

/** The parts shared by all ACP connections in a process. */
export function createAgentParts(
	options: ServingOptions,
	log: (text: string) => void,
	process: CommandProcess,
	requestLog = openRequestLog(options.withCode ?? false, log, process),
	mayIndex?: (folder: string) => boolean,
): AgentParts {
	const chat = new LazyChat(options.agent, log, process);
	const nextEdits = createNextEditParts(options, log, process, requestLog, mayIndex);
	const { outliner, models, folders } = nextEdits;
	return { ...nextEdits, chat, acp: { outliner, models, observer: requestLog, folders, chat: withChat(chat) } };
}

/** The shared parts for next edits, over any protocol. `mayIndex` can exclude folders from the index. */
export function createNextEditParts(
	{ nextEditModel, withCode = false }: Omit<ServingOptions, "agent">,
	log: (text: string) => void,
	process: CommandProcess,
	requestLog = openRequestLog(withCode, log, process),
	mayIndex: (folder: string) => boolean = () => true,
): NextEditParts {
	const outliner = new Outliner(
		startOutlineWorker,
		(why) => log(`no outlines: ${why}`),
		new SyntaxChecker(startParsers, log, () => performance.now()),
	);
	const folders = new FolderIndexes({
		start: startIndexWorker,
		log,
		isAllowed: mayIndex,
		after: startBackgroundTimer,
	});
	return { outliner, requestLog, folders, models: new LazyModels(nextEditModel, log, process) };
}

/** Stops the agent processes and background work for all connections, and saves unsaved feedback. */
export async function closeAgentParts({
	outliner,
	folders,
	chat,
	requestLog,
}: NextEditParts & { chat?: LazyChat }): Promise<void> {
	outliner.stop();
	folders.stop();
	await Promise.all([requestLog.close(), chat?.close()]);
}

interface NextEditParts {
	readonly outliner: Outliner;
	readonly models: LazyModels;
	readonly folders: FolderIndexes;
	readonly requestLog: RequestLog;
}

interface AgentParts extends NextEditParts {
	readonly chat: LazyChat;
	/** The same parts, as options for `serveAcp`. */
	readonly acp: Pick<AcpOptions, "outliner" | "models" | "observer" | "folders" | "chat">;
}
