import { fileURLToPath, pathToFileURL } from "node:url";
import type {
	ApprovalRequest,
	Client,
	EditorKnowledge,
	EditorNote,
	EditorPosition,
	PermissionAnswer,
	Thread,
	Update,
	UserQuestion,
} from "@segue/assist";
import { ToolError } from "@segue/assist/failures";
import * as eca from "@segue/protocol/eca";
import { PeerError } from "@segue/rpc";
import type { EcaSession } from "../eca-session.js";

/** Callbacks from the client into its chat. */
export interface ChatListener {
	update(update: Update): void;
	/** Waits for the user to approve a call. */
	approve(request: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer>;
	choose(chosen: { readonly model: string }): void;
	resume(thread: Thread): void;
}

/** Represents an ECA editor to the chat engine. Each chat has its own client. */
export class EcaClient implements Client {
	/** ECA has no request for reading unsaved text. */
	readonly buffers = undefined;
	readonly editor: EditorKnowledge;
	readonly ask?: NonNullable<Client["ask"]>;

	constructor(
		session: Peer,
		chatId: eca.ChatId,
		private readonly listener: ChatListener,
	) {
		this.editor = knowledgeOf(session);
		if (session.capabilities.chatCapabilities?.askQuestion === true) {
			this.ask = (question, signal) => answerOf(question, chatId, session, signal);
		}
	}

	update(update: Update): void {
		this.listener.update(update);
	}

	approve(request: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer> {
		return this.listener.approve(request, signal);
	}

	modelChosen(name: string): void {
		this.listener.choose({ model: name });
	}

	resume(thread: Thread): void {
		this.listener.resume(thread);
	}
}

type Peer = Pick<EcaSession, "connection" | "capabilities">;

async function answerOf(
	{ text, options, isOpen, callId }: UserQuestion,
	chatId: eca.ChatId,
	{ connection }: Peer,
	signal: AbortSignal,
): Promise<string | undefined> {
	const choices = options.map(({ label, description }) => ({
		label,
		...(description !== undefined && { description }),
	}));
	const params = { chatId, question: text, options: choices, toolCallId: callId, allowFreeform: isOpen };
	const { answer, cancelled } = await connection.request(eca.askQuestion, params, signal);
	return cancelled === true ? undefined : (answer ?? undefined);
}

function knowledgeOf({ connection, capabilities: { editor } }: Peer): EditorKnowledge {
	return {
		...(editor?.diagnostics === true && {
			diagnostics: async (path, signal) => {
				const params = path === undefined ? {} : { uri: uriOf(path) };
				const { diagnostics } = await orToolError(connection.request(eca.getDiagnostics, params, signal));
				return diagnostics.flatMap((each) => noteOf(each.uri, problemIn(each)));
			},
		}),
		...(editor?.definition === true && {
			definition: async (at, signal) => {
				return placesIn(await orToolError(connection.request(eca.getDefinition, placeOf(at), signal)));
			},
		}),
		...(editor?.references === true && {
			references: async (at, signal) => {
				const params = { ...placeOf(at), includeDeclaration: false };
				return placesIn(await orToolError(connection.request(eca.getReferences, params, signal)));
			},
		}),
	};
}

/** Positions are 1-based for the model and for the editor. */
function placeOf({ path, line, character }: EditorPosition) {
	return { uri: uriOf(path), position: { line, character } };
}

function placesIn({ status, locations, message }: eca.EditorPlaces): EditorNote[] {
	if (status !== "success") {
		const what = LANGUAGE_SERVER_ERRORS[status] ?? "The editor returned no result. Use search instead.";
		throw new ToolError(message == null || message === "" ? what : `${what} Message from the editor: ${message}`);
	}
	return (locations ?? []).flatMap(({ uri, range: { start } }) => {
		return noteOf(uri, `line ${start.line}, character ${start.character}`);
	});
}

/** Messages for the model, by the status of the editor's language server. */
const LANGUAGE_SERVER_ERRORS: Readonly<Record<string, string>> = {
	starting: "The editor's language server is still starting. Use search, or try again later.",
	"no-server": "The editor has no language server for this file. Use search instead.",
	error: "The editor's language server failed. Use search instead.",
};

function uriOf(path: string): string {
	return pathToFileURL(path).href;
}

/** Converts an error response from the editor to a tool error, so the model can read it. */
async function orToolError<T>(response: Promise<T>): Promise<T> {
	try {
		return await response;
	} catch (error) {
		if (error instanceof PeerError)
			throw new ToolError(`The editor failed: ${error.message}. Continue without this information.`);
		throw error;
	}
}

/** Skips remote files. */
function noteOf(uri: string, text: string): EditorNote[] {
	try {
		return [{ path: fileURLToPath(uri), text }];
	} catch {
		return [];
	}
}

/** Formats a diagnostic and converts its position from 0-based to 1-based. */
function problemIn({ severity, message, source, code, range: { start } }: eca.EditorDiagnostic): string {
	const origin = [source, code].filter((each) => each !== undefined).join(" ");
	const by = origin === "" ? "" : ` (${origin})`;
	return `line ${start.line + 1}, character ${start.character + 1}: ${severity}: ${message}${by}`;
}
