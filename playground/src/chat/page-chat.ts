import { signal } from "@preact/signals";
import * as acp from "@segue/protocol/acp";
import { type Connection, ErrorCode, type Handler, on, PeerError, type ResultOf, RpcError } from "@segue/rpc";

/** An item in a chat's log. */
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

/** A question to the user about whether a tool call may run. */
export interface PermissionQuestion {
	readonly callId: string;
	readonly title: string;
	readonly options: readonly acp.PermissionOption[];
	/** Takes the id of the chosen option; undefined cancels. */
	readonly answer: (optionId: string | undefined) => void;
}

/** The open files, by absolute path. */
interface OpenBuffers {
	/** Returns undefined if the file is not open. */
	read(path: string): string | undefined;
	/** Returns false if the file is not open. */
	write(path: string, text: string): boolean;
	/** Called when a tool call, or a turn with tool calls, ends. The agent may have written files that are not open. */
	refresh(): void;
}

/** Capabilities that the page announces to agents. */
export const CHAT_CAPABILITIES: acp.ClientCapabilities = {
	fs: { readTextFile: true, writeTextFile: true },
	session: { notices: {} },
};

const NEW_CHAT = "This is a new chat. The agent does not know the messages above.";

// A new session starts with two or three updates, for its commands and options. Any others come from sessions that have
// been closed.
const EARLY_MAX = 16;

/** A chat with the agent, on the same connection as suggestions. */
export class PageChat {
	/** The items to draw. They may lag behind `latest` by one frame. */
	readonly items = signal<readonly ChatItem[]>([]);
	/** Unanswered questions, oldest first. */
	readonly questions = signal<readonly PermissionQuestion[]>([]);
	readonly commands = signal<readonly acp.AvailableCommand[]>([]);
	readonly options = signal<readonly acp.ConfigOption[]>([]);
	readonly isBusy = signal(false);
	/** The unsent text in the composer. */
	readonly draft = signal("");
	private latest: readonly ChatItem[] = [];
	private isDrawing = false;
	/** Identifies the running turn; undefined once a new chat has been started. */
	private turn: { hasCalls: boolean } | undefined;
	private session: Session | undefined;
	private opening:
		| { readonly connection: Connection<"client">; readonly cwd: string; readonly session: Promise<Session> }
		| undefined;

	/** Updates for sessions that are not known yet. They can arrive before the response to `session/new` is handled. */
	private early: { readonly sessionId: string; readonly update: acp.SessionUpdate }[] = [];

	constructor(
		private readonly connection: () => Connection<"client"> | undefined,
		/** Absolute path of the working directory for a new session. */
		private readonly folder: () => string,
		private readonly buffers: OpenBuffers,
		/** Runs a callback before the next frame. */
		private readonly beforeDrawing: (run: () => void) => void = (run) => requestAnimationFrame(run),
	) {}

	/** Returns handlers for the agent's requests and notifications. */
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
				// If a file is not open, the agent writes it to disk itself.
				if (!this.buffers.write(path, content))
					throw new RpcError(ErrorCode.methodNotFound, "The file is not open here");
				return {};
			}),
			on(acp.requestPermission, ({ toolCall, options }, { signal }) => this.ask(toolCall, options, signal)),
		];
	}

	/** Opens a session, so that its commands and options are known before the first prompt. */
	async begin(): Promise<void> {
		// A failure is reported when the user sends a prompt.
		await this.open().catch(() => {});
	}

	async send(text: string): Promise<void> {
		const opened = this.open();
		const turn = { hasCalls: false };
		this.turn = turn;
		this.add({ type: "user", text });
		this.isBusy.value = true;
		const notice = await this.prompt(opened, text);
		if (turn.hasCalls) this.buffers.refresh();
		// The user may have started another chat.
		if (this.turn !== turn) return;
		this.show(this.latest);
		this.isBusy.value = false;
		if (notice !== undefined) this.add({ type: "notice", text: notice });
	}

	/** Returns a notice if the turn did not end normally. */
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

	/** Starts a new chat. */
	renew(): void {
		this.end();
		this.turn = undefined;
		this.isBusy.value = false;
		this.show([]);
		void this.begin();
	}

	/** Closes the session if another folder was opened, so that the agent stops any work for the previous folder. */
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
			// The session was never opened, the agent does not support closing sessions, or the connection is gone.
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

	/** Returns the session. It belongs to one connection and one folder; opens a new one if either has changed. */
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
		const last = this.latest.at(-1);
		const isMarked = last?.type === "notice" && last.text === NEW_CHAT;
		if (last !== undefined && !isMarked) this.add({ type: "notice", text: NEW_CHAT });
		try {
			const { sessionId, configOptions } = await connection.request(acp.newSession, { cwd, mcpServers: [] });
			const session = { connection, id: sessionId };
			// The user may have switched to another folder or connection in the meantime.
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

	/** Resolves with the user's answer, or as cancelled if the agent withdraws the request. */
	private ask(
		{ toolCallId, title }: { readonly toolCallId: string; readonly title?: string | null | undefined },
		options: readonly acp.PermissionOption[],
		signal: AbortSignal,
	): Promise<ResultOf<typeof acp.requestPermission>> {
		return new Promise((resolve) => {
			const call = this.latest.find((item) => item.type === "call" && item.id === toolCallId);
			const known = call?.type === "call" ? call.title : "Allow this tool call";
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
		// Chunks are small and frequent, so they are drawn once per frame.
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
			title: said.title ?? known?.title ?? "Tool call",
			status: said.status ?? known?.status ?? "pending",
			content: said.content ?? known?.content ?? [],
		};
		this.show(at < 0 ? [...items, call] : items.with(at, call));
		if (this.turn !== undefined) this.turn.hasCalls = true;
		if (said.status === "completed" || said.status === "failed") this.buffers.refresh();
	}

	/** Replaces the turn's plan. Every update contains the whole plan, and a turn has only one. */
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
	max_tokens: "The answer was cut off because it was too long.",
	max_turn_requests: "Stopped after many steps. Send “continue” to go on.",
	refusal: "The model refused to answer.",
};
