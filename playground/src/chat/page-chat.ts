import { signal } from "@preact/signals";
import * as acp from "@segue/protocol/acp";
import { type Connection, ErrorCode, type Handler, on, PeerError, type ResultOf, RpcError } from "@segue/rpc";

/** One thing in a chat, as it is drawn. */
export type ChatItem =
	| { readonly type: "user" | "agent" | "thought" | "notice"; readonly text: string }
	| { readonly type: "plan"; readonly entries: readonly { readonly content: string; readonly status: string }[] }
	| {
			readonly type: "call";
			readonly id: string;
			readonly title: string;
			readonly status: string;
			readonly content: readonly acp.ToolCallContent[];
	  };

/** A question whether a call may do what it is about to. */
export interface PermissionQuestion {
	readonly callId: string;
	readonly title: string;
	readonly options: readonly acp.PermissionOption[];
	/** The id of an option, or nothing for one who would not say. */
	readonly answer: (optionId: string | undefined) => void;
}

/** The open files, by absolute path. */
interface OpenBuffers {
	/** Undefined for one that is not open. */
	read(path: string): string | undefined;
	/** False for one that is not open. */
	write(path: string, text: string): boolean;
}

/** What the page can do for an agent. */
export const CHAT_CAPABILITIES: acp.ClientCapabilities = {
	fs: { readTextFile: true, writeTextFile: true },
	session: { notices: {} },
};

// An agent begins a session with its commands and settings, in two or three. What a session that was left still says is more.
const EARLY_MAX = 16;

/** A chat with the agent, on the connection that suggestions come over. */
export class PageChat {
	/** As far as they are to be drawn. */
	readonly items = signal<readonly ChatItem[]>([]);
	/** Those that wait for an answer, the first one first. */
	readonly questions = signal<readonly PermissionQuestion[]>([]);
	readonly commands = signal<readonly acp.AvailableCommand[]>([]);
	readonly options = signal<readonly acp.ConfigOption[]>([]);
	readonly isBusy = signal(false);
	/** What the person has begun to write. */
	readonly draft = signal("");
	/** All of them, with what has come since they were drawn. */
	private latest: readonly ChatItem[] = [];
	private isDrawing = false;
	/** What was said last, until it is answered or the chat is begun anew. */
	private turn: object | undefined;
	/** The one that is spoken in. */
	private session: Session | undefined;
	private opening:
		| { readonly connection: Connection<"client">; readonly cwd: string; readonly session: Promise<Session> }
		| undefined;

	/** What was said in a session that is not known yet: it may come right behind the answer that tells of it. */
	private early: { readonly sessionId: string; readonly update: acp.SessionUpdate }[] = [];

	constructor(
		private readonly connection: () => Connection<"client"> | undefined,
		/** The absolute path of the folder that it is about. */
		private readonly folder: () => string,
		private readonly buffers: OpenBuffers,
		/** Runs something before the next picture is drawn. */
		private readonly beforeDrawing: (run: () => void) => void = (run) => requestAnimationFrame(run),
	) {}

	/** What the agent says, for the connection. */
	handlers(): Handler<"agent">[] {
		return [
			on(acp.sessionUpdate, ({ sessionId, update }) => {
				if (sessionId === this.session?.id) this.take(update);
				else if (this.early.length < EARLY_MAX) this.early.push({ sessionId, update });
			}),
			on(acp.readTextFile, ({ path }) => {
				const content = this.buffers.read(path);
				if (content === undefined) throw notOpen(path);
				return { content };
			}),
			on(acp.writeTextFile, ({ path, content }) => {
				// What is not open is for the agent to write to the disk.
				if (!this.buffers.write(path, content))
					throw new RpcError(ErrorCode.methodNotFound, "The file is not open here");
				return {};
			}),
			on(acp.requestPermission, ({ toolCall, options }, { signal }) => this.ask(toolCall, options, signal)),
		];
	}

	/** Begins a session, so that its commands and settings are known before anything is said. */
	async begin(): Promise<void> {
		// Who says something without a connection is told then.
		await this.open().catch(() => {});
	}

	async send(text: string): Promise<void> {
		const opened = this.open();
		const turn = {};
		this.turn = turn;
		this.add({ type: "user", text });
		this.isBusy.value = true;
		const notice = await this.prompt(opened, text);
		// Of a chat that was left, a new one says nothing.
		if (this.turn !== turn) return;
		this.show(this.latest);
		this.isBusy.value = false;
		if (notice !== undefined) this.add({ type: "notice", text: notice });
	}

	/** Gives how the turn ended, where that is worth a word. */
	private async prompt(opened: Promise<Session>, text: string): Promise<string | undefined> {
		try {
			const { connection, id } = await opened;
			const prompt = [{ type: "text" as const, text }];
			const { stopReason } = await connection.request(acp.prompt, { sessionId: id, prompt });
			return stopReason === "end_turn" ? undefined : (STOPS[stopReason] ?? stopReason);
		} catch (error) {
			return complaintOf(error);
		}
	}

	stop(): void {
		for (const question of this.questions.value) question.answer(undefined);
		this.session?.connection.notify(acp.cancel, { sessionId: this.session.id });
	}

	/** Begins another conversation with the next thing that is said. */
	renew(): void {
		this.end();
		this.turn = undefined;
		this.isBusy.value = false;
		this.show([]);
		void this.begin();
	}

	/** Another folder may be open: what the agent runs for one that was left ends with its session. */
	leaveFolder(): void {
		if (this.opening !== undefined && this.opening.cwd !== this.folder()) this.end();
	}

	private end(): void {
		this.stop();
		const { opening } = this;
		this.opening = undefined;
		this.session = undefined;
		void opening?.session
			.then(({ connection, id }) => connection.request(acp.closeSession, { sessionId: id }))
			// It has come to nothing, or the agent knows no such request, or is gone and its sessions with it.
			.catch(() => {});
	}

	async choose(configId: string, value: string): Promise<void> {
		if (this.session === undefined) return;
		const { connection, id } = this.session;
		try {
			const { configOptions } = await connection.request(acp.setConfigOption, { sessionId: id, configId, value });
			this.options.value = configOptions;
		} catch (error) {
			this.add({ type: "notice", text: complaintOf(error) });
		}
	}

	/** A session is of one connection and one folder; with another of either, another is opened. */
	private open(): Promise<Session> {
		const connection = this.connection();
		if (connection === undefined) return Promise.reject(new Error("there is no connection"));
		const cwd = this.folder();
		const isOpen = this.opening?.connection === connection && this.opening.cwd === cwd;
		if (!isOpen) {
			this.end();
			const isStill = () => this.opening === opening;
			const opening = { connection, cwd, session: this.openOn(connection, cwd, isStill) };
			this.opening = opening;
		}
		return this.opening?.session ?? Promise.reject(new Error("there is no session"));
	}

	private async openOn(connection: Connection<"client">, cwd: string, isStill: () => boolean): Promise<Session> {
		this.early = [];
		if (this.latest.length > 0) {
			this.add({ type: "notice", text: "The agent begins anew, and knows nothing of the above." });
		}
		try {
			const { sessionId, configOptions } = await connection.request(acp.newSession, { cwd, mcpServers: [] });
			const session = { connection, id: sessionId };
			// The person may have turned elsewhere meanwhile.
			if (!isStill()) return session;
			this.session = session;
			this.options.value = configOptions ?? [];
			for (const said of this.early) if (said.sessionId === sessionId) this.take(said.update);
			this.early = [];
			return session;
		} catch (error) {
			if (isStill()) this.opening = undefined;
			throw error;
		}
	}

	/** Resolves with what the person says, or as not answered when the agent does not want to know any more. */
	private ask(
		{ toolCallId, title }: { readonly toolCallId: string; readonly title?: string | null | undefined },
		options: readonly acp.PermissionOption[],
		signal: AbortSignal,
	): Promise<ResultOf<typeof acp.requestPermission>> {
		return new Promise((resolve) => {
			const call = this.latest.find((item) => item.type === "call" && item.id === toolCallId);
			const known = call?.type === "call" ? call.title : "This";
			const answer = (optionId: string | undefined) => {
				this.questions.value = this.questions.value.filter((each) => each !== question);
				resolve({ outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } });
			};
			const question: PermissionQuestion = { callId: toolCallId, title: title ?? known, options, answer };
			this.questions.value = [...this.questions.value, question];
			signal.addEventListener("abort", () => answer(undefined), { once: true });
		});
	}

	private take(update: acp.SessionUpdate): void {
		switch (update.sessionUpdate) {
			case "agent_message_chunk":
				if (update.content.type === "text") this.grow("agent", update.content.text);
				break;
			case "agent_thought_chunk":
				if (update.content.type === "text") this.grow("thought", update.content.text);
				break;
			case "tool_call":
			case "tool_call_update":
				this.change(update.toolCallId, update);
				break;
			case "plan":
				this.replan(update.entries);
				break;
			case "notice":
				this.add({ type: "notice", text: [update.title, update.description].filter(Boolean).join(". ") });
				break;
			case "available_commands_update":
				this.commands.value = update.availableCommands;
				break;
			case "config_option_update":
				this.options.value = update.configOptions;
				break;
		}
	}

	private grow(type: "agent" | "thought", text: string): void {
		const last = this.latest.at(-1);
		if (last?.type !== type) {
			this.add({ type, text });
			return;
		}
		this.latest = this.latest.with(-1, { type, text: last.text + text });
		// It comes in many small pieces; what is drawn need not be newer than the next picture.
		if (this.isDrawing) return;
		this.isDrawing = true;
		this.beforeDrawing(() => {
			this.isDrawing = false;
			this.show(this.latest);
		});
	}

	private change(
		id: string,
		said: {
			readonly title?: string | null | undefined;
			readonly status?: string | null | undefined;
			readonly content?: readonly acp.ToolCallContent[] | null | undefined;
		},
	): void {
		const items = this.latest;
		const at = items.findIndex((item) => item.type === "call" && item.id === id);
		const before = items[at];
		const known = before?.type === "call" ? before : undefined;
		const call: ChatItem = {
			type: "call",
			id,
			title: said.title ?? known?.title ?? "A tool",
			status: said.status ?? known?.status ?? "pending",
			content: said.content ?? known?.content ?? [],
		};
		this.show(at < 0 ? [...items, call] : items.with(at, call));
	}

	/** A plan is told anew, as a whole, whenever something of it changes; a turn has one. */
	private replan(entries: Extract<ChatItem, { type: "plan" }>["entries"]): void {
		const items = this.latest;
		const at = items.findLastIndex(({ type }) => type === "plan" || type === "user");
		if (items[at]?.type === "plan") this.show(items.with(at, { type: "plan", entries }));
		else this.add({ type: "plan", entries });
	}

	private add(item: ChatItem): void {
		this.show([...this.latest, item]);
	}

	private show(items: readonly ChatItem[]): void {
		this.latest = items;
		this.items.value = items;
	}
}

interface Session {
	readonly connection: Connection<"client">;
	readonly id: string;
}

function complaintOf(error: unknown): string {
	return error instanceof PeerError ? error.message : "The connection was lost.";
}

function notOpen(path: string): RpcError {
	return new RpcError(acp.ErrorCode.notFound, "The file is not open here", { uri: path });
}

const STOPS: Readonly<Record<string, string>> = {
	cancelled: "Stopped.",
	max_tokens: "The answer was cut: it became too long.",
	max_turn_requests: "The turn was ended after many steps. Say “go on” to let it go on.",
	refusal: "The model refused to answer this.",
};
