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
import type { EcaEngine } from "../backend.js";
import type { EcaChatSettings, EcaSession, OpenChat } from "../eca-session.js";
import { flagItem, replayItems } from "../encoding/content-builder.js";
import { encoderFor, promptResult } from "../encoding/eca-version.js";
import { type ContentItem, ContentSender } from "../encoding/encoder.js";
import { announceSelection } from "../selection.js";
import { ChatApprovals } from "./chat-approvals.js";
import { ChatChoices } from "./chat-choices.js";
import { type AcceptedPrompt, ChatTurns } from "./chat-turns.js";
import { type ChatListener, EcaClient } from "./eca-client.js";
import { typedAnswer } from "./pending-approvals.js";
import { PROMPTS_MAX } from "./prompt-queue.js";

/** A thread as one editor chats in it: its settings, its turns, and the calls that wait to be approved. */
export class EcaChat implements OpenChat, ChatListener {
	private readonly choices: ChatChoices;
	private readonly content: ContentSender;
	private readonly approvals: ChatApprovals;
	private readonly turns: ChatTurns;
	/** Set if another agent answers, which is known with the engine. */
	agent?: () => Promise<OtherAgentSession>;

	constructor(
		readonly id: eca.ChatId,
		readonly threadId: string,
		private readonly session: EcaSession,
		private readonly now: () => number,
		/** Whether the client has shown no sign yet that it can show a tool call and answer it. */
		private readonly isTextOnly: () => boolean,
	) {
		const { connection, protocolVersion } = session;
		this.choices = new ChatChoices(threadId);
		this.content = new ContentSender(
			connection,
			(received) => connection.notify(eca.contentReceived, { chatId: id, ...received }),
			(send) => encoderFor(protocolVersion, isTextOnly, send),
		);
		this.approvals = new ChatApprovals({
			turn: () => this.turns.running,
			isTrusted: () => this.settings.trust,
			isOneByOne: () => protocolVersion === "2025-06-09" || isTextOnly(),
			// The other versions have no content outside turns.
			notice: (text) => {
				if (protocolVersion === "current") this.send({ role: "system", content: { type: "text", text } });
			},
		});
		this.turns = new ChatTurns({
			chatId: id,
			threadId,
			session,
			client: new EcaClient(session, id, this),
			choices: this.choices,
			approvals: this.approvals,
			encoder: this.content.encoder,
			now,
			load: (engine) => this.load(engine),
			announce: () => announceSelection(session, this),
		});
	}

	get settings(): EcaChatSettings {
		return this.choices.settings;
	}

	get status(): OpenChat["status"] {
		return this.turns.status;
	}

	/** Takes over what the engine is like and what was chosen in the thread. To be called before the first use of the engine. */
	async load(engine: EcaEngine): Promise<void> {
		await this.choices.load(engine, this.session.chosen ?? {});
		if (engine.agent !== undefined) this.agent = () => this.turns.agent.session();
	}

	choose(chosen: Partial<EcaChatSettings>): () => void {
		const undo = this.choices.choose(chosen);
		if (chosen.trust === true) this.approvals.trust();
		this.saveChoices();
		return () => {
			undo();
			this.saveChoices();
		};
	}

	/**
	 * Answers a prompt at once and takes its turn after the response. While a call waits for approval, a prompt can be the answer,
	 * for clients that have no other way. While a turn runs, the prompt waits for its end.
	 */
	async prompt(params: eca.PromptParams, call: Call): Promise<eca.PromptResult> {
		const answer = typedAnswer(params.message, this.isTextOnly());
		// Trusting the chat approves the calls that wait, unless the prompt answers one of them.
		if (params.trust === true && answer === undefined) this.choose({ trust: true });
		if (answer === undefined && params.chatId == null && this.rejectWith(params.message)) return this.accepted();
		if (this.approvals.settleOldest(answer)) {
			if (params.trust != null) this.choose({ trust: params.trust });
			call.afterwards(() => this.send({ role: "user", content: { type: "text", text: `${params.message}\n` } }));
			return this.accepted();
		}
		if (this.turns.isFull) {
			const problem = { kind: "error", why: `${PROMPTS_MAX} prompts wait for an answer already.` } as const;
			return this.resultOf({ model: undefined, problem });
		}
		return this.resultOf(await this.turns.prompt(params, call));
	}

	/** Answers the request to approve a call. Returns false if none with this id waits. */
	settle(callId: string, answer: PermissionAnswer): boolean {
		return this.approvals.settle(callId, answer);
	}

	/** Cancels the running turn and those that wait behind it. */
	cancel(): void {
		this.turns.cancel();
	}

	/** Sends a message to the running turn. Returns false if there is none that takes it. */
	steer(message: string): boolean {
		return this.turns.steer(message);
	}

	/** Takes back the messages that the turn has not read yet. */
	unsteer(): void {
		this.turns.unsteer();
	}

	stop(): Promise<void> {
		return this.turns.stop();
	}

	/** Resolves when the turns that were asked for so far have ended. */
	settled(): Promise<void> {
		return this.turns.settled();
	}

	/** Releases what was made for the chat in a folder that the editor has closed. */
	leave(folder: string): Promise<void> {
		return this.turns.leave(folder);
	}

	/** Stops, and releases what was made for the chat. */
	close(): Promise<void> {
		return this.turns.close();
	}

	send(item: ContentItem): void {
		this.content.send(item);
	}

	sendAll(items: readonly ContentItem[]): Promise<void> {
		return this.content.replay(items);
	}

	entries(assist: Assist): Promise<readonly Entry[]> {
		return this.turns.entries(assist);
	}

	replay(entries: readonly Entry[], flags: readonly Flag[]): readonly ContentItem[] {
		const { first = Number.POSITIVE_INFINITY, sent = [] } = this.turns.running ?? {};
		const before = replayItems(
			entries.filter(({ number }) => number < first),
			flags,
			this.now,
		);
		if (!entries.some(({ number }) => number >= first)) return before;
		const flagged = flags.filter(({ after }) => after >= first).map(flagItem);
		return [...before, ...sent.map((item) => this.approvals.asNow(item)), ...flagged];
	}

	setTitle(title: string): void {
		this.turns.title = title;
	}

	update(update: Update): void {
		this.turns.update(update);
		this.approvals.show();
	}

	approve(request: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer> {
		return this.approvals.approve(request, signal);
	}

	resume({ id }: Thread): void {
		this.session.resume(id);
	}

	/** Rejects the call that waits and sends the model the message instead. Returns false if none waits. */
	private rejectWith(message: string): boolean {
		if (!this.approvals.isWaiting || !this.steer(message)) return false;
		this.approvals.settleOldest("no");
		return true;
	}

	private saveChoices(): void {
		const saved = this.session.engine().then(async (engine) => {
			await this.load(engine);
			await this.choices.save(engine);
		});
		// If there is no engine or no room on the disk, the next turn says so.
		saved.catch((error) => {
			if (!(error instanceof RpcError || error instanceof StoreError)) this.session.report(error);
		});
	}

	/** The result of a prompt that takes no turn. */
	private async accepted(): Promise<eca.PromptResult> {
		const { model } = await this.turns.accept({ message: "" });
		return this.resultOf({ model, problem: undefined });
	}

	private resultOf({ model, problem }: Pick<AcceptedPrompt, "model" | "problem">): eca.PromptResult {
		return promptResult(this.session.protocolVersion, this.id, model, problem);
	}
}
