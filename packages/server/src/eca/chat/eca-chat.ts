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

/** An editor's chat for one thread, with its settings, turns and pending approvals. */
export class EcaChat implements OpenChat, ChatListener {
	private readonly choices: ChatChoices;
	private readonly content: ContentSender;
	private readonly approvals: ChatApprovals;
	private readonly turns: ChatTurns;
	/** Set by `load` if an external agent handles the prompts. */
	agent?: () => Promise<OtherAgentSession>;

	constructor(
		readonly id: eca.ChatId,
		readonly threadId: string,
		private readonly session: EcaSession,
		private readonly now: () => number,
		/** Whether the client may be unable to show and approve tool calls. */
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
			// The other versions of the protocol don't support content outside turns.
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

	/** Loads the thread's settings. Call this before the first use of the engine. */
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
	 * Responds to a prompt immediately. Its turn runs after the response has been sent and the running turn has ended.
	 * While a call needs approval, the prompt can be the answer, because some clients have no buttons.
	 */
	async prompt(params: eca.PromptParams, call: Call): Promise<eca.PromptResult> {
		const answer = typedAnswer(params.message, this.isTextOnly());
		// Trusting the chat approves pending calls, unless the prompt answers one of them.
		if (params.trust === true && answer === undefined) this.choose({ trust: true });
		if (answer === undefined && params.chatId == null && this.rejectWith(params.message)) return this.accepted();
		if (this.approvals.settleOldest(answer)) {
			if (params.trust != null) this.choose({ trust: params.trust });
			call.afterwards(() => this.send({ role: "user", content: { type: "text", text: `${params.message}\n` } }));
			return this.accepted();
		}
		if (this.turns.isFull) {
			const problem = { kind: "error", why: `${PROMPTS_MAX} prompts are already waiting.` } as const;
			return this.resultOf({ model: undefined, problem });
		}
		return this.resultOf(await this.turns.prompt(params, call));
	}

	/** Answers the request to approve a call. Returns false if there is no request with this id. */
	settle(callId: string, answer: PermissionAnswer): boolean {
		return this.approvals.settle(callId, answer);
	}

	/** Cancels the running turn and all queued prompts. */
	cancel(): void {
		this.turns.cancel();
	}

	/** Sends a message to the running turn. Returns false if no turn accepts it. */
	steer(message: string): boolean {
		return this.turns.steer(message);
	}

	/** Removes messages that the turn has not read yet. */
	unsteer(): void {
		this.turns.unsteer();
	}

	stop(): Promise<void> {
		return this.turns.stop();
	}

	/** Resolves once all turns requested so far have ended. */
	settled(): Promise<void> {
		return this.turns.settled();
	}

	/** Releases the chat's resources in a folder that the editor has closed. */
	leave(folder: string): Promise<void> {
		return this.turns.leave(folder);
	}

	/** Stops the chat and releases its resources. */
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

	/** Rejects the pending call and sends the message to the model instead. Returns false if no call is pending. */
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
		// Ignore a missing engine or a full disk, which the next turn reports.
		saved.catch((error) => {
			if (!(error instanceof RpcError || error instanceof StoreError)) this.session.report(error);
		});
	}

	/** Returns the result for a prompt that starts no turn. */
	private async accepted(): Promise<eca.PromptResult> {
		const { model } = await this.turns.accept({ message: "" });
		return this.resultOf({ model, problem: undefined });
	}

	private resultOf({ model, problem }: Pick<AcceptedPrompt, "model" | "problem">): eca.PromptResult {
		return promptResult(this.session.protocolVersion, this.id, model, problem);
	}
}
