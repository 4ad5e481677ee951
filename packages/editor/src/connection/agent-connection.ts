import * as acp from "@segue/protocol/acp";
import {
	type Channel,
	Connection,
	ConnectionError,
	ErrorCode,
	type Handler,
	on,
	PeerError,
	type Request,
} from "@segue/rpc";
import { type Clock, withoutCredentials } from "@segue/text";
import type { EditorWorkspace, Host, SignInMethod } from "../host.js";
import { BackOff } from "./back-off.js";
import { messageOf, type Notifier } from "./notifier.js";
import { SIGN_IN_MS_MAX, type SignIn } from "./sign-in.js";

// An agent may compile code or contact a server when it starts. After this long, it is considered hung.
const ANSWER_MS_MAX = 30_000;
// Closing a session only lets the agent clean up, so it is not worth a long wait.
const CLOSE_MS_MAX = 1000;
// A few timeouts can be due to a slow model. After this many in a row, the agent is considered dead.
const UNANSWERED_MAX = 5;

export interface AgentConnectionOptions {
	readonly host: Pick<Host, "workspace" | "signIn" | "report">;
	readonly clock: Clock;
	readonly clientInfo: NonNullable<acp.InitializeRequest["clientInfo"]>;
	readonly capabilities: acp.ClientCapabilities;
	/** Handlers for the agent's requests and notifications. */
	readonly handlers: readonly Handler<"agent" | "either">[];
	/** Called when a session starts or restarts. No document has been opened in it yet. */
	readonly started: (session: Session) => void;
	/** Called when the session has ended. */
	readonly ended: () => void;
	/** Called with the new connection before any message is sent. */
	readonly connected?: (connection: Connection<"client">) => void;
	/** Called with the connection after `initialize`. */
	readonly initialized?: (connection: Connection<"client">) => void;
}

/**
 * One connection with at most one session. Starting and ending sessions are steps that run one at a time; steps still
 * queued when the connection closes are skipped.
 */
export class AgentConnection {
	session: Session | undefined;
	/** Resolves to the reason when the connection has closed. Never rejects. */
	readonly over: Promise<string>;
	/** Whether this side closed the connection because the agent was unusable. */
	isGivenUp = false;
	/** The previous session, until a request to close it is sent. */
	private left: Session | undefined;
	private readonly connection: Connection<"client">;
	/** Undefined before `initialize` completes, or if the agent is incompatible. */
	private terms: Terms | undefined;
	/** The session's `nes/start` params, as JSON. */
	private begunWith = "";
	/** Whether the session replaced one that the agent did not recognize, and no request in it has succeeded yet. */
	private isReplacement = false;
	/** Whether the agent requires authentication and signing in failed or was declined. */
	private isLockedOut = false;
	/** Whether signing in was attempted on this connection. */
	private hasSignedIn = false;
	/** Number of requests that have timed out since the last answer. */
	private unansweredCount = 0;
	private isOver = false;
	private readonly backOff: BackOff;
	private steps: Promise<void> = Promise.resolve();
	private stepCount = 0;

	constructor(
		channel: Channel,
		private readonly options: AgentConnectionOptions,
		private readonly notifier: Notifier,
		private readonly signIn: SignIn,
	) {
		const { clock, handlers } = options;
		this.backOff = new BackOff(clock);
		this.connection = new Connection(channel, {
			dialect: acp.dialect,
			handlers: handlers.some(({ message }) => message === acp.sessionUpdate)
				? handlers
				: [...handlers, IGNORE_UPDATES],
			report: ({ kind, method, text }) => notifier.report("agent", `${kind}${method ? ` ${method}` : ""}: ${text}`),
			now: () => clock.now(),
			after: (delayMs, run) => clock.after(delayMs, run),
		});
		this.over = this.connection.closed.then(({ reason }) => {
			this.isOver = true;
			this.leave();
			this.backOff.reset();
			// A connection does not know what its other side is.
			return reason.replace(/^the other side\b/, "the agent");
		});
		void this.step(() => this.initialize());
	}

	get isBusy(): boolean {
		return this.stepCount > 0;
	}

	renew(): Promise<void> {
		return this.step(async () => {
			const isAsBefore = JSON.stringify(startParamsOf(this.options.host.workspace())) === this.begunWith;
			if (this.session !== undefined && isAsBefore) return;
			this.leave();
			await this.begin();
		});
	}

	restart(): Promise<void> {
		return this.step(async () => {
			this.leave();
			await this.begin();
		});
	}

	retry(): void {
		this.isReplacement = false;
		this.isLockedOut = false;
		this.hasSignedIn = false;
		this.backOff.reset();
		void this.step(() => this.begin());
	}

	worked(session: Session): void {
		if (session !== this.session) return;
		this.isReplacement = false;
		this.unansweredCount = 0;
	}

	unanswered(session: Session): void {
		if (session !== this.session) return;
		this.unansweredCount++;
		if (this.unansweredCount < UNANSWERED_MAX) return;
		this.giveUp(`the agent did not answer ${UNANSWERED_MAX} requests in a row`);
	}

	failed(session: Session, error: unknown): void {
		if (session !== this.session) return;
		const code = error instanceof PeerError ? error.code : undefined;
		if (code !== undefined) this.unansweredCount = 0; // an error counts as an answer
		if (isClosing(error) || code === ErrorCode.cancelled) return;
		if (isClogged(error)) this.giveUp(messageOf(error));
		else if (code === acp.ErrorCode.authRequired) {
			this.leave();
			void this.step(() => this.signInAndBegin());
		} else if (isUnknownSession(error)) {
			this.leave();
			void this.step(() => this.replace(error));
		} else this.notifier.report("agent", messageOf(error));
	}

	async close(): Promise<void> {
		this.isOver = true;
		this.leave();
		await this.endLeft();
		this.connection.close();
		await this.connection.closed;
	}

	private async step(run: () => Promise<void>): Promise<void> {
		this.stepCount++;
		this.steps = this.steps.then(async () => {
			try {
				if (!this.isOver) await run();
			} catch (error) {
				if (error instanceof TooLate || isClogged(error)) this.giveUp(messageOf(error));
				else if (!isClosing(error)) this.notifier.report("agent", messageOf(error));
			}
			this.stepCount--;
		});
		await this.steps;
	}

	private async initialize(): Promise<void> {
		const { capabilities, clientInfo, connected, initialized } = this.options;
		const { nes, positionEncodings, _meta } = capabilities;
		// Sent twice, for agents whose SDK strips unknown fields.
		const again = { ..._meta, segue: { nes, positionEncodings } };
		try {
			connected?.(this.connection);
			const result = await this.ask(acp.initialize, {
				protocolVersion: acp.PROTOCOL_VERSION,
				clientCapabilities: { ...capabilities, _meta: again },
				clientInfo,
			});
			const terms = termsOf(result, positionEncodings ?? []);
			if (typeof terms === "string") this.notifier.report("agent", terms);
			else this.terms = terms;
			initialized?.(this.connection);
		} catch (error) {
			if (isClosing(error) || error instanceof TooLate) throw error;
			this.giveUp(`initialize failed: ${messageOf(error)}`);
		}
		if (!this.isOver) await this.begin();
	}

	/** Starts a session. After an authentication error, signs in and retries once. */
	private async begin(): Promise<void> {
		if (this.isLockedOut) return;
		try {
			await this.startSession();
		} catch (error) {
			if (!isAuthRequired(error)) throw error;
			await this.signInAndBegin();
		}
	}

	/**
	 * Signs in, once per connection, with the previously chosen method. Asks the user if there is none or the agent
	 * refuses it.
	 */
	private async signInAndBegin(): Promise<void> {
		if (this.session !== undefined) return; // another step has started a session
		await this.endLeft();
		this.isLockedOut = true;
		if (this.hasSignedIn) {
			this.signIn.decline("the agent requires signing in again");
			return;
		}
		this.hasSignedIn = true;
		const { chosen } = this.signIn;
		if (chosen !== undefined) {
			if ((await this.beginWith(chosen)) === undefined) return;
			this.signIn.forget();
		}
		const methodId = await this.signIn.ask(this.terms?.methods ?? []);
		if (methodId === undefined || this.isOver) return;
		const refusal = await this.beginWith(methodId);
		if (refusal !== undefined) this.signIn.decline(refusal);
	}

	/** Signs in and starts a session. Resolves to the reason if the agent refused. */
	private async beginWith(methodId: string): Promise<string | undefined> {
		this.signIn.used(methodId);
		try {
			await this.ask(acp.authenticate, { methodId }, SIGN_IN_MS_MAX);
		} catch (error) {
			if (isClosing(error)) throw error;
			return `signing in failed: ${messageOf(error)}`;
		}
		try {
			this.isLockedOut = false;
			await this.startSession();
			return undefined;
		} catch (error) {
			if (!isAuthRequired(error)) throw error;
			this.isLockedOut = true;
			return "the agent still requires signing in";
		}
	}

	/**
	 * Replaces a session that the agent does not recognize. Gives up if the agent does not recognize the new one
	 * either.
	 */
	private async replace(error: unknown): Promise<void> {
		if (this.isReplacement) {
			this.notifier.report("agent", `the agent does not know its own session: ${messageOf(error)}`);
			await this.endLeft();
			return;
		}
		this.isReplacement = true;
		await this.begin();
	}

	private async startSession(): Promise<void> {
		if (this.terms === undefined || this.session !== undefined) return;
		await this.endLeft();
		const { encoding, capabilities } = this.terms;
		const params = startParamsOf(this.options.host.workspace());
		let sessionId: string;
		try {
			({ sessionId } = await this.ask(acp.nesStart, params));
		} catch (error) {
			if (!isPassing(error)) throw error;
			this.notifier.report("agent", messageOf(error));
			this.backOff.wait(() => void this.step(() => this.begin()));
			return;
		}
		this.backOff.reset();
		this.begunWith = JSON.stringify(params);
		this.session = { connection: this.connection, id: sessionId, encoding, capabilities };
		this.notifier.started();
		this.options.started(this.session);
	}

	/** Ends the session on this side. `endLeft` closes it on the agent's side. */
	private leave(): void {
		if (this.session === undefined) return;
		this.left = this.session;
		this.session = undefined;
		try {
			this.options.ended();
		} catch (error) {
			this.notifier.report("agent", messageOf(error));
		}
	}

	/** Closes the previous session on the agent's side. An unknown session counts as closed. */
	private async endLeft(): Promise<void> {
		const { left } = this;
		this.left = undefined;
		if (left === undefined) return;
		const answer = this.connection.request(acp.nesClose, { sessionId: left.id });
		try {
			await within(this.options.clock, CLOSE_MS_MAX, acp.nesClose.method, answer);
		} catch (error) {
			if (isUnknownSession(error) || isAuthRequired(error) || isClosing(error)) return;
			this.notifier.report("agent", messageOf(error));
		}
	}

	/** Closes the connection because the agent is unusable. The owner decides whether to reconnect. */
	private giveUp(reason: string): void {
		this.isGivenUp = true;
		this.isOver = true;
		this.leave();
		this.connection.close(reason);
	}

	private async ask<Params, Result>(
		message: Request<Params, Result, "client">,
		params: Params,
		limitMs = ANSWER_MS_MAX,
	): Promise<Result> {
		const answer = this.connection.request(message, params);
		return within(this.options.clock, limitMs, message.method, answer).finally(() => {
			// The answer may arrive just before the connection closes but be processed just after.
			if (this.isOver) throw new ConnectionError("closed", "the connection is closed");
		});
	}
}

/** The results of `initialize` that apply to every session. */
interface Terms {
	readonly encoding: acp.PositionEncoding;
	readonly capabilities: acp.NesCapabilities;
	/** The authentication methods that need only a method id from the client. */
	readonly methods: readonly SignInMethod[];
}

/** Returns the terms, or the reason why next edits are not possible with this agent. */
function termsOf(result: acp.InitializeResponse, offered: readonly acp.PositionEncoding[]): Terms | string {
	const { protocolVersion, authMethods } = result;
	if (protocolVersion !== acp.PROTOCOL_VERSION) {
		return `the agent uses protocol version ${protocolVersion}, but this editor uses version ${acp.PROTOCOL_VERSION}`;
	}
	const { nes, positionEncoding } = acp.agentCapabilitiesOf(result);
	if (!nes) return "the agent does not support next edits";
	const chosen = positionEncoding ?? "utf-16";
	// UTF-16 is the default and always allowed. With any encoding that was not offered, every position would be wrong.
	const encoding = (["utf-16", ...offered] as const).find((one) => one === chosen);
	if (encoding === undefined) return `the agent chose the position encoding ${chosen}, which this editor did not offer`;
	// Other types, such as a terminal, need more support from the editor.
	const ours = (authMethods ?? []).filter(({ type }) => !type || type === "agent");
	const methods = ours.map(({ id, name, description }) => ({ id, name, ...(description && { description }) }));
	return { encoding, capabilities: nes, methods };
}

function startParamsOf({ folders, repository, isDemonstration }: EditorWorkspace): NonNullable<acp.NesStart> {
	const remoteUrl = repository && withoutCredentials(repository.remoteUrl);
	return {
		...(folders[0] && { workspaceUri: folders[0].uri }),
		workspaceFolders: folders.map(({ uri, name }) => ({ uri, name })),
		...(repository && remoteUrl && { repository: { name: repository.name, owner: repository.owner, remoteUrl } }),
		...(isDemonstration && { _meta: { segue: { demonstration: true } } }),
	};
}

/** A request timed out. */
class TooLate extends Error {}

function within<T>(clock: Clock, limitMs: number, method: string, answer: Promise<T>): Promise<T> {
	return new Promise((resolve, reject) => {
		const callOff = clock.after(limitMs, () => {
			reject(new TooLate(`the agent did not answer ${method} within ${limitMs / 1000} s`));
		});
		answer.finally(callOff).then(resolve, reject);
	});
}

/** Whether a request failed only because the connection closed. `over` reports the closing once. */
function isClosing(error: unknown): boolean {
	return error instanceof ConnectionError && error.kind === "closed";
}

/** Whether a request failed because the limit on pending requests was reached. */
function isClogged(error: unknown): boolean {
	return error instanceof ConnectionError && error.kind === "too-many-requests";
}

/** Whether starting the session later may succeed. Authentication errors are handled separately. */
function isPassing(error: unknown): boolean {
	if (!(error instanceof PeerError) || isAuthRequired(error)) return false;
	return error.code !== ErrorCode.methodNotFound && error.code !== ErrorCode.invalidParams;
}

function isAuthRequired(error: unknown): boolean {
	return error instanceof PeerError && error.code === acp.ErrorCode.authRequired;
}

/** Some agents have no dedicated error code for an unknown session. */
function isUnknownSession(error: unknown): boolean {
	if (!(error instanceof PeerError)) return false;
	return error.code === acp.ErrorCode.notFound || error.code === ErrorCode.invalidParams;
}

/** Agents send updates to their settings unprompted. Without chat, nothing depends on them. */
const IGNORE_UPDATES = on(acp.sessionUpdate, () => {});

/** A next-edit session on an open connection. */
export interface Session {
	readonly connection: Connection<"client">;
	readonly id: string;
	readonly encoding: acp.PositionEncoding;
	/** The events and context that the agent requested. */
	readonly capabilities: acp.NesCapabilities;
}
