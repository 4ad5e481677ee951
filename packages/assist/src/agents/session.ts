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

/** Timeout for an agent to end a cancelled turn; some wait for a model's response first. */
const CANCEL_MS = 10_000;

/** Timeout for changing a mode or setting; some agents contact a server first. */
const SETTING_MS = 30_000;

/** Output for a call that the agent reported after its turn and never completed. */
const NEVER_ENDED = "This may or may not have been done.";

/** The part of an agent process that a session needs. */
export interface SessionProcess {
	readonly connection: Connection<"client">;
	readonly capabilities: acp.AgentCapabilities;
	readonly authMethods: readonly acp.AuthMethod[];
	/** Whether the process accepts no more sessions. */
	readonly isOver: boolean;
	/** Whether the agent reads a file before creating it and gives up if that fails. */
	readonly readsWhatItCreates: boolean;
	readonly options: {
		readonly command: AgentCommand;
		readonly after: StartTimer;
		readonly secretVariables: readonly string[];
	};
	forget(session: AgentSession): void;
	/** Stops accepting sessions, and ends the process after the last turn. */
	retire(): void;
}

/** A session's client and workspace. */
type SessionContext = Pick<ThreadContext, "client" | "workspace" | "approvals">;

/** Finds a session by its id. Rejects with an `RpcError` if there is none. */
export type SessionOf = (sessionId: string) => Promise<AgentSession>;

/** One thread's session with an agent. */
export class AgentSession implements VerbatimSession {
	readonly protocol = "acp";
	/** The id that the agent assigned. */
	id = "";
	modes: acp.ModeState | undefined;
	configOptions: acp.ConfigOption[] | undefined;
	commands: acp.AvailableCommand[] = [];
	/** The size of the model's context window, once reported. */
	windowTokens: number | undefined;
	/** The cost so far, as last reported. */
	costUsd = 0;
	/** Whether the agent is replaying the history, which is already in the thread. */
	isReplaying = false;
	/** Whether a turn is running. */
	isBusy = false;
	/** Whether the thread has an entry for this session. */
	isRecorded = false;
	readonly grants = new Grants();
	readonly terminals: AgentTerminals;
	/**
	 * The running turn or, between turns, the last one, because updates that arrive after a response belong to the turn
	 * that ended.
	 */
	turn: AgentTurn | undefined;
	private readonly life = new AbortController();
	/** The number of Segue's own calls before the first turn. */
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

	/** Switches the session to another client. */
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

	/** Aborted when the session ends. */
	get ending(): AbortSignal {
		return this.life.signal;
	}

	/** Aborted when the session or the turn ends. */
	get signal(): AbortSignal {
		return this.turn === undefined ? this.ending : AbortSignal.any([this.ending, this.turn.signal]);
	}

	begin(id: string, { modes, configOptions }: Pick<ResultOf<typeof acp.newSession>, "modes" | "configOptions">): void {
		this.id = id;
		if (modes) this.modes = modes;
		if (configOptions) this.configOptions = configOptions;
	}

	/** Returns a new id for one of Segue's own calls before the first turn, distinct from the ids of calls in turns. */
	nextCallId(): string {
		this.callsBefore++;
		return `segue-before-${this.callsBefore}`;
	}

	checkTakes(prompt: readonly acp.ContentBlock[]): void {
		const { capabilities } = this.agent;
		for (const [i, block] of prompt.entries()) {
			const unsupported = unsupportedContent(block, capabilities);
			if (unsupported === undefined) continue;
			const why = `params.prompt[${i}]: ${this.agentName} does not accept ${unsupported}`;
			throw new RpcError(ErrorCode.invalidParams, `Invalid params: ${why}`);
		}
	}

	/**
	 * Sends a prompt. If the agent ignores a cancellation for too long, the turn ends without it, and the next turn
	 * restarts the agent. Rejects with the connection's error.
	 */
	async prompt(turn: AgentTurn, prompt: Omit<acp.Prompt, "sessionId">): Promise<ResultOf<typeof acp.prompt>> {
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
			const answer = connection.request(acp.prompt, { ...prompt, sessionId: this.id });
			return await Promise.race([answer, givenUp, turn.failed]);
		} catch (error) {
			if (isSignInWanted(error)) throw signInFailure(options, this.agent.authMethods);
			// If the error did not come from the agent, the agent must stop working on the turn.
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
		await this.withTimeout("session/set_mode", signal, (during) => {
			return this.agent.connection.request(acp.setMode, { sessionId: this.id, modeId }, during);
		});
		if (this.modes !== undefined) this.modes = { ...this.modes, currentModeId: modeId };
	}

	async setConfigOption(configId: string, value: string | boolean, signal: AbortSignal): Promise<acp.ConfigOption[]> {
		const params = { sessionId: this.id, configId, value };
		const { configOptions } = await this.withTimeout("session/set_config_option", signal, (during) => {
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

	/** Closes the session, which can be reopened later. */
	async close(): Promise<void> {
		if (!this.isOpen) return;
		await this.settleLast();
		const { connection, capabilities } = this.agent;
		// The response doesn't matter: the session is already closed on this side.
		if (capabilities.sessionCapabilities?.close != null) {
			connection.request(acp.closeSession, { sessionId: this.id }).catch(() => {});
		}
		this.end();
	}

	/** Ends the session without notifying the agent. */
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
		// Nothing can be stored before the first turn.
		else this.relay?.update(update);
	}

	/** Handles a notification that is not part of the protocol. */
	note(method: string, params: Readonly<Record<string, unknown>>): void {
		if (this.turn !== undefined) this.turn.note(method, params);
		else this.relay?.notify(method, params);
	}

	/** Rejects if the signal is aborted, the session ends or the agent does not respond in time. */
	private async withTimeout<T>(
		what: string,
		signal: AbortSignal,
		request: (during: AbortSignal) => Promise<T>,
	): Promise<T> {
		const { after, command } = this.agent.options;
		const late = new AbortController();
		const callOff = after(SETTING_MS, () => {
			const message = `${command.name} did not answer ${what} within ${SETTING_MS / 1000} s.`;
			late.abort(new RpcError(ErrorCode.internal, message));
		});
		const during = AbortSignal.any([signal, late.signal, this.ending]);
		try {
			return await unlessCancelled(request(during), during);
		} finally {
			callOff();
		}
	}

	/**
	 * Stores the updates that arrived after the last turn. Ignores errors, because that turn has already reported them.
	 */
	private async settleLast(): Promise<void> {
		await this.turn?.end(NEVER_ENDED).catch(() => {});
	}
}

/**
 * A session outlives its turns, so it must not keep the rest of a turn's context, such as the prompt and its
 * attachments.
 */
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
	// Values can be grouped.
	const values = option.options.flatMap((one) => ("value" in one ? one : one.options)).map(({ value }) => value);
	return { id: option.id, current: option.currentValue, values };
}

/** Returns undefined if the client does not speak ACP; it then gets the engine's own updates. */
export function relayOf({ relay }: Pick<Client, "relay">): VerbatimRelay | undefined {
	return relay !== undefined && isAcp(relay) ? relay : undefined;
}

function isAcp(relay: Relay): relay is VerbatimRelay {
	return relay.protocol === "acp";
}
