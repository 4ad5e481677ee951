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

// A process may be compiling itself or asking a server; one that takes longer than this hangs.
const ANSWER_MS_MAX = 30_000;
// A session that is over is only the agent's to tidy up, and nothing is worth waiting for.
const CLOSE_MS_MAX = 1000;
// One slow answer is a slow model, and a few are a slow day. So many in a row, and nothing is coming any more.
const UNANSWERED_MAX = 5;

export interface AgentConnectionOptions {
	readonly host: Pick<Host, "workspace" | "signIn" | "report">;
	readonly clock: Clock;
	readonly clientInfo: NonNullable<acp.InitializeRequest["clientInfo"]>;
	readonly capabilities: acp.ClientCapabilities;
	/** What the agent may ask of the editor. */
	readonly handlers: readonly Handler<"agent" | "either">[];
	/** A session is there, or there again, and knows no document yet. */
	readonly started: (session: Session) => void;
	/** The session that was there is gone. */
	readonly ended: () => void;
	/** There is a connection on which nothing has been said: for those who want to listen. */
	readonly connected?: (connection: Connection<"client">) => void;
	/** The agent has introduced itself on it: for those who have something to ask of it. */
	readonly initialized?: (connection: Connection<"client">) => void;
}

/**
 * One connection, with at most one session on it. Sessions begin and end in steps that wait for each other; a step that
 * is overtaken by the end of the connection comes to nothing.
 */
export class AgentConnection {
	session: Session | undefined;
	/** Resolves to why the connection is over. It never rejects. */
	readonly over: Promise<string>;
	/** Whether this side ended the connection because there was no use in it. */
	isGivenUp = false;
	/** The session before, until the agent is told that it is over. */
	private left: Session | undefined;
	private readonly connection: Connection<"client">;
	/** Undefined until the agent has introduced itself, and where it cannot do what is needed. */
	private terms: Terms | undefined;
	/** What the agent was told of the workspace when the session began. */
	private begunWith = "";
	/** Whether the session took the place of one that the agent did not know, and has not answered since. */
	private isReplacement = false;
	/** Whether the agent wants the user to sign in, and they did not. */
	private isLockedOut = false;
	/** Whether signing in was tried on this connection. */
	private hasSignedIn = false;
	/** How many requests have had no answer since the last one. */
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
			handlers: handlers.some(({ message }) => message === acp.sessionUpdate) ? handlers : [...handlers, NOT_HEARD],
			report: ({ kind, method, text }) => notifier.report("agent", `${kind}${method ? ` ${method}` : ""}: ${text}`),
			now: () => clock.now(),
			after: (delayMs, run) => clock.after(delayMs, run),
		});
		this.over = this.connection.closed.then(({ reason }) => {
			this.isOver = true;
			this.leave();
			this.backOff.reset();
			return reason;
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
		this.giveUp(`the agent did not answer ${UNANSWERED_MAX} times in a row`);
	}

	failed(session: Session, error: unknown): void {
		if (session !== this.session) return;
		const code = error instanceof PeerError ? error.code : undefined;
		if (code !== undefined) this.unansweredCount = 0; // an error is an answer
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
		// For agents whose SDK strips what it does not know.
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

	/** Begins a session. The first refusal to somebody who is not signed in leads to signing in, the second one nowhere. */
	private async begin(): Promise<void> {
		if (this.isLockedOut) return;
		try {
			await this.startSession();
		} catch (error) {
			if (!isAuthRequired(error)) throw error;
			await this.signInAndBegin();
		}
	}

	/** Signs in, once for a connection: as the user chose before if they did, or else as they choose now. */
	private async signInAndBegin(): Promise<void> {
		if (this.session !== undefined) return; // another step was faster
		await this.endLeft();
		this.isLockedOut = true;
		if (this.hasSignedIn) {
			this.signIn.decline("the agent asks to sign in again");
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

	/** Resolves to why the agent does not let the user in, if it does not. */
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
			return "the agent still asks to sign in";
		}
	}

	/** A session that the agent does not know is replaced once, and again only if that helped. */
	private async replace(error: unknown): Promise<void> {
		if (this.isReplacement) {
			this.notifier.report("agent", `the agent knows none of its sessions: ${messageOf(error)}`);
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
		this.options.started(this.session);
	}

	/** From now on there is no session, whether the agent knows it or not. */
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

	/** Tells the agent that a session is over. One that it does not know is over, too. */
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

	/** Closes the connection, because there is no use in it. What goes on is up to the agent's owner. */
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
			// An answer may be read just before the end, and heard of just after it.
			if (this.isOver) throw new ConnectionError("closed", "the connection is over");
		});
	}
}

/** What an agent said of itself that matters for every session. */
interface Terms {
	readonly encoding: acp.PositionEncoding;
	readonly capabilities: acp.NesCapabilities;
	/** Ways to sign in that need nothing of us but their name. */
	readonly methods: readonly SignInMethod[];
}

/** What an agent said of itself, or why there are no next edits with it. */
function termsOf(result: acp.InitializeResponse, offered: readonly acp.PositionEncoding[]): Terms | string {
	const { protocolVersion, authMethods } = result;
	if (protocolVersion !== acp.PROTOCOL_VERSION) {
		return `the agent speaks version ${protocolVersion} of the protocol, this editor version ${acp.PROTOCOL_VERSION}`;
	}
	const { nes, positionEncoding } = acp.agentCapabilitiesOf(result);
	if (!nes) return "the agent has no next edits";
	const said = positionEncoding ?? "utf-16";
	// Every agent may count in UTF-16 without being asked. With any other encoding every position would be wrong.
	const encoding = (["utf-16", ...offered] as const).find((one) => one === said);
	if (encoding === undefined) return `the agent counts in ${said}, which this editor did not offer`;
	// Others, such as a terminal, need an editor that can do more than pass on a name.
	const ours = (authMethods ?? []).filter(({ type }) => !type || type === "agent");
	const methods = ours.map(({ id, name, description }) => ({ id, name, ...(description && { description }) }));
	return { encoding, capabilities: nes, methods };
}

function startParamsOf({ folders, repository }: EditorWorkspace): NonNullable<acp.NesStart> {
	const remoteUrl = repository && withoutCredentials(repository.remoteUrl);
	return {
		...(folders[0] && { workspaceUri: folders[0].uri }),
		workspaceFolders: folders.map(({ uri, name }) => ({ uri, name })),
		...(repository && remoteUrl && { repository: { name: repository.name, owner: repository.owner, remoteUrl } }),
	};
}

/** An answer did not come in time. */
class TooLate extends Error {}

function within<T>(clock: Clock, limitMs: number, method: string, answer: Promise<T>): Promise<T> {
	return new Promise((resolve, reject) => {
		const callOff = clock.after(limitMs, () => {
			reject(new TooLate(`the agent did not answer ${method} within ${limitMs / 1000} s`));
		});
		answer.finally(callOff).then(resolve, reject);
	});
}

/** The end of a connection is told by whoever sees it, not by all that it interrupts. */
function isClosing(error: unknown): boolean {
	return error instanceof ConnectionError && error.kind === "closed";
}

/** So many requests have no answer that no other can be sent. */
function isClogged(error: unknown): boolean {
	return error instanceof ConnectionError && error.kind === "too-many-requests";
}

/** Whether a session that the agent refused may be had later. Signing in is more than waiting. */
function isPassing(error: unknown): boolean {
	if (!(error instanceof PeerError) || isAuthRequired(error)) return false;
	return error.code !== ErrorCode.methodNotFound && error.code !== ErrorCode.invalidParams;
}

function isAuthRequired(error: unknown): boolean {
	return error instanceof PeerError && error.code === acp.ErrorCode.authRequired;
}

/** Some agents have no code of its own for it. */
function isUnknownSession(error: unknown): boolean {
	if (!(error instanceof PeerError)) return false;
	return error.code === acp.ErrorCode.notFound || error.code === ErrorCode.invalidParams;
}

/** Agents tell of their settings unasked; without a chat, nothing here depends on them. */
const NOT_HEARD = on(acp.sessionUpdate, () => {});

/** A session of next edits, on a connection that lives. */
export interface Session {
	readonly connection: Connection<"client">;
	readonly id: string;
	readonly encoding: acp.PositionEncoding;
	/** What the agent asked to be told. */
	readonly capabilities: acp.NesCapabilities;
}
