import type { AgentSession, Answer, Entry, Question, Thread, Update } from "@segue/assist";
import { StoreError } from "@segue/assist/failures";
import { type ChatId, eca, type PromptParams, type PromptResult } from "@segue/protocol/eca";
import { type Call, RpcError } from "@segue/rpc";
import type { Desk } from "../chat/chat.js";
import type { EcaEngine } from "./backend.js";
import { EcaClient, type Hearing } from "./client.js";
import { Narrator } from "./content.js";
import { partsOf } from "./contexts.js";
import { resultIn, type Telling, type Trouble, tellingIn } from "./dialect.js";
import { announceSelection, chooseWith } from "./selection.js";
import type { Chat, ChatSettings, EcaSession, Piece } from "./session.js";
import { settingsAfter, UNSET } from "./settings.js";
import { TurnStream } from "./stream.js";
import { verdictIn } from "./verdict.js";

/** Prompts that wait for a turn of the same chat. Nobody types as many while one is under way. */
const WAITING_MAX = 16;

/** A thread, as one editor chats in it: its settings, its turns, and the calls that wait to be approved. */
export class EcaChat implements Chat, Hearing {
	settings: ChatSettings = UNSET;
	private readonly client: EcaClient;
	private readonly telling: Telling;
	/** The prompts that have no end yet, the one under way first. */
	private readonly asked = new Set<Asked>();
	private last: Promise<void> = Promise.resolve();
	/** Of the turn that is under way. */
	private engine: EcaEngine | undefined;
	private stream: TurnStream | undefined;
	private narrator: Narrator | undefined;
	/** The calls that wait to be approved, by their ids, the oldest first. */
	private readonly open = new Map<string, OpenQuestion>();
	/** What the person said of the calls of this turn. A call may need more than one yes, and is shown once. */
	private readonly answers = new Map<string, Answer>();
	private costUsd = 0;
	/** Where another agent asks what the editor knows. */
	private desk: Desk | undefined;
	/** Only where another agent answers, which is known with the engine. */
	agent?: () => Promise<AgentSession>;
	private its: AgentSession | undefined;
	/** What that agent offers, as the editor was last told. */
	private offered = "";

	constructor(
		readonly id: ChatId,
		readonly threadId: string,
		private readonly session: EcaSession,
		private readonly now: () => number,
	) {
		this.client = new EcaClient(session, id, this);
		this.telling = tellingIn(session.form, (received) => {
			session.connection.notify(eca.contentReceived, { chatId: id, ...received });
		});
	}

	get status(): Chat["status"] {
		const [first] = this.asked;
		if (first === undefined) return "idle";
		return first.cancel.signal.aborted ? "stopping" : "running";
	}

	/** Takes up what the engine is like, before anything is asked of it. */
	meet(engine: EcaEngine): void {
		if (this.settings === UNSET) this.settings = { ...UNSET, mode: engine.mode, ...this.session.chosen };
		const { agentFor } = engine;
		if (agentFor === undefined) return;
		this.agent = async () => {
			await this.threadIn(engine);
			const options = { ...(await this.placeIn(engine)), signal: new AbortController().signal };
			this.its = await agentFor(this.threadId, this.client, options);
			if (this.its === undefined) throw new Error("an engine that has another agent has no session with it");
			return this.its;
		};
	}

	/**
	 * Answers a prompt at once, and takes its turn behind the answer. While a call waits to be approved, the prompt says whether
	 * it is, for editors that have no other way. While a turn is under way, the prompt waits for its end.
	 */
	async prompt(params: PromptParams, call: Call): Promise<PromptResult> {
		const verdict = this.settleOldest(params.message);
		if (verdict !== undefined) {
			call.afterwards(() => this.tell({ role: "user", content: { type: "text", text: `${params.message}\n` } }));
			return this.resultOf((await this.accept({ message: "" })).model, undefined);
		}
		if (this.asked.size >= WAITING_MAX) {
			return this.resultOf(undefined, { kind: "error", why: `${WAITING_MAX} prompts wait for an answer already.` });
		}
		const asked: Asked = { cancel: new AbortController() };
		this.asked.add(asked);
		const accepted = this.accept(params);
		const answered = new Promise<void>((resolve) => {
			call.afterwards(resolve);
			asked.cancel.signal.addEventListener("abort", () => resolve(), { once: true });
		});
		this.last = this.queue(asked, accepted, answered);
		const { model, trouble } = await accepted;
		return this.resultOf(model, trouble);
	}

	/** Says something of a call; false where none of this id waits. */
	settle(callId: string, answer: Answer): boolean {
		const question = this.open.get(callId);
		// Nobody can have meant what they were not shown.
		if (question?.isShown !== true) return false;
		this.open.delete(callId);
		this.answers.set(callId, answer);
		question.answer(answer);
		return true;
	}

	/** Cancels the turn that is under way, and those that wait behind it. */
	cancel(): void {
		if (this.status === "running" && this.stream !== undefined) this.show("stopping");
		if (this.narrator !== undefined) this.narrator.isStopped = true;
		for (const { cancel } of this.asked) cancel.abort(new Error("stopped"));
	}

	/** Says something to the turn that is under way; false where none hears it. */
	steer(message: string): boolean {
		return this.engine?.assist.steer(this.threadId, message) === true;
	}

	/** Takes back what was said so and not heard yet. */
	unsteer(): void {
		this.engine?.assist.unsteer(this.threadId);
	}

	async stop(): Promise<void> {
		this.cancel();
		await this.last;
	}

	/** Stops, and lets go of what was made for the chat. */
	async close(): Promise<void> {
		await this.stop();
		this.desk?.close();
		this.desk = undefined;
	}

	tell(piece: Piece): void {
		this.telling.tell(piece);
	}

	replay(entries: readonly Entry[]): readonly Piece[] {
		const narrator = new Narrator(this.now, () => undefined);
		// A call that was declined is kept as failed, in front of the answer that says why.
		const answers = entries.filter(({ body }) => body.type === "approval");
		const pieces = [...answers, ...entries].flatMap((entry) => {
			return narrator.piecesOf({ type: "entry", entry: settledIn(entry) });
		});
		return [...pieces, ...narrator.end()];
	}

	hear(update: Update): void {
		if (update.type === "entry" && update.entry.body.type === "usage") {
			this.costUsd += update.entry.body.usage.costUsd ?? 0;
		}
		if (this.stream !== undefined) this.stream.hear(update);
		// Another agent that speaks after its turn. For the other forms, that was complete.
		else if (this.session.form === "current") this.narrator?.piecesOf(update).map((piece) => this.tell(piece));
		this.showQuestions();
	}

	approved({ call }: Question, signal: AbortSignal): Promise<Answer> {
		const before = this.settings.trust ? "once" : this.answers.get(call.id);
		if (before !== undefined) return Promise.resolve(before);
		return new Promise((resolve) => {
			this.open.set(call.id, { call, answer: resolve, isShown: false });
			signal.addEventListener("abort", () => this.open.delete(call.id), { once: true });
			this.showQuestions();
		});
	}

	choose(model: string): void {
		this.settings = { ...this.settings, model };
	}

	/** A question is shown with its call, which may still be on its way here. */
	private showQuestions(): void {
		for (const [id, question] of this.open) {
			if (question.isShown || this.narrator?.knows(id) !== true) continue;
			question.isShown = true;
			this.stream?.ask(question.call);
		}
	}

	/** What a prompt says of the call that has waited longest; undefined where it is a prompt of its own. */
	private settleOldest(message: string): Answer | undefined {
		const [oldest] = [...this.open.values()].filter(({ isShown }) => isShown);
		if (oldest === undefined) return undefined;
		const verdict = verdictIn(message);
		this.settle(oldest.call.id, verdict ?? "no");
		return verdict;
	}

	/** What a prompt is taken with. */
	private async accept(params: PromptParams): Promise<Accepted> {
		let engine: EcaEngine;
		try {
			engine = await this.session.engine();
		} catch (error) {
			if (!(error instanceof RpcError)) throw error;
			return { params, model: undefined, trouble: { kind: "error", why: error.message }, engine: undefined };
		}
		this.meet(engine);
		this.settings = settingsAfter(this.settings, params, engine);
		const { settings } = this;
		const taken = { params, engine, settings };
		if (engine.agent !== undefined) return { ...taken, model: engine.agent, trouble: undefined };
		const model = engine.models.choose(settings.model);
		if (!("why" in model)) return { ...taken, model: model.name, trouble: undefined };
		// A command needs no model.
		const isCommand = /^\s*\/[a-z]/i.test(params.message);
		return { ...taken, model: settings.model, trouble: isCommand ? undefined : { kind: "login", why: model.why } };
	}

	private resultOf(model: string | undefined, trouble: Trouble | undefined): PromptResult {
		return resultIn(this.session.form, this.id, model, trouble);
	}

	private async queue(asked: Asked, accepted: Promise<Accepted>, answered: Promise<void>): Promise<void> {
		await this.last;
		try {
			const taken = await accepted;
			await answered;
			await this.take(taken, asked.cancel.signal);
		} catch {
			// The prompt itself was answered with the error.
		} finally {
			this.asked.delete(asked);
			if (this.stream !== undefined) this.finish();
		}
	}

	private async take(taken: Accepted, signal: AbortSignal): Promise<void> {
		const { params, engine } = taken;
		const begin = (isNamed: boolean, notices: readonly string[] = []) => {
			const model = engine?.agent === undefined ? engine?.models.choose(taken.settings?.model) : undefined;
			const windowTokens = model === undefined || "why" in model ? undefined : model.windowTokens;
			this.narrator = new Narrator(this.now, () => windowTokens ?? this.its?.windowTokens, this.costUsd);
			this.narrator.isStopped = signal.aborted;
			this.stream = new TurnStream(this.narrator, this.telling, () => this.show("running"), isNamed, notices);
			return this.stream;
		};
		if (engine === undefined) {
			begin(true).fail(taken.trouble.why);
			return;
		}
		try {
			const thread = await this.threadIn(engine);
			const contexts = [...(params.contexts ?? []), ...(params.context ?? [])];
			const scope = { workspace: engine.workspaceOf(this.session.folders), client: this.client, signal };
			const gathered = await partsOf(contexts, { tools: engine.assist.toolsFor(this.client), scope });
			begin(thread.title !== "", gathered.notices);
			this.engine = engine;
			const { mode, model, effort } = taken.settings;
			const parts = [{ type: "text" as const, text: params.message }, ...gathered.parts];
			const options = { mode, model, effort, ...(await this.placeIn(engine)), signal };
			if (engine.agent !== undefined) await this.instruct(engine.agent, params);
			await engine.prompt(this.threadId, parts, this.client, options);
			await this.announceOffered();
		} catch (error) {
			const stream = this.stream ?? begin(true);
			if (!signal.aborted) stream.fail(this.sentenceFor(error));
		}
	}

	/** Has another agent take up what a prompt says, as far as it has that. Why it does not start is told by the turn. */
	private async instruct(name: string, { model, variant, agent, behavior }: PromptParams): Promise<void> {
		try {
			const its = await this.agent?.();
			for (const wish of [{ model }, { variant }, { agent: agent ?? behavior }]) await chooseWith(its, wish, name);
			await this.announceOffered();
		} catch (error) {
			if (!(error instanceof RpcError)) throw error;
		}
	}

	/** Tells the editor what another agent offers, where that is something else than before. */
	private async announceOffered(): Promise<void> {
		if (this.its === undefined) return;
		const offered = JSON.stringify([this.its.modes, this.its.configOptions]);
		if (offered === this.offered) return;
		this.offered = offered;
		await announceSelection(this.session, this);
	}

	private async threadIn({ assist }: EcaEngine): Promise<Thread> {
		return (await assist.thread(this.threadId)) ?? (await assist.create(this.session.folders[0], this.threadId));
	}

	/** Where turns may work besides the workspace, and what another agent has to ask the editor with. */
	private async placeIn(engine: EcaEngine) {
		const { folders } = this.session;
		this.desk ??= await engine.deskFor?.(folders, this.client);
		return { folders: folders.slice(1), mcpServers: this.desk === undefined ? [] : [this.desk.server] };
	}

	private finish(): void {
		this.stream?.end();
		this.stream = undefined;
		this.engine = undefined;
		this.open.clear();
		this.answers.clear();
		this.show("idle");
	}

	private show(status: Chat["status"]): void {
		if (this.session.form === "2025-06-09") return;
		this.session.connection.notify(eca.statusChanged, { chatId: this.id, status });
	}

	private sentenceFor(error: unknown): string {
		if (error instanceof RpcError || error instanceof StoreError) return error.message;
		this.session.report(error);
		return "Something went wrong that should not have. The log of this program says more.";
	}
}

/** A prompt that has no end yet. */
interface Asked {
	readonly cancel: AbortController;
}

/** What a turn is taken with, or why there is none. */
type Accepted = { readonly params: PromptParams; readonly model: string | undefined } & (
	| { readonly engine: EcaEngine; readonly settings: ChatSettings; readonly trouble: Trouble | undefined }
	| { readonly engine: undefined; readonly settings?: undefined; readonly trouble: Trouble }
);

interface OpenQuestion {
	readonly call: Question["call"];
	readonly answer: (answer: Answer) => void;
	isShown: boolean;
}

/** Whoever would have told how it ended died before. */
function settledIn(entry: Entry): Entry {
	const { body } = entry;
	if (body.type !== "call" || body.call.status === "done" || body.call.status === "failed") return entry;
	return { ...entry, body: { type: "call", call: { ...body.call, status: "failed" } } };
}
