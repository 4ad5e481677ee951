import { fileURLToPath } from "node:url";
import type {
	ApprovalRequest,
	Buffers,
	Client,
	EditorKnowledge,
	EditorNote,
	Permission,
	PermissionAnswer,
	Relay,
	ToolCall,
	Update,
} from "@segue/assist";
import * as acp from "@segue/protocol/acp";
import { type Connection, ErrorCode, PeerError } from "@segue/rpc";
import { codeBlock, showInvisible } from "@segue/text";
import type { EditorState } from "../editor-state.js";
import { AcpTerminals } from "./terminals.js";
import { toolCallOf } from "./to-wire.js";

/** Represents an ACP editor to the chat engine. Each session has its own instance. */
export class AcpClient implements Client {
	readonly buffers: Buffers | undefined;
	readonly terminals: AcpTerminals | undefined;
	readonly editor: EditorKnowledge;

	constructor(
		private readonly connection: Connection<"agent">,
		private readonly sessionId: string,
		capabilities: acp.ClientCapabilities,
		state: EditorState,
		readonly relay: Relay,
		private readonly send: (update: Update) => void,
		readonly modelChosen: (name: string) => void,
		private readonly cancelTurn: () => void,
	) {
		this.buffers = buffersOf(connection, sessionId, capabilities);
		this.terminals = capabilities.terminal === true ? new AcpTerminals(connection, sessionId) : undefined;
		this.editor = knowledgeOf(state, sessionId);
	}

	update(update: Update): void {
		this.send(update);
		if (update.type === "call") this.terminals?.callShown(update.call);
	}

	async approve({ call, permission }: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer> {
		const { sessionId } = this;
		const options = optionsFor(permission.subject);
		const toolCall = toolCallOf(call);
		const content = [...requestContent(call, permission), ...(toolCall.content ?? [])];
		const params = { sessionId, toolCall: { ...toolCall, content }, options };
		const { outcome } = await this.connection.request(acp.requestPermission, params, signal);
		if (outcome.outcome === "cancelled") {
			// The user cancelled the turn. Some clients, such as agent-shell, respond with this before they send
			// session/cancel.
			this.cancelTurn();
			return "no";
		}
		return ANSWERS.find((answer) => answer === outcome.optionId) ?? "no";
	}
}

/** Shows the complete command or MCP tool input, because the title truncates it. */
function requestContent({ input }: ToolCall, { kind, subject }: Permission): acp.ToolCallContent[] {
	if (kind !== "command" && kind !== "mcp") return [];
	const text = kind === "command" ? codeBlock("sh", subject) : codeBlock("json", showInvisible(input));
	return [{ type: "content", content: { type: "text", text } }];
}

const ANSWERS: readonly PermissionAnswer[] = ["once", "session", "always", "no"];

// Longer text does not fit on a button.
const SUBJECT_CHARACTERS_MAX = 60;

/** ACP has only one kind for lasting permissions, so `session` and `always` differ only in name. */
function optionsFor(subject: string): acp.PermissionOption[] {
	const what = subject.length > SUBJECT_CHARACTERS_MAX ? `${subject.slice(0, SUBJECT_CHARACTERS_MAX)}…` : subject;
	return [
		{ optionId: "once", name: "Allow once", kind: "allow_once" },
		{ optionId: "session", name: "Allow for this session", kind: "allow_always" },
		{ optionId: "always", name: `Always allow ${what}`, kind: "allow_always" },
		{ optionId: "no", name: "Reject", kind: "reject_once" },
	];
}

function buffersOf(
	connection: Connection<"agent">,
	sessionId: string,
	{ fs }: acp.ClientCapabilities,
): Buffers | undefined {
	if (fs?.readTextFile !== true && fs?.writeTextFile !== true) return undefined;
	return {
		read: async (path, signal) => {
			if (fs.readTextFile !== true) return undefined;
			try {
				return (await connection.request(acp.readTextFile, { sessionId, path }, signal)).content ?? undefined;
			} catch (error) {
				// Clients report a missing file with different errors, so the caller checks whether the file is on disk.
				if (error instanceof PeerError) return undefined;
				throw error;
			}
		},
		write: async (path, content, signal) => {
			if (fs.writeTextFile !== true) return false;
			try {
				await connection.request(acp.writeTextFile, { sessionId, path, content }, signal);
				return true;
			} catch (error) {
				if (error instanceof PeerError && error.code === ErrorCode.methodNotFound) return false;
				throw error;
			}
		},
	};
}

function knowledgeOf(state: EditorState, sessionId: string): EditorKnowledge {
	return {
		...(state.can("openDocuments") && {
			openDocuments: async (signal) => notesOf(await state.openDocuments(sessionId, signal)),
		}),
		...(state.can("recentDocuments") && {
			recentDocuments: async (signal) => notesOf(await state.recentDocuments(sessionId, undefined, signal)),
		}),
		...(state.can("activeDocument") && {
			activeDocument: async (signal) => {
				const document = await state.activeDocument(sessionId, signal);
				return notesOf(document === undefined ? [] : [document]);
			},
		}),
	};
}

function notesOf(documents: readonly acp.WorkspaceDocument[]): EditorNote[] {
	return documents.flatMap(({ uri, languageId }) => {
		const path = pathOf(uri);
		return path === undefined ? [] : [{ path, text: languageId }];
	});
}

/** Returns undefined for a file on another machine. */
function pathOf(uri: string): string | undefined {
	try {
		return fileURLToPath(uri);
	} catch {
		return undefined;
	}
}
