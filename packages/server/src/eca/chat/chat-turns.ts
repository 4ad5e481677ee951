import type { Assist, Entry, OtherAgentSession, Thread, Update } from "@segue/assist";
import { StoreError } from "@segue/assist/failures";
import * as eca from "@segue/protocol/eca";
import { type Call, RpcError } from "@segue/rpc";
import { INTERNAL_ERROR, rejectForPeer } from "../../engine-error.js";
import type { EcaEngine } from "../backend.js";
import type { EcaChatSettings, EcaSession, OpenChat } from "../eca-session.js";
import { ContentBuilder } from "../encoding/content-builder.js";
import type { PromptProblem } from "../encoding/eca-version.js";
import type { Encoder } from "../encoding/encoder.js";
import { partsOf } from "../from-wire.js";
import type { ChatApprovals } from "./chat-approvals.js";
import { type ChatChoices, settingsOfPrompt } from "./chat-choices.js";
import { type ChatLocation, ChatWorkspace } from "./chat-workspace.js";
import { DelegatedAgent } from "./delegated-agent.js";
import type { EcaClient } from "./eca-client.js";
import { PromptQueue } from "./prompt-queue.js";
import { TurnStream } from "./turn-stream.js";

/** Messages to a turn that has not begun yet. Users don't send more in that time. */
const EARLY_MESSAGES_MAX = 100;

/** The parts of a chat that its turns work with. */
interface TurnParts {
	readonly chatId: eca.ChatId;
	readonly threadId: string;
	readonly session: EcaSession;
	readonly client: EcaClient;
	readonly choices: ChatChoices;
	readonly approvals: Pick<ChatApprovals, "end">;
	readonly encoder: Encoder;
	readonly now: () => number;
	/** Prepares the chat for an engine. */
	readonly load: (engine: EcaEngine) => Promise<void>;
	/** Sends the editor the choices of the chat. */
	readonly announce: () => Promise<void>;
}

/** What a turn is taken with, or why there is none. */
export type AcceptedPrompt = { readonly params: eca.PromptParams; readonly model: string | undefined } & (
	| {
			readonly location: ChatLocation;
			readonly settings: EcaChatSettings;
			readonly problem: PromptProblem | undefined;
	  }
	| { readonly location: undefined; readonly settings?: undefined; readonly problem: PromptProblem }
);

/** The turns of one chat, one after the other. */
export class ChatTurns {
	/** Another agent that answers in the chat. */
	readonly agent: DelegatedAgent;
	/** The title that the thread gets when it is created. */
	title = "";
	private readonly workspace: ChatWorkspace;
	private readonly prompts = new PromptQueue(() => {
		if (this.stream !== undefined) this.finish();
	});
	/** Where the running turn works. */
	private location: ChatLocation | undefined;
	private stream: TurnStream | undefined;
	/** Builds the content of the running turn, or of the last one. */
	private builder: ContentBuilder | undefined;
	/** How often a turn has begun or ended. */
	private changes = 0;
	/** Messages to a turn that has not begun yet. */
	private early: string[] = [];
	/** Whether the engine has taken the turn. */
	private hasBegun = false;
	/** The cost of the thread, once it was looked up. */
	private costUsd: number | undefined;
	/** Aborted when the chat is closed. */
	private readonly closing = new AbortController();

	constructor(private readonly parts: TurnParts) {
		this.workspace = new ChatWorkspace(parts.threadId, parts.client);
		this.agent = new DelegatedAgent(() => this.openAgentSession(), parts.announce);
	}

	get running(): TurnStream | undefined {
		return this.stream;
	}

	get status(): OpenChat["status"] {
		return this.prompts.status;
	}

	/** Whether no more prompts can wait. */
	get isFull(): boolean {
		return this.prompts.isFull;
	}

	/** Resolves when the prompt can be answered. Its turn begins after the response and after the turns before it. */
	prompt(params: eca.PromptParams, call: Call): Promise<AcceptedPrompt> {
		const accepted = this.accept(params);
		const answered = new Promise<void>((resolve) => call.afterwards(resolve));
		this.prompts.add(accepted, answered, (taken, signal) => this.take(taken, signal));
		return accepted;
	}

	/** Finds the engine and the model for a prompt, and chooses what it names. */
	async accept(params: eca.PromptParams): Promise<AcceptedPrompt> {
		const { session, choices } = this.parts;
		const { folders } = session;
		let engine: EcaEngine;
		try {
			engine = await session.engine();
			await this.parts.load(engine);
		} catch (error) {
			if (!(error instanceof RpcError || error instanceof StoreError)) throw error;
			return { params, model: undefined, problem: { kind: "error", why: error.message }, location: undefined };
		}
		choices.choose(settingsOfPrompt(params, engine));
		const { settings } = choices;
		const taken = { params, location: { engine, folders }, settings };
		if (engine.agent !== undefined) {
			return { ...taken, model: engine.agent, problem: await this.agent.problem() };
		}
		const model = engine.models.choose(settings.model);
		if (!("why" in model)) return { ...taken, model: model.name, problem: undefined };
		// A command needs no model.
		const isCommand = /^\s*\/[a-z]/i.test(params.message);
		return { ...taken, model: settings.model, problem: isCommand ? undefined : { kind: "login", why: model.why } };
	}

	/** An update of the thread. */
	update(update: Update): void {
		const { session, encoder } = this.parts;
		if (this.location !== undefined && !this.hasBegun) this.begin(this.location.engine);
		if (update.type === "entry") this.costUsd = (this.costUsd ?? 0) + costOf(update.entry);
		if (this.stream !== undefined) this.stream.update(update);
		// Another agent can go on after its turn. In the other versions the turn was complete.
		else if (session.protocolVersion === "current") {
			for (const item of this.builder?.itemsOf(update) ?? []) encoder.send(item);
		}
	}

	/** Cancels the running turn and those that wait behind it. */
	cancel(): void {
		if (this.status === "running" && this.stream !== undefined) this.show("stopping");
		if (this.builder !== undefined) this.builder.isStopped = true;
		this.prompts.cancelAll();
	}

	/** Sends a message to the running turn. Returns false if there is none that takes it. */
	steer(message: string): boolean {
		if (this.hasBegun) return this.location?.engine.assist.steer(this.parts.threadId, message) === true;
		if (this.status !== "running" || this.early.length >= EARLY_MESSAGES_MAX) return false;
		this.early.push(message);
		return true;
	}

	/** Takes back the messages that the turn has not read yet. */
	unsteer(): void {
		this.early = [];
		this.location?.engine.assist.unsteer(this.parts.threadId);
	}

	/** Cancels, and waits until everything of the turn is written down. */
	async stop(): Promise<void> {
		this.cancel();
		await this.prompts.settled();
	}

	settled(): Promise<void> {
		return this.prompts.settled();
	}

	leave(folder: string): Promise<void> {
		return this.workspace.leave(folder);
	}

	async close(): Promise<void> {
		this.closing.abort(new Error("the chat was closed"));
		await this.stop();
		await this.workspace.leave();
	}

	/** The entries of the thread up to the last one that was sent to the editor. */
	async entries(assist: Assist): Promise<readonly Entry[]> {
		for (;;) {
			const { stream, changes } = this;
			// Until then it is not known where the turn begins.
			await stream?.started;
			const entries = await assist.entries(this.parts.threadId);
			if (this.changes === changes) return entries;
		}
	}

	private async take(taken: AcceptedPrompt, signal: AbortSignal): Promise<void> {
		const { threadId, client, choices } = this.parts;
		const { params, location } = taken;
		if (location === undefined) {
			this.open(taken, true, signal).fail(taken.problem.why);
			return;
		}
		try {
			const { engine, folders } = location;
			const { assist } = engine;
			const thread = await this.threadAt(location);
			this.costUsd ??= (await assist.entries(threadId)).reduce((sum, entry) => sum + costOf(entry), 0);
			// Everything that may take long comes after this, so that it can be stopped.
			const stream = this.open(taken, thread.title !== "", signal);
			this.location = location;
			await choices.save(engine);
			const contexts = [...(params.contexts ?? []), ...(params.context ?? [])];
			const scope = { workspace: engine.workspaceOf(folders), client, signal };
			const isDenied: Assist["isDenied"] = (permission) => assist.isDenied(permission);
			const resource = (server: string, uri: string) => assist.mcp.read(server, uri, thread, isDenied, signal);
			const gathered = await partsOf(contexts, { tools: assist.toolsFor(client), scope, isDenied, resource });
			stream.notice(gathered.notices);
			const { mode, model, effort } = taken.settings;
			const parts = [{ type: "text" as const, text: params.message }, ...gathered.parts];
			const instruct = (its: OtherAgentSession) => this.agent.instruct(its, params, signal);
			const options = { mode, model, effort, ...(await this.workspace.optionsAt(location)), instruct, signal };
			const reason = await engine.prompt(threadId, parts, client, options);
			if (engine.agent !== undefined) await this.agent.ended(reason);
		} catch (error) {
			const stream = this.stream ?? this.open(taken, true, signal);
			if (!signal.aborted) stream.fail(this.sentenceFor(error));
		}
	}

	/** Opens the stream of a turn. */
	private open({ location, settings }: AcceptedPrompt, isNamed: boolean, signal: AbortSignal): TurnStream {
		const { now, encoder } = this.parts;
		const isOurs = location !== undefined && location.engine.agent === undefined;
		const model = isOurs ? location.engine.models.choose(settings?.model) : undefined;
		const windowTokens = model === undefined || "why" in model ? undefined : model.windowTokens;
		this.builder = new ContentBuilder(now, () => windowTokens ?? this.agent.windowTokens, this.costUsd);
		this.builder.isStopped = signal.aborted;
		this.changes++;
		this.stream = new TurnStream(this.builder, encoder, () => this.show("running"), isNamed);
		return this.stream;
	}

	private async threadAt({ engine: { assist }, folders }: ChatLocation): Promise<Thread> {
		const { threadId } = this.parts;
		const { title } = this;
		const known = await assist.thread(threadId);
		if (known !== undefined) return known;
		const thread = await assist.create(folders[0], threadId);
		if (title === "") return thread;
		await assist.rename(threadId, title);
		return { ...thread, title };
	}

	/** Opens the other agent's session where the running turn works, or else where the next one will. */
	private async openAgentSession(): Promise<OtherAgentSession> {
		const { session, threadId, client } = this.parts;
		const { folders } = session;
		const location = this.location ?? { engine: await session.engine(), folders };
		await this.threadAt(location);
		const options = { ...(await this.workspace.optionsAt(location)), signal: this.closing.signal };
		const its = await location.engine.assist.agentFor(threadId, client, options).catch(rejectForPeer);
		if (its === undefined) throw new Error("an engine that has another agent has no session with it");
		return its;
	}

	/** The engine takes the turn from now on, with the messages that were sent to it before. */
	private begin({ assist }: EcaEngine): void {
		this.hasBegun = true;
		for (const message of this.early) assist.steer(this.parts.threadId, message);
		this.early = [];
	}

	private finish(): void {
		this.parts.approvals.end();
		this.hasBegun = false;
		this.early = [];
		this.stream?.end();
		this.stream = undefined;
		this.changes++;
		this.location = undefined;
		this.show("idle");
	}

	private show(status: OpenChat["status"]): void {
		const { session, chatId } = this.parts;
		if (session.protocolVersion === "2025-06-09") return;
		session.connection.notify(eca.statusChanged, { chatId, status });
	}

	private sentenceFor(error: unknown): string {
		if (error instanceof RpcError || error instanceof StoreError) return error.message;
		this.parts.session.report(error);
		return INTERNAL_ERROR;
	}
}

function costOf({ body }: Entry): number {
	return body.type === "usage" ? (body.usage.costUsd ?? 0) : 0;
}
