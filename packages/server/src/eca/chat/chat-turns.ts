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

/** Limit for messages sent to a turn before it starts. Users don't send more in that time. */
const EARLY_MESSAGES_MAX = 100;

/** The parts of a chat that its turns use. */
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
	/** Sends the chat's settings and choices to the editor. */
	readonly announce: () => Promise<void>;
}

/** A prompt with everything that its turn needs, or the reason why no turn can run. */
export type AcceptedPrompt = { readonly params: eca.PromptParams; readonly model: string | undefined } & (
	| {
			readonly location: ChatLocation;
			readonly settings: EcaChatSettings;
			readonly problem: PromptProblem | undefined;
	  }
	| { readonly location: undefined; readonly settings?: undefined; readonly problem: PromptProblem }
);

/** Runs one chat's turns, one at a time. */
export class ChatTurns {
	/** The external agent that handles the chat's prompts, if one is configured. */
	readonly agent: DelegatedAgent;
	/** The title for the thread, used when the thread is created. */
	title = "";
	private readonly workspace: ChatWorkspace;
	private readonly prompts = new PromptQueue(() => {
		if (this.stream !== undefined) this.finish();
	});
	/** The running turn's location. */
	private location: ChatLocation | undefined;
	private stream: TurnStream | undefined;
	/** The content builder for the running or last turn. */
	private builder: ContentBuilder | undefined;
	/** Incremented when a turn starts or ends. */
	private changes = 0;
	/** Messages sent to a turn before it has started. */
	private early: string[] = [];
	/** Whether the engine has started the turn. */
	private hasBegun = false;
	/** The thread's cost, once computed. */
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

	/** Whether the queue of prompts is full. */
	get isFull(): boolean {
		return this.prompts.isFull;
	}

	/** Resolves once the prompt's response is known. The turn starts after the response and after earlier turns. */
	prompt(params: eca.PromptParams, call: Call): Promise<AcceptedPrompt> {
		const accepted = this.accept(params);
		const answered = new Promise<void>((resolve) => call.afterwards(resolve));
		this.prompts.add(accepted, answered, (taken, signal) => this.take(taken, signal));
		return accepted;
	}

	/** Finds the engine and the model for a prompt, and applies its settings. */
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

	/** Handles a thread update. */
	update(update: Update): void {
		const { session, encoder } = this.parts;
		if (this.location !== undefined && !this.hasBegun) this.begin(this.location.engine);
		if (update.type === "entry") this.costUsd = (this.costUsd ?? 0) + costOf(update.entry);
		if (this.stream !== undefined) this.stream.update(update);
		// An external agent can send updates after its turn. Only the current version of the protocol can represent
		// them.
		else if (session.protocolVersion === "current") {
			for (const item of this.builder?.itemsOf(update) ?? []) encoder.send(item);
		}
	}

	/** Cancels the running turn and all queued prompts. */
	cancel(): void {
		if (this.status === "running" && this.stream !== undefined) this.show("stopping");
		if (this.builder !== undefined) this.builder.isStopped = true;
		this.prompts.cancelAll();
	}

	/** Sends a message to the running turn. Returns false if no turn accepts it. */
	steer(message: string): boolean {
		if (this.hasBegun) return this.location?.engine.assist.steer(this.parts.threadId, message) === true;
		if (this.status !== "running" || this.early.length >= EARLY_MESSAGES_MAX) return false;
		this.early.push(message);
		return true;
	}

	/** Removes messages that the turn has not read yet. */
	unsteer(): void {
		this.early = [];
		this.location?.engine.assist.unsteer(this.parts.threadId);
	}

	/** Cancels all turns and waits until they are stored. */
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

	/** Returns the thread's entries up to the last one sent to the editor. */
	async entries(assist: Assist): Promise<readonly Entry[]> {
		for (;;) {
			const { stream, changes } = this;
			// The number of the turn's first entry is unknown until the turn has started.
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
			// Open the stream before the slow steps, so the user can stop them.
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
			if (!signal.aborted) stream.fail(this.messageFor(error));
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

	/**
	 * Opens the external agent's session at the location of the running turn or, if none is running, of the next turn.
	 */
	private async openAgentSession(): Promise<OtherAgentSession> {
		const { session, threadId, client } = this.parts;
		const { folders } = session;
		const location = this.location ?? { engine: await session.engine(), folders };
		await this.threadAt(location);
		const options = { ...(await this.workspace.optionsAt(location)), signal: this.closing.signal };
		const its = await location.engine.assist.agentFor(threadId, client, options).catch(rejectForPeer);
		if (its === undefined) throw new Error("the engine has an external agent but no session with it");
		return its;
	}

	/** Marks the turn as started and forwards the messages that arrived before. */
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

	private messageFor(error: unknown): string {
		if (error instanceof RpcError || error instanceof StoreError) return error.message;
		this.parts.session.report(error);
		return INTERNAL_ERROR;
	}
}

function costOf({ body }: Entry): number {
	return body.type === "usage" ? (body.usage.costUsd ?? 0) : 0;
}
