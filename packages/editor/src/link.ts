import {
	AcpErrorCode,
	acp,
	acpDialect,
	agentCapabilitiesOf,
	type ClientCapabilities,
	type InitializeRequest,
	type InitializeResponse,
	type NesCapabilities,
	type NesStart,
	type PositionEncoding,
	PROTOCOL_VERSION,
} from "@segue/protocol/acp";
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
import type { Clock, Host, SignInMethod, Workspace } from "./host.js";
import type { Session } from "./session.js";
import type { Told } from "./told.js";

// A process may be compiling itself or asking a server; one that takes longer than this hangs.
const ANSWER_MS_MAX = 30_000;
// The user goes to a browser, finds a password, and comes back. Later than that, they have forgotten it.
const SIGN_IN_MS_MAX = 600_000;
// A session that is over is only the agent's to tidy up, and nothing is worth waiting for.
const CLOSE_MS_MAX = 1000;

export interface LinkOptions {
	readonly host: Pick<Host, "workspace" | "signIn" | "report">;
	readonly clock: Clock;
	readonly clientInfo: NonNullable<InitializeRequest["clientInfo"]>;
	readonly capabilities: ClientCapabilities;
	/** What the agent may ask of the editor. */
	readonly handlers: readonly Handler<"agent" | "either">[];
	/** A session is there, or there again, and knows no document yet. */
	readonly started: (session: Session) => void;
	/** The session that was there is gone. */
	readonly ended: () => void;
	/** There is a connection on which nothing has been said: for those who want to listen. */
	readonly connected?: (connection: Connection<"client">) => void;
}

/**
 * One connection, with at most one session on it. Sessions begin and end in steps that wait for each other; a step that
 * is overtaken by the end of the connection comes to nothing.
 */
export class Link {
	session: Session | undefined;
	/** Resolves to why the connection is over. It never rejects. */
	readonly over: Promise<string>;
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
	private isOver = false;
	private steps: Promise<void> = Promise.resolve();
	private stepCount = 0;

	constructor(
		channel: Channel,
		private readonly options: LinkOptions,
		private readonly told: Told,
	) {
		const { clock, handlers } = options;
		this.connection = new Connection(channel, {
			dialect: acpDialect,
			// Agents tell of their settings unasked; nothing here depends on them.
			handlers: [...handlers, on(acp.sessionUpdate, () => {})],
			report: ({ kind, method, text }) => told.tell("agent", `${kind}${method ? ` ${method}` : ""}: ${text}`),
			now: () => clock.now(),
			after: (delayMs, run) => clock.after(delayMs, run),
		});
		this.over = this.connection.closed.then(({ reason }) => {
			this.isOver = true;
			this.leave();
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
			if (this.isLockedOut || (this.session !== undefined && isAsBefore)) return;
			this.leave();
			await this.begin();
		});
	}

	retry(): void {
		this.isReplacement = false;
		this.isLockedOut = false;
		void this.step(() => this.begin());
	}

	worked(session: Session): void {
		if (session === this.session) this.isReplacement = false;
	}

	failed(session: Session, error: unknown): void {
		const code = error instanceof PeerError ? error.code : undefined;
		if (session !== this.session || isClosing(error) || code === ErrorCode.cancelled) return;
		if (code === AcpErrorCode.authRequired) {
			this.leave();
			void this.step(() => this.signInAndBegin());
		} else if (isUnknownSession(error)) {
			this.leave();
			void this.step(() => this.replace(error));
		} else this.told.tell("agent", messageOf(error));
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
				if (error instanceof TooLate) this.giveUp(error.message);
				else if (!isClosing(error)) this.told.tell("agent", messageOf(error));
			}
			this.stepCount--;
		});
		await this.steps;
	}

	private async initialize(): Promise<void> {
		const { capabilities, clientInfo, connected } = this.options;
		const { nes, positionEncodings, _meta } = capabilities;
		// For agents whose SDK strips what it does not know.
		const again = { ..._meta, segue: { nes, positionEncodings } };
		try {
			connected?.(this.connection);
			const result = await this.ask(acp.initialize, {
				protocolVersion: PROTOCOL_VERSION,
				clientCapabilities: { ...capabilities, _meta: again },
				clientInfo,
			});
			const terms = termsOf(result, positionEncodings ?? []);
			if (typeof terms === "string") this.told.tell("agent", terms);
			else this.terms = terms;
		} catch (error) {
			if (isClosing(error) || error instanceof TooLate) throw error;
			this.giveUp(`initialize failed: ${messageOf(error)}`);
		}
		if (!this.isOver) await this.begin();
	}

	/** Begins a session. The first refusal to somebody who is not signed in leads to signing in, the second one nowhere. */
	private async begin(): Promise<void> {
		try {
			await this.startSession();
		} catch (error) {
			if (!isAuthRequired(error)) throw error;
			await this.signInAndBegin();
		}
	}

	private async signInAndBegin(): Promise<void> {
		if (this.session !== undefined) return; // another step was faster
		await this.endLeft();
		this.isLockedOut = !(await this.signIn());
		if (this.isLockedOut) return;
		try {
			await this.startSession();
		} catch (error) {
			if (!isAuthRequired(error)) throw error;
			this.isLockedOut = true;
			this.told.tell("sign-in", "the agent still asks to sign in");
		}
	}

	/** A session that the agent does not know is replaced once, and again only if that helped. */
	private async replace(error: unknown): Promise<void> {
		if (this.isReplacement) {
			this.told.tell("agent", `the agent knows none of its sessions: ${messageOf(error)}`);
			await this.endLeft();
			return;
		}
		this.isReplacement = true;
		await this.begin();
	}

	private async startSession(): Promise<void> {
		if (this.terms === undefined || this.session !== undefined) return;
		await this.endLeft();
		const { encoding, asked } = this.terms;
		const params = startParamsOf(this.options.host.workspace());
		const { sessionId } = await this.ask(acp.nesStart, params);
		this.begunWith = JSON.stringify(params);
		this.session = { connection: this.connection, id: sessionId, encoding, asked };
		this.options.started(this.session);
	}

	/** Lets the user sign in, once. Resolves to whether they did. */
	private async signIn(): Promise<boolean> {
		const { host } = this.options;
		const methods = this.terms?.methods ?? [];
		if (methods.length === 0 || host.signIn === undefined || this.told.wasAskedToSignIn) {
			this.told.tell("sign-in", "the agent asks to sign in");
			return false;
		}
		this.told.wasAskedToSignIn = true;
		try {
			const methodId = await host.signIn(methods);
			if (methodId !== undefined) {
				await this.ask(acp.authenticate, { methodId }, SIGN_IN_MS_MAX);
				return true;
			}
			this.told.tell("sign-in", "there are no suggestions without signing in");
		} catch (error) {
			if (!isClosing(error)) this.told.tell("sign-in", `signing in failed: ${messageOf(error)}`);
		}
		return false;
	}

	/** From now on there is no session, whether the agent knows it or not. */
	private leave(): void {
		if (this.session === undefined) return;
		this.left = this.session;
		this.session = undefined;
		try {
			this.options.ended();
		} catch (error) {
			this.told.tell("agent", messageOf(error));
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
			this.told.tell("agent", messageOf(error));
		}
	}

	/** Closes the connection, because there is no use in it. What goes on is up to the agent's owner. */
	private giveUp(reason: string): void {
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
		const result = await within(this.options.clock, limitMs, message.method, answer);
		// An answer may be read just before the end, and heard of just after it.
		if (this.isOver) throw new ConnectionError("closed", "the connection is over");
		return result;
	}
}

/** What an agent said of itself that matters for every session. */
interface Terms {
	readonly encoding: PositionEncoding;
	readonly asked: NesCapabilities;
	/** Ways to sign in that need nothing of us but their name. */
	readonly methods: readonly SignInMethod[];
}

/** What an agent said of itself, or why there are no next edits with it. */
function termsOf(result: InitializeResponse, offered: readonly PositionEncoding[]): Terms | string {
	const { protocolVersion, authMethods } = result;
	if (protocolVersion !== PROTOCOL_VERSION) {
		return `the agent speaks version ${protocolVersion} of the protocol, this editor version ${PROTOCOL_VERSION}`;
	}
	const { nes, positionEncoding } = agentCapabilitiesOf(result);
	if (!nes) return "the agent has no next edits";
	const said = positionEncoding ?? "utf-16";
	// Every agent may count in UTF-16 without being asked. With any other encoding every position would be wrong.
	const encoding = (["utf-16", ...offered] as const).find((one) => one === said);
	if (encoding === undefined) return `the agent counts in ${said}, which this editor did not offer`;
	// Others, such as a terminal, need an editor that can do more than pass on a name.
	const ours = (authMethods ?? []).filter(({ type }) => !type || type === "agent");
	const methods = ours.map(({ id, name, description }) => ({ id, name, ...(description && { description }) }));
	return { encoding, asked: nes, methods };
}

function startParamsOf({ folders, repository }: Workspace): NonNullable<NesStart> {
	const remoteUrl = repository && withoutCredentials(repository.remoteUrl);
	return {
		...(folders[0] && { workspaceUri: folders[0].uri }),
		workspaceFolders: folders.map(({ uri, name }) => ({ uri, name })),
		...(repository && remoteUrl && { repository: { name: repository.name, owner: repository.owner, remoteUrl } }),
	};
}

/**
 * The address of a repository without what only its owner should know: user, password, query. Undefined where it cannot
 * be told what is a secret. The `git@` of `git@host:path` is a name that everybody has.
 */
function withoutCredentials(remoteUrl: string): string | undefined {
	const [, user, place] = /^(?:([^\s@:/\\]+)@)?([^\s@:/\\]+:(?!\/\/)[^@]*)$/.exec(remoteUrl) ?? [];
	if (place !== undefined) return user === "git" ? remoteUrl : place;
	const [, scheme = "", rest = remoteUrl] = /^([a-z][a-z\d+.-]*:\/\/)(?:[^/?#\\]*@)?(.*)$/is.exec(remoteUrl) ?? [];
	// A password with a character that belongs escaped looks like a host or a path, and only its @ gives it away.
	if (rest.includes("@")) return undefined;
	return scheme === "" ? rest : scheme + rest.replace(/[?#].*$/s, "");
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

function isAuthRequired(error: unknown): boolean {
	return error instanceof PeerError && error.code === AcpErrorCode.authRequired;
}

/** Some agents have no code of its own for it. */
function isUnknownSession(error: unknown): boolean {
	if (!(error instanceof PeerError)) return false;
	return error.code === AcpErrorCode.notFound || error.code === ErrorCode.invalidParams;
}

export function messageOf(error: unknown): string {
	if (error instanceof PeerError) return `the agent answered with the error ${error.code}: ${error.message}`;
	return error instanceof Error ? error.message : String(error);
}
