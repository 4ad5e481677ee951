import * as acp from "@segue/protocol/acp";
import {
	type Connection,
	ErrorCode,
	type Notification,
	notification,
	PeerError,
	type Request,
	type ResultOf,
	RpcError,
	request,
} from "@segue/rpc";
import { type StartTimer, unlessCancelled } from "@segue/text";
import * as z from "zod";
import type { VerbatimRelay, VerbatimSession } from "../acp.js";
import type { Client, Relay } from "../client.js";
import type { ThreadContext } from "../threads/turn-context.js";
import type { AgentTurn } from "./agent-turn.js";
import type { AgentCommand } from "./command-line.js";
import { isSignInWanted, signInFailure } from "./failure.js";
import { Grants } from "./grants.js";
import type { AgentChoice, ChoiceKind } from "./other-agent.js";
import { unsupportedContent } from "./prompt.js";
import { AgentTerminals } from "./terminals.js";

/** What an agent needs to put things in order when a turn is cancelled; some wait for a model to answer first. */
const CANCEL_MS = 10_000;

/** To take up another mode or setting; some ask a server of theirs first. */
const SETTING_MS = 30_000;

/** Of a call that an agent told of after its turn, and did not end. */
const NEVER_ENDED = "It is not known whether this was done.";

/** The process of an agent, as far as a session in it needs it. */
export interface SessionProcess {
	readonly connection: Connection<"client">;
	readonly capabilities: acp.AgentCapabilities;
	readonly authMethods: readonly acp.AuthMethod[];
	/** Whether it takes no more sessions. */
	readonly isOver: boolean;
	/** Whether it fails on an error for a missing file, even if it is about to create it. */
	readonly readsWhatItCreates: boolean;
	readonly options: {
		readonly command: AgentCommand;
		readonly after: StartTimer;
		readonly secretVariables: readonly string[];
	};
	forget(session: AgentSession): void;
	/** Takes no more sessions, and ends after the last turn in it. */
	retire(): void;
}

/** The client that a session works for, and where. */
type SessionContext = Pick<ThreadContext, "client" | "workspace" | "approvals">;

/** Finds the session that a request of an agent names, and throws an `RpcError` where there is none. */
export type SessionOf = (sessionId: string) => Promise<AgentSession>;

/** One thread's session with an agent. */
export class AgentSession implements VerbatimSession {
	readonly protocol = "acp";
	/** As the agent knows it. */
	id = "";
	modes: acp.ModeState | undefined;
	configOptions: acp.ConfigOption[] | undefined;
	commands: acp.AvailableCommand[] = [];
	/** How many tokens its model can look at, once it has told. */
	windowTokens: number | undefined;
	/** What it has cost so far, as the agent has told last. */
	costUsd = 0;
	/** The agent tells what was said before, which is not news. */
	isReplaying = false;
	/** Whether a turn is under way. */
	isBusy = false;
	/** Whether the thread says that it has this session. */
	isRecorded = false;
	readonly grants = new Grants();
	readonly terminals: AgentTerminals;
	/** The one that is under way, or the last: what an agent says after it has answered belongs to what it answered. */
	turn: AgentTurn | undefined;
	private readonly life = new AbortController();
	/** Calls of ours before the first turn. */
	private callsBefore = 0;

	private current: SessionContext;

	constructor(
		readonly agent: SessionProcess,
		context: SessionContext,
	) {
		this.current = sessionContextOf(context);
		this.terminals = new AgentTerminals(agent.options);
	}

	get context(): SessionContext {
		return this.current;
	}

	/** From now on the session works for this client. */
	set context(context: SessionContext) {
		this.current = sessionContextOf(context);
	}

	/** Undefined if the client does not speak ACP. */
	get relay(): VerbatimRelay | undefined {
		return relayOf(this.context.client);
	}

	get agentName(): string {
		return this.agent.options.command.name;
	}

	get isOpen(): boolean {
		return !this.agent.isOver && !this.ending.aborted;
	}

	/** Aborted when the session is over. */
	get ending(): AbortSignal {
		return this.life.signal;
	}

	/** Aborted when nothing more can come of what the agent asks for. */
	get signal(): AbortSignal {
		return this.turn === undefined ? this.ending : AbortSignal.any([this.ending, this.turn.signal]);
	}

	begin(id: string, { modes, configOptions }: Pick<ResultOf<typeof acp.newSession>, "modes" | "configOptions">): void {
		this.id = id;
		if (modes) this.modes = modes;
		if (configOptions) this.configOptions = configOptions;
	}

	/** For a call of ours before the first turn, whose calls have other ids. */
	nextCallId(): string {
		this.callsBefore++;
		return `segue-before-${this.callsBefore}`;
	}

	checkTakes(prompt: readonly acp.ContentBlock[]): void {
		const { capabilities } = this.agent;
		for (const [i, block] of prompt.entries()) {
			const untaken = unsupportedContent(block, capabilities);
			if (untaken === undefined) continue;
			const why = `params.prompt[${i}]: ${this.agentName} takes no ${untaken}`;
			throw new RpcError(ErrorCode.invalidParams, `Invalid params: ${why}`);
		}
	}

	/**
	 * Has the agent take a turn. An agent that does not end when it is told to is given up: the turn is over, and the next one
	 * starts it anew. Rejects with what the connection rejects with.
	 */
	async prompt(turn: AgentTurn, asked: Omit<acp.Prompt, "sessionId">): Promise<ResultOf<typeof acp.prompt>> {
		await this.settleLast();
		this.turn = turn;
		this.isBusy = true;
		const { connection, options } = this.agent;
		const { signal } = turn;
		let callOff = () => {};
		let cancel = () => {};
		const givenUp = new Promise<ResultOf<typeof acp.prompt>>((resolve) => {
			cancel = () => {
				connection.notify(acp.cancel, { sessionId: this.id });
				callOff = options.after(CANCEL_MS, () => {
					this.end();
					this.agent.retire();
					resolve({ stopReason: "cancelled" });
				});
			};
		});
		try {
			signal.throwIfAborted();
			signal.addEventListener("abort", cancel);
			const answer = connection.request(acp.prompt, { ...asked, sessionId: this.id });
			return await Promise.race([answer, givenUp, turn.failed]);
		} catch (error) {
			if (isSignInWanted(error)) throw signInFailure(options, this.agent.authMethods);
			// Where it was not the agent that failed, it still works on what nobody will hear.
			if (!(error instanceof PeerError)) connection.notify(acp.cancel, { sessionId: this.id });
			throw error;
		} finally {
			signal.removeEventListener("abort", cancel);
			callOff();
			this.isBusy = false;
			this.grants.endTurn();
			if (this.agent.isOver) this.agent.retire();
		}
	}

	choice(kind: ChoiceKind): AgentChoice | undefined {
		if (kind !== "mode") return selectIn(this.configOptions, kind);
		const { modes } = this;
		return modes && { current: modes.currentModeId, values: modes.availableModes.map(({ id }) => id) };
	}

	async choose(kind: ChoiceKind, value: string, signal: AbortSignal): Promise<void> {
		if (kind === "mode") return this.setMode(value, signal);
		const option = selectIn(this.configOptions, kind);
		if (option === undefined) throw new RangeError(`${this.agentName} offers no choice of ${kind}`);
		await this.setConfigOption(option.id, value, signal);
	}

	async setMode(modeId: string, signal: AbortSignal): Promise<void> {
		await this.answered("session/set_mode", signal, (during) => {
			return this.agent.connection.request(acp.setMode, { sessionId: this.id, modeId }, during);
		});
		if (this.modes !== undefined) this.modes = { ...this.modes, currentModeId: modeId };
	}

	async setConfigOption(configId: string, value: string | boolean, signal: AbortSignal): Promise<acp.ConfigOption[]> {
		const params = { sessionId: this.id, configId, value };
		const { configOptions } = await this.answered("session/set_config_option", signal, (during) => {
			return this.agent.connection.request(acp.setConfigOption, params, during);
		});
		this.configOptions = configOptions;
		return configOptions;
	}

	request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
		const message: Request<unknown, unknown, "client"> = request({
			method,
			from: "client",
			params: z.unknown(),
			result: z.unknown(),
		});
		return this.agent.connection.request(message, { ...params, sessionId: this.id }, signal);
	}

	notify(method: string, params: Readonly<Record<string, unknown>>): void {
		const message: Notification<unknown, "client"> = notification({ method, from: "client", params: z.unknown() });
		this.agent.connection.notify(message, { ...params, sessionId: this.id });
	}

	/** Nobody works on it for now. */
	async close(): Promise<void> {
		if (!this.isOpen) return;
		await this.settleLast();
		const { connection, capabilities } = this.agent;
		// What it answers makes no difference: for us it is closed.
		if (capabilities.sessionCapabilities?.close != null) {
			connection.request(acp.closeSession, { sessionId: this.id }).catch(() => {});
		}
		this.end();
	}

	/** Nothing more comes of it. */
	end(): void {
		this.life.abort(new Error("the session is over"));
		this.agent.forget(this);
		this.terminals.close();
	}

	take(update: acp.SessionUpdate): void {
		if (update.sessionUpdate === "available_commands_update") this.commands = update.availableCommands;
		else if (update.sessionUpdate === "config_option_update") this.configOptions = update.configOptions;
		else if (update.sessionUpdate === "current_mode_update") {
			if (this.modes !== undefined) this.modes = { ...this.modes, currentModeId: update.currentModeId };
		} else if (this.isReplaying) return;
		else if (update.sessionUpdate === "usage_update") {
			this.windowTokens = update.size;
			if (update.cost?.currency === "USD") this.costUsd = update.cost.amount;
		}
		if (this.turn !== undefined) this.turn.take(update);
		// There is no turn that it could be an entry of.
		else this.relay?.update(update);
	}

	/** What the agent says in a way that is none of the protocol's. */
	note(method: string, params: Readonly<Record<string, unknown>>): void {
		if (this.turn !== undefined) this.turn.note(method, params);
		else this.relay?.notify(method, params);
	}

	/** What the agent answers, unless nobody waits for it any more, or it takes too long. */
	private async answered<T>(what: string, signal: AbortSignal, ask: (during: AbortSignal) => Promise<T>): Promise<T> {
		const { after, command } = this.agent.options;
		const late = new AbortController();
		const callOff = after(SETTING_MS, () => {
			const sentence = `${command.name} did not answer ${what} within ${SETTING_MS / 1000} s.`;
			late.abort(new RpcError(ErrorCode.internal, sentence));
		});
		const during = AbortSignal.any([signal, late.signal, this.ending]);
		try {
			return await unlessCancelled(ask(during), during);
		} finally {
			callOff();
		}
	}

	/** What came after the last turn is written. Where that failed before, that turn has said so. */
	private async settleLast(): Promise<void> {
		await this.turn?.end(NEVER_ENDED).catch(() => {});
	}
}

/** A session outlives its turns, so it keeps nothing else of a turn's context, such as the prompt with its attachments. */
function sessionContextOf({ client, workspace, approvals }: SessionContext): SessionContext {
	return { client, workspace, approvals };
}

/** The categories of ACP's config options. */
const CATEGORIES = { model: "model", effort: "thought_level" } as const;

function selectIn(
	options: readonly acp.ConfigOption[] | undefined,
	kind: keyof typeof CATEGORIES,
): (AgentChoice & { readonly id: string }) | undefined {
	const option = options?.find(({ category }) => category === CATEGORIES[kind]);
	if (option?.type !== "select") return undefined;
	// Values may be in groups.
	const values = option.options.flatMap((one) => ("value" in one ? one : one.options)).map(({ value }) => value);
	return { id: option.id, current: option.currentValue, values };
}

/** Undefined if the client speaks another protocol than the agent: then it gets the engine's own updates. */
export function relayOf({ relay }: Pick<Client, "relay">): VerbatimRelay | undefined {
	return relay !== undefined && isAcp(relay) ? relay : undefined;
}

function isAcp(relay: Relay): relay is VerbatimRelay {
	return relay.protocol === "acp";
}
