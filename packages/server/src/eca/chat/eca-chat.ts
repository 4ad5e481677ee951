import type {
	ApprovalRequest,
	Assist,
	Entry,
	Flag,
	OtherAgentSession,
	PermissionAnswer,
	Thread,
	Update,
} from "@segue/assist";
import { StoreError } from "@segue/assist/failures";
import * as eca from "@segue/protocol/eca";
import { type Call, RpcError } from "@segue/rpc";
import { rejectForPeer } from "../../engine-error.js";
import type { EcaEngine } from "../backend.js";
import type { ContentItem, EcaChatSettings, EcaSession, OpenChat } from "../eca-session.js";
import { type Encoder, encoderFor, type PromptProblem, promptResult } from "../encoding/encoder.js";
import { partsOf } from "../from-wire.js";
import { announceSelection } from "../selection.js";
import { ContentBuilder, flagItem } from "../to-wire.js";
import { ChatChoices, settingsOfPrompt } from "./chat-choices.js";
import { type ChatLocation, ChatWorkspace } from "./chat-workspace.js";
import { DelegatedAgent } from "./delegated-agent.js";
import { type ChatListener, EcaClient } from "./eca-client.js";
import { PendingApprovals, typedAnswer } from "./pending-approvals.js";
import { PROMPTS_MAX, PromptQueue } from "./prompt-queue.js";
import { TurnStream } from "./turn-stream.js";

/** Of what is said to a turn before it has begun. Nobody says more in that time. */
const HELD_MAX = 100;

/** A thread, as one editor chats in it: its settings, its turns, and the calls that wait to be approved. */
export class EcaChat implements OpenChat, ChatListener {
	private readonly choices: ChatChoices;
	private readonly client: EcaClient;
	private readonly workplace: ChatWorkspace;
	private readonly telling: Encoder;
	private readonly prompts = new PromptQueue(() => {
		if (this.stream !== undefined) this.finish();
	});
	/** Of the turn that is under way. */
	private place: ChatLocation | undefined;
	private stream: TurnStream | undefined;
	/** How often a turn has begun or ended. */
	private turns = 0;
	private narrator: ContentBuilder | undefined;
	private readonly questions = new PendingApprovals();
	/** What was said to a turn that had not begun yet. */
	private held: string[] = [];
	/** Whether the engine takes the turn by now. */
	private hasBegun = false;
	/** How the thread is to be called that there is not yet. */
	private title = "";
	/** What the thread has cost, once that was looked up. */
	private costUsd: number | undefined;
	/** How many requests are replaying earlier content. Meanwhile, content of the running turn is held back. */
	private replays = 0;
	private heldBack: (() => void)[] = [];
	/** A piece of a replay is being sent. */
	private isReplaying = false;
	/** Aborted when the chat is closed. */
	private readonly life = new AbortController();
	/** Only where another agent answers, which is known with the engine. */
	agent?: () => Promise<OtherAgentSession>;
	private readonly other: DelegatedAgent;

	constructor(
		readonly id: eca.ChatId,
		readonly threadId: string,
		private readonly session: EcaSession,
		private readonly now: () => number,
		/** Whether the client has shown no sign yet that it can show a tool call and answer it. */
		private readonly isTextOnly: () => boolean,
	) {
		this.choices = new ChatChoices(threadId);
		this.client = new EcaClient(session, id, this);
		this.workplace = new ChatWorkspace(threadId, this.client);
		this.other = new DelegatedAgent(
			() => this.sessionWithAgent(),
			() => announceSelection(session, this),
		);
		this.telling = encoderFor(session.protocolVersion, isTextOnly, (received) => {
			const send = () => session.connection.notify(eca.contentReceived, { chatId: id, ...received });
			if (this.replays === 0 || this.isReplaying) send();
			else this.heldBack.push(send);
		});
	}

	get settings(): EcaChatSettings {
		return this.choices.settings;
	}

	get status(): OpenChat["status"] {
		return this.prompts.status;
	}

	/** Takes up what the engine is like, and what was chosen in the thread, before anything is asked of it. */
	async load(engine: EcaEngine): Promise<void> {
		await this.choices.load(engine, this.session.chosen ?? {});
		if (engine.agent !== undefined) this.agent = () => this.other.session();
	}

	choose(chosen: Partial<EcaChatSettings>): () => void {
		const undo = this.choices.choose(chosen);
		// Nothing waits in a chat that is trusted but what trust is not for. What a rule forbids was never asked for.
		if (chosen.trust === true) this.questions.settleAll("once", isTrustable);
		this.keepChosen();
		return () => {
			undo();
			this.keepChosen();
		};
	}

	/**
	 * Answers a prompt at once, and takes its turn behind the answer. While a call waits to be approved, the prompt says whether
	 * it is, for editors that have no other way. While a turn is under way, the prompt waits for its end.
	 */
	async prompt(params: eca.PromptParams, call: Call): Promise<eca.PromptResult> {
		const said = typedAnswer(params.message, this.isTextOnly());
		// Who trusts the chat from now on approves what waits, unless they say something of it.
		if (params.trust === true && said === undefined) this.choose({ trust: true });
		if (said === undefined && params.chatId == null && this.rejectSaying(params.message)) {
			return this.resultOf((await this.accept({ message: "" })).model, undefined);
		}
		const verdict = this.settleOldest(said);
		if (verdict !== undefined) {
			if (params.trust != null) this.choose({ trust: params.trust });
			call.afterwards(() => this.send({ role: "user", content: { type: "text", text: `${params.message}\n` } }));
			return this.resultOf((await this.accept({ message: "" })).model, undefined);
		}
		if (this.prompts.isFull) {
			return this.resultOf(undefined, { kind: "error", why: `${PROMPTS_MAX} prompts wait for an answer already.` });
		}
		const accepted = this.accept(params);
		const answered = new Promise<void>((resolve) => call.afterwards(resolve));
		this.prompts.add(accepted, answered, (taken, signal) => this.take(taken, signal));
		const { model, trouble } = await accepted;
		return this.resultOf(model, trouble);
	}

	/** Says something of a call; false where none of this id waits. */
	settle(callId: string, answer: PermissionAnswer): boolean {
		const isSettled = this.questions.settle(callId, answer);
		this.showQuestions();
		return isSettled;
	}

	/** Cancels the turn that is under way, and those that wait behind it. */
	cancel(): void {
		if (this.status === "running" && this.stream !== undefined) this.show("stopping");
		if (this.narrator !== undefined) this.narrator.isStopped = true;
		this.prompts.cancelAll();
	}

	/** Says something to the turn that is under way; false where none hears it. */
	steer(message: string): boolean {
		if (this.hasBegun) return this.place?.engine.assist.steer(this.threadId, message) === true;
		if (this.status !== "running" || this.held.length >= HELD_MAX) return false;
		this.held.push(message);
		return true;
	}

	/** Takes back what was said so and not heard yet. */
	unsteer(): void {
		this.held = [];
		this.place?.engine.assist.unsteer(this.threadId);
	}

	async stop(): Promise<void> {
		this.cancel();
		await this.prompts.rest();
	}

	/** Waits for the end of the turns that were asked for so far. */
	rest(): Promise<void> {
		return this.prompts.rest();
	}

	/** Lets go of what was made for the chat in a folder that the editor has no longer open. */
	leave(folder: string): Promise<void> {
		return this.workplace.leave(folder);
	}

	/** Stops, and lets go of what was made for the chat. */
	async close(): Promise<void> {
		this.life.abort(new Error("the chat was closed"));
		await this.stop();
		await this.workplace.leave();
	}

	send(piece: ContentItem): void {
		this.telling.show(piece);
	}

	async sendAll(pieces: readonly ContentItem[]): Promise<void> {
		const { connection } = this.session;
		this.replays++;
		for (const piece of pieces) {
			if (connection.isFull) await connection.drained();
			this.isReplaying = true;
			this.send(piece);
			this.isReplaying = false;
		}
		if (--this.replays > 0) return;
		for (const send of this.heldBack.splice(0)) send();
	}

	async entries(assist: Assist): Promise<readonly Entry[]> {
		for (;;) {
			const { stream, turns } = this;
			// Before that, nobody knows where the turn begins.
			await stream?.heard;
			const entries = await assist.entries(this.threadId);
			if (this.turns === turns) return entries;
		}
	}

	replay(entries: readonly Entry[], flags: readonly Flag[]): readonly ContentItem[] {
		const { first = Number.POSITIVE_INFINITY, told = [] } = this.stream ?? {};
		const before = this.retell(
			entries.filter(({ number }) => number < first),
			flags,
		);
		if (!entries.some(({ number }) => number >= first)) return before;
		const flagged = flags.filter(({ after }) => after >= first).map(flagItem);
		return [...before, ...told.map((piece) => this.questions.asNow(piece)), ...flagged];
	}

	private retell(entries: readonly Entry[], flags: readonly Flag[]): readonly ContentItem[] {
		const narrator = new ContentBuilder(this.now, () => undefined);
		// A call that was declined is kept as failed, in front of the answer that says why.
		const answers = entries.filter(({ body }) => body.type === "approval");
		for (const entry of answers) narrator.itemsOf({ type: "entry", entry });
		const pieces = entries.flatMap((entry) => {
			const flagged = flags.filter(({ after }) => after === entry.number).map(flagItem);
			const told = narrator.itemsOf({ type: "entry", entry: settledIn(entry) });
			return flagged.length === 0 ? told : [...told, ...narrator.end(), ...flagged];
		});
		return [...pieces, ...narrator.end()];
	}

	setTitle(title: string): void {
		this.title = title;
	}

	update(update: Update): void {
		if (this.place !== undefined && !this.hasBegun) this.begin(this.place.engine);
		if (update.type === "entry") this.costUsd = (this.costUsd ?? 0) + costOf(update.entry);
		if (this.stream !== undefined) this.stream.hear(update);
		// Another agent that speaks after its turn. For the other forms, that was complete.
		else if (this.session.protocolVersion === "current")
			this.narrator?.itemsOf(update).map((piece) => this.send(piece));
		this.showQuestions();
	}

	approve(question: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer> {
		if (this.settings.trust && isTrustable(question.permission)) return Promise.resolve("once");
		if (this.stream === undefined) {
			// Nobody waits for anything, and in the other forms nothing can be told.
			const text = `Not approved, because it was asked for after the turn: ${question.call.title}\n`;
			if (this.session.protocolVersion === "current") this.send({ role: "system", content: { type: "text", text } });
			return Promise.resolve("no");
		}
		const answer = this.questions.ask(question, signal);
		this.showQuestions();
		return answer;
	}

	resume({ id }: Thread): void {
		this.session.resume(id);
	}

	/** A question is shown with its call, which may still be on its way here. */
	private showQuestions(): void {
		const { stream, narrator } = this;
		if (stream === undefined || narrator === undefined) return;
		const isOneByOne = this.session.protocolVersion === "2025-06-09" || this.isTextOnly();
		this.questions.show(narrator, isOneByOne, (piece) => stream.say(piece));
	}

	/** Rejects the call that waits and tells the model what the user said instead. False if none waits. */
	private rejectSaying(message: string): boolean {
		if (!this.questions.isWaiting || !this.steer(message)) return false;
		this.settleOldest("no");
		return true;
	}

	/** What a prompt says of the call that has waited longest; undefined where it is a prompt of its own. */
	private settleOldest(verdict: PermissionAnswer | undefined): PermissionAnswer | undefined {
		const isSettled = this.questions.settleOldest(verdict ?? "no");
		this.showQuestions();
		return isSettled ? verdict : undefined;
	}

	private keepChosen(): void {
		const kept = this.session.engine().then(async (engine) => {
			await this.load(engine);
			await this.choices.save(engine);
		});
		// Where there is no engine, or no room on the disk, the next turn says so.
		kept.catch((error) => {
			if (!(error instanceof RpcError || error instanceof StoreError)) this.session.report(error);
		});
	}

	/** What a prompt is taken with. */
	private async accept(params: eca.PromptParams): Promise<Accepted> {
		const { folders } = this.session;
		let engine: EcaEngine;
		try {
			engine = await this.session.engine();
			await this.load(engine);
		} catch (error) {
			if (!(error instanceof RpcError || error instanceof StoreError)) throw error;
			return { params, model: undefined, trouble: { kind: "error", why: error.message }, place: undefined };
		}
		this.choices.choose(settingsOfPrompt(params, engine));
		const { settings } = this;
		const taken = { params, place: { engine, folders }, settings };
		if (engine.agent !== undefined) {
			return { ...taken, model: engine.agent, trouble: await this.other.problem() };
		}
		const model = engine.models.choose(settings.model);
		if (!("why" in model)) return { ...taken, model: model.name, trouble: undefined };
		// A command needs no model.
		const isCommand = /^\s*\/[a-z]/i.test(params.message);
		return { ...taken, model: settings.model, trouble: isCommand ? undefined : { kind: "login", why: model.why } };
	}

	private resultOf(model: string | undefined, trouble: PromptProblem | undefined): eca.PromptResult {
		return promptResult(this.session.protocolVersion, this.id, model, trouble);
	}

	private async take(taken: Accepted, signal: AbortSignal): Promise<void> {
		const { params, place } = taken;
		const begin = (isNamed: boolean) => {
			const isOurs = place !== undefined && place.engine.agent === undefined;
			const model = isOurs ? place.engine.models.choose(taken.settings?.model) : undefined;
			const windowTokens = model === undefined || "why" in model ? undefined : model.windowTokens;
			this.narrator = new ContentBuilder(this.now, () => windowTokens ?? this.other.windowTokens, this.costUsd);
			this.narrator.isStopped = signal.aborted;
			this.turns++;
			this.stream = new TurnStream(this.narrator, this.telling, () => this.show("running"), isNamed);
			return this.stream;
		};
		if (place === undefined) {
			begin(true).fail(taken.trouble.why);
			return;
		}
		try {
			const { engine, folders } = place;
			const thread = await this.threadAt(place);
			this.costUsd ??= (await engine.assist.entries(this.threadId)).reduce((sum, entry) => sum + costOf(entry), 0);
			// Whatever may have to be waited for comes behind this, so that it can be stopped.
			const stream = begin(thread.title !== "");
			this.place = place;
			await this.choices.save(engine);
			const contexts = [...(params.contexts ?? []), ...(params.context ?? [])];
			const scope = { workspace: engine.workspaceOf(folders), client: this.client, signal };
			const { assist } = engine;
			const isDenied: Assist["isDenied"] = (permission) => assist.isDenied(permission);
			const resource = (server: string, uri: string) => assist.mcp.read(server, uri, thread, isDenied, signal);
			const gathered = await partsOf(contexts, { tools: assist.toolsFor(this.client), scope, isDenied, resource });
			stream.notice(gathered.notices);
			const { mode, model, effort } = taken.settings;
			const parts = [{ type: "text" as const, text: params.message }, ...gathered.parts];
			const instruct = (its: OtherAgentSession) => this.other.instruct(its, params, signal);
			const options = { mode, model, effort, ...(await this.workplace.optionsAt(place)), instruct, signal };
			const reason = await engine.prompt(this.threadId, parts, this.client, options);
			if (engine.agent !== undefined) await this.other.ended(reason);
		} catch (error) {
			const stream = this.stream ?? begin(true);
			if (!signal.aborted) stream.fail(this.sentenceFor(error));
		}
	}

	private async threadAt({ engine: { assist }, folders }: ChatLocation): Promise<Thread> {
		const { threadId, title } = this;
		const known = await assist.thread(threadId);
		if (known !== undefined) return known;
		const thread = await assist.create(folders[0], threadId);
		if (title === "") return thread;
		await assist.rename(threadId, title);
		return { ...thread, title };
	}

	/** Where the turn works that is under way, or else where the next one will. */
	private async sessionWithAgent(): Promise<OtherAgentSession> {
		const { folders } = this.session;
		const place = this.place ?? { engine: await this.session.engine(), folders };
		await this.threadAt(place);
		const options = { ...(await this.workplace.optionsAt(place)), signal: this.life.signal };
		const its = await place.engine.assist.agentFor(this.threadId, this.client, options).catch(rejectForPeer);
		if (its === undefined) throw new Error("an engine that has another agent has no session with it");
		return its;
	}

	/** The engine takes the turn from now on, and hears what was said to it. */
	private begin({ assist }: EcaEngine): void {
		this.hasBegun = true;
		for (const message of this.held) assist.steer(this.threadId, message);
		this.held = [];
	}

	private finish(): void {
		this.questions.end();
		this.hasBegun = false;
		this.held = [];
		this.stream?.end();
		this.stream = undefined;
		this.turns++;
		this.place = undefined;
		this.show("idle");
	}

	private show(status: OpenChat["status"]): void {
		if (this.session.protocolVersion === "2025-06-09") return;
		this.session.connection.notify(eca.statusChanged, { chatId: this.id, status });
	}

	private sentenceFor(error: unknown): string {
		if (error instanceof RpcError || error instanceof StoreError) return error.message;
		this.session.report(error);
		return "Something went wrong that should not have. The log of this program says more.";
	}
}

/** What a turn is taken with, or why there is none. */
type Accepted = { readonly params: eca.PromptParams; readonly model: string | undefined } & (
	| { readonly place: ChatLocation; readonly settings: EcaChatSettings; readonly trouble: PromptProblem | undefined }
	| { readonly place: undefined; readonly settings?: undefined; readonly trouble: PromptProblem }
);

/** Who trusts a chat to work has not said that what they keep from it may be read. */
function isTrustable({ kind }: ApprovalRequest["permission"]): boolean {
	return kind !== "read-ignored";
}

/** Whoever would have told how it ended died before. */
function settledIn(entry: Entry): Entry {
	const { body } = entry;
	if (body.type !== "call" || body.call.status === "done" || body.call.status === "failed") return entry;
	return { ...entry, body: { type: "call", call: { ...body.call, status: "failed" } } };
}

function costOf({ body }: Entry): number {
	return body.type === "usage" ? (body.usage.costUsd ?? 0) : 0;
}
