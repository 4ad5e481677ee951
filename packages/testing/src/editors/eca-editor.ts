import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { DEFAULT_SETTINGS } from "@segue/agent/next-edit/settings";
import { COMMANDS } from "@segue/assist";
import { contentLength, type Problem } from "@segue/rpc";
import { overStreams } from "@segue/rpc/node";
import { type EcaBackend, type EcaEngine, type EcaOptions, serveEca } from "@segue/server";
import { ChatFixture, type ChatFixtureOptions } from "../chat/chat-fixture.js";
import { FakeClock } from "../clock.js";
import { type EcaMessage, EcaTestClient } from "./eca-client.js";

export interface EcaEditorOptions extends ChatFixtureOptions {
	/** Additional options for the server. */
	readonly options?: Partial<EcaOptions>;
	/** Overrides members of the engine. */
	readonly engine?: (conversation: ChatFixture) => Partial<EcaEngine>;
	/** Delays the creation of the engine. */
	readonly made?: Promise<void>;
	/** Overrides members of the backend. */
	readonly backend?: Partial<EcaBackend>;
}

/** An editor that chats over ECA streams. The server behind it uses the engine and a scripted model. */
export class EcaEditor extends EcaTestClient {
	readonly clock = new FakeClock();
	/** Problems that the server reported. */
	readonly problems: Problem[] = [];
	/** Resolves when the connection is closed, with the reason and the side that closed it. */
	readonly closed: Promise<string>;

	private constructor(
		readonly conversation: ChatFixture,
		{ options, engine, made, backend, models }: EcaEditorOptions,
	) {
		const input = new PassThrough();
		const output = new PassThrough();
		super(input, output);
		const { tools } = conversation;
		const { now, after } = this.clock;
		const whole = { ...ecaEngineOf(conversation), ...(models && { models }), ...engine?.(conversation) };
		const { closed } = serveEca(overStreams(input, output, contentLength), {
			backend: {
				configure: async () => [],
				engineFor: async () => {
					await made;
					return whole;
				},
				release: () => {},
				changeServer: async () => {},
				suggestionSettings: async () => DEFAULT_SETTINGS,
				providers: async () => [],
				signIn: async () => {},
				authorize: async () => {},
				signOut: async () => {},
				close: async () => {},
				...backend,
			},
			version: "1.2.3",
			report: (problem) => this.problems.push(problem),
			folder: tools.root,
			now,
			after,
			...options,
		});
		this.closed = closed.then(({ by, reason }) => `${by}: ${reason}`);
	}

	static async open(options: EcaEditorOptions = {}): Promise<EcaEditor> {
		return EcaEditor.on(await ChatFixture.begin(options), options);
	}

	/** Opens another editor that uses a conversation's engine. */
	static on(conversation: ChatFixture, options: EcaEditorOptions = {}): EcaEditor {
		return new EcaEditor(conversation, options);
	}

	/** Opens and initializes an editor. The capabilities determine the protocol version. */
	static async ready(options: EcaEditorOptions = {}, codeAssistant: object = ECA_CURRENT): Promise<EcaEditor> {
		const editor = await EcaEditor.open(options);
		await editor.initialize({ capabilities: { codeAssistant } });
		editor.notify("initialized");
		if (codeAssistant !== ECA_2025_06) await editor.until((messages) => messages.some(isAnnounced));
		editor.messages.length = 0;
		return editor;
	}

	initialize(params: object = {}): Promise<EcaMessage> {
		const uri = pathToFileURL(this.conversation.tools.root).href;
		const whole = { processId: null, capabilities: {}, workspaceFolders: [{ uri, name: "work" }], ...params };
		return this.request("initialize", whole);
	}

	/** Runs a turn in the chat `c` and returns summaries of the response and all messages after it. */
	async turn(message: string, params: object = {}): Promise<string[]> {
		const from = this.messages.length;
		await this.request("chat/prompt", { chatId: "c", message, ...params });
		await this.turnEnded(from);
		return this.transcript.slice(from);
	}

	/** Resolves once a turn has ended, ignoring the first `from` messages. */
	turnEnded(from = 0): Promise<void> {
		return this.until((messages) => messages.slice(from).some(isEnd));
	}
}

/** Returns the engine of a conversation, as the ECA server uses it. */
export function ecaEngineOf({ assist, model, tools }: ChatFixture): EcaEngine {
	return {
		assist,
		models: { names: [model.name, "test/second"], choose: () => model },
		commands: COMMANDS,
		prompt: assist.prompt.bind(assist),
		mode: "edit",
		writers: { completion: undefined, rewrite: undefined },
		workspaceOf: () => tools.workspace,
	};
}

/** The capabilities of a current editor, and of one from June 2025. */
export const ECA_CURRENT = { chat: true, rewrite: true } as const;
export const ECA_2025_06 = { chat: true, doc: true, edit: true, fix: true } as const;

/** Whether the server has announced its models and tools. */
function isAnnounced({ method, params }: EcaMessage): boolean {
	return method === "$/progress" && params?.["type"] === "finish";
}

function isEnd({ method, params }: EcaMessage): boolean {
	if (method === "chat/statusChanged") return params?.["status"] === "idle";
	return params?.["isComplete"] === true && params["role"] === "assistant";
}
