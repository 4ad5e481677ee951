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

/** The chat that a client is of, as far as it takes part in a turn. */
export interface ChatListener {
	update(update: Update): void;
	/** Waits for the person to approve a call. */
	approve(question: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer>;
	choose(chosen: { readonly model: string }): void;
	resume(thread: Thread): void;
}

/** An editor at the other end of ECA, as the chat engine sees it. One for each chat. */
export class EcaClient implements Client {
	/** ECA has no way to ask for what is open and not saved. */
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
			this.ask = (inquiry, signal) => answerOf(inquiry, chatId, session, signal);
		}
	}

	update(update: Update): void {
		this.listener.update(update);
	}

	approve(question: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer> {
		return this.listener.approve(question, signal);
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
	const asked = { chatId, question: text, options: choices, toolCallId: callId, allowFreeform: isOpen };
	const { answer, cancelled } = await connection.request(eca.askQuestion, asked, signal);
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

/** Both count from 1. */
function placeOf({ path, line, character }: EditorPosition) {
	return { uri: uriOf(path), position: { line, character } };
}

function placesIn({ status, locations, message }: eca.EditorPlaces): EditorNote[] {
	if (status !== "success") {
		const what = WITHOUT_PLACES[status] ?? "The editor could not find out.";
		throw new ToolError(message == null || message === "" ? what : `${what} It says: ${message}`);
	}
	return (locations ?? []).flatMap(({ uri, range: { start } }) => {
		return noteOf(uri, `line ${start.line}, character ${start.character}`);
	});
}

/** For the model, by what the editor says of its language server. */
const WITHOUT_PLACES: Readonly<Record<string, string>> = {
	starting: "The editor's language server is still starting. Go on with search, or ask again later.",
	"no-server": "The editor has no language server for this file. Use search instead.",
	error: "The editor's language server failed. Use search instead.",
};

function uriOf(path: string): string {
	return pathToFileURL(path).href;
}

/** An editor that answers with an error has told the model something, too. */
async function orToolError<T>(answer: Promise<T>): Promise<T> {
	try {
		return await answer;
	} catch (error) {
		if (error instanceof PeerError) throw new ToolError(`The editor answered: ${error.message}. Do without it.`);
		throw error;
	}
}

/** None for a file of another machine. */
function noteOf(uri: string, text: string): EditorNote[] {
	try {
		return [{ path: fileURLToPath(uri), text }];
	} catch {
		return [];
	}
}

/** Editors count lines and characters from 0 here, and people from 1. */
function problemIn({ severity, message, source, code, range: { start } }: eca.EditorDiagnostic): string {
	const origin = [source, code].filter((each) => each !== undefined).join(" ");
	const by = origin === "" ? "" : ` (${origin})`;
	return `line ${start.line + 1}, character ${start.character + 1}: ${severity}: ${message}${by}`;
}
