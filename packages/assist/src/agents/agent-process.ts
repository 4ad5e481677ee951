import { debuglog } from "node:util";
import * as acp from "@segue/protocol/acp";
import {
	type Channel,
	Connection,
	type Handler,
	lines,
	on,
	type ParamsOf,
	PeerError,
	type Problem,
	type ResultOf,
	RpcError,
} from "@segue/rpc";
import { agentProcess, overStreams } from "@segue/rpc/node";
import type { StartTimer } from "@segue/text";
import { AgentFailure } from "../failures.js";
import { VERSION } from "../version.js";
import type { AgentCommand } from "./command-line.js";
import { failureOf, isSignInWanted, sanitizeAgentText, signInFailure } from "./failure.js";
import { agentFileHandlers } from "./files.js";
import type { StartAgent } from "./other-agent.js";
import { agentPermissionHandlers } from "./permission.js";
import { relayNotification, relayRequest } from "./relay.js";
import type { AgentSession, SessionOf, SessionProcess } from "./session.js";
import { agentTerminalHandlers } from "./terminal-handlers.js";

/** A launcher that has to download the agent can take a minute on a slow connection. */
const START_MS = 120_000;
/** Agents send only a handful of updates, such as their commands and modes, before a session is open. */
const EARLY_MAX = 1_000;

/** Shown on standard error with NODE_DEBUG=segue. */
const debug = debuglog("segue");

export interface AgentProcessOptions {
	readonly command: AgentCommand;
	/** The working directory of the process. */
	readonly folder: string;
	/** The capabilities of the client, if it speaks ACP. */
	readonly capabilities: acp.ClientCapabilities | undefined;
	readonly after: StartTimer;
	/** Starts the agent, by default as a child process. */
	readonly start?: StartAgent | undefined;
	/** Receives log lines. */
	readonly report: (line: string) => void;
	/** Environment variables that contain keys, in addition to those recognized by name. */
	readonly secretVariables: readonly string[];
	/** Ends the process when aborted, even before it has started. */
	readonly signal: AbortSignal;
	/** The sign-in method that the user chose in another process of the same agent. */
	readonly signIn: () => string | undefined;
}

/** A running agent process and its sessions. */
export class AgentProcess implements SessionProcess {
	readonly connection: Connection<"client">;
	capabilities: acp.AgentCapabilities = {};
	authMethods: readonly acp.AuthMethod[] = [];
	/** Whether the process has ended or been retired, and so accepts no more sessions. */
	isOver = false;
	private readonly sessions = new Map<string, AgentSession>();
	/** Sessions that are being opened. */
	private readonly openings = new Set<AgentSession>();
	/** Callbacks to run once no session is being opened. */
	private readonly waiting: (() => void)[] = [];
	/** Updates for sessions whose ids have not arrived yet. */
	private early: { readonly sessionId: string; readonly deliver: (session: AgentSession) => void }[] = [];
	/** The name that the agent reports; empty if none. */
	private ownName = "";

	private constructor(
		channel: Channel,
		readonly options: AgentProcessOptions,
	) {
		this.connection = new Connection<"client">(
			onlyMessages(channel, (line) => this.report(line)),
			{
				dialect: acp.dialect,
				handlers: this.handlers(),
				fallback: (method, kind) =>
					kind === "request"
						? relayRequest(method, (sessionId) => this.sessionOf(sessionId))
						: relayNotification(method, (sessionId, deliver) => this.toSession(sessionId, method, deliver)),
				report: (problem) => this.reportProblem(problem),
				after: options.after,
			},
		);
		options.signal.addEventListener("abort", () => this.connection.close());
		if (options.signal.aborted) this.connection.close();
		void this.connection.closed.then(({ by, reason }) => {
			this.isOver = true;
			for (const session of this.sessions.values()) session.end();
			if (by !== "us") this.report(reason);
		});
	}

	/** Starts the process and initializes the connection. Rejects with an `AgentFailure`. */
	static async start(options: AgentProcessOptions): Promise<AgentProcess> {
		const { command, folder, after, start } = options;
		let channel: Channel;
		try {
			if (start === undefined) {
				channel = await agentProcess(command.command, command.args, { cwd: folder, after })();
			} else {
				const { stdin, stdout } = await start(command, folder);
				channel = overStreams(stdout, stdin, lines);
			}
		} catch (error) {
			throw new AgentFailure(`The agent could not be started: ${(error as Error).message}.`);
		}
		const agent = new AgentProcess(channel, options);
		try {
			await agent.initialize();
			return agent;
		} catch (error) {
			agent.connection.close();
			throw failureOf(options, error);
		}
	}

	/**
	 * Whether the agent reads a file before creating it and gives up if that fails, as Gemini and Qwen do. These agents
	 * get an empty string for a missing file; others get an error.
	 */
	get readsWhatItCreates(): boolean {
		const { name, command } = this.options.command;
		return /gemini|qwen/i.test(`${this.ownName} ${name} ${command}`);
	}

	/** Reopens the session with the id `remembered`, or opens a new one. Resolves with true if it was reopened. */
	async open(session: AgentSession, params: acp.NewSession, remembered: string | undefined): Promise<boolean> {
		this.openings.add(session);
		try {
			if (remembered !== undefined && (await this.restore(session, params, remembered))) return true;
			const { sessionId, ...settings } = await this.withTimeout("session/new", () => {
				return this.signedIn(() => this.connection.request(acp.newSession, params));
			});
			session.begin(sessionId, settings);
			this.register(session);
			return false;
		} catch (error) {
			throw failureOf(this.options, error);
		} finally {
			this.openings.delete(session);
			if (this.openings.size === 0) {
				this.early = [];
				for (const wake of this.waiting.splice(0)) wake();
			}
		}
	}

	/** Rejects with the connection's error. */
	async authenticate(params: ParamsOf<typeof acp.authenticate>): Promise<ResultOf<typeof acp.authenticate>> {
		return this.connection.request(acp.authenticate, params);
	}

	/** Rejects with the connection's error. */
	async logout(params: ParamsOf<typeof acp.logout>): Promise<ResultOf<typeof acp.logout>> {
		return this.connection.request(acp.logout, params);
	}

	/** Deletes a session if the agent supports that. Errors are only logged. */
	delete(sessionId: string): void {
		if (this.capabilities.sessionCapabilities?.delete == null) return;
		this.connection.request(acp.deleteSession, { sessionId }).catch((error: Error) => {
			this.report(`${acp.deleteSession.method}: ${error.message}`);
		});
	}

	forget(session: AgentSession): void {
		this.sessions.delete(session.id);
	}

	/** Stops accepting sessions, and ends the process after the last turn. */
	retire(): void {
		this.isOver = true;
		if (![...this.sessions.values()].some((session) => session.isBusy)) this.connection.close();
	}

	private async initialize(): Promise<void> {
		const { capabilities } = this.options;
		const answer = await this.withTimeout("initialize", () => {
			return this.connection.request(acp.initialize, {
				protocolVersion: acp.PROTOCOL_VERSION,
				clientCapabilities: offered(capabilities),
				clientInfo: { name: "segue", title: "Segue", version: VERSION },
			});
		});
		if (answer.protocolVersion !== acp.PROTOCOL_VERSION) {
			const { name } = this.options.command;
			throw new AgentFailure(
				`${name} uses ACP version ${answer.protocolVersion}, but Segue supports version ${acp.PROTOCOL_VERSION}.`,
			);
		}
		this.capabilities = acp.agentCapabilitiesOf(answer);
		this.authMethods = answer.authMethods ?? [];
		this.ownName = answer.agentInfo?.name ?? "";
	}

	/** Resolves with false if the agent can neither resume nor load the session. */
	private async restore(session: AgentSession, params: acp.NewSession, sessionId: string): Promise<boolean> {
		const { loadSession, sessionCapabilities } = this.capabilities;
		if (sessionCapabilities?.resume != null && (await this.restoreBy(acp.resumeSession, session, params, sessionId))) {
			return true;
		}
		return loadSession === true && (await this.restoreBy(acp.loadSession, session, params, sessionId));
	}

	private async restoreBy(
		message: typeof acp.resumeSession | typeof acp.loadSession,
		session: AgentSession,
		params: acp.NewSession,
		sessionId: string,
	): Promise<boolean> {
		session.begin(sessionId, {});
		// While loading, the agent replays the history, which is already in the thread.
		session.isReplaying = true;
		this.register(session);
		try {
			const request = { sessionId, ...params };
			const settings = await this.withTimeout(message.method, () => {
				return this.signedIn(() => this.connection.request(message, request));
			});
			session.begin(sessionId, settings);
			return true;
		} catch (error) {
			this.forget(session);
			if (!(error instanceof PeerError)) throw error;
			this.report(`${message.method}: ${error.message}`);
			return false;
		} finally {
			session.isReplaying = false;
		}
	}

	/**
	 * Sends a request. If the agent requires the user to sign in, signs in with the previous method or a key from the
	 * environment, then retries.
	 */
	private async signedIn<T>(request: () => Promise<T>): Promise<T> {
		try {
			return await request();
		} catch (error) {
			if (!isSignInWanted(error)) throw error;
			const before = this.options.signIn();
			const method =
				this.authMethods.find(({ id }) => id === before) ??
				this.authMethods.find(({ id }) => process.env[id.toUpperCase().replaceAll("-", "_")]);
			if (method === undefined) throw signInFailure(this.options, this.authMethods);
			try {
				await this.authenticate({ methodId: method.id });
				return await request();
			} catch (again) {
				if (isSignInWanted(again)) throw signInFailure(this.options, this.authMethods);
				throw again;
			}
		}
	}

	/** Rejects with an `AgentFailure` if the agent does not respond in time. */
	private withTimeout<T>(what: string, request: () => Promise<T>): Promise<T> {
		const { after, command } = this.options;
		return new Promise((resolve, reject) => {
			const callOff = after(START_MS, () => {
				reject(new AgentFailure(`${command.name} did not answer ${what} within ${START_MS / 1000} s.`));
				// Keep the process if other threads have open sessions in it.
				if ([...this.sessions.values()].every((session) => session.isReplaying)) this.connection.close();
			});
			request().then(resolve, reject).finally(callOff);
		});
	}

	private register(session: AgentSession): void {
		this.sessions.set(session.id, session);
		const early = this.early;
		this.early = early.filter(({ sessionId }) => sessionId !== session.id);
		for (const { sessionId, deliver } of early) if (sessionId === session.id) deliver(session);
	}

	private handlers(): Handler<"agent">[] {
		const sessionOf: SessionOf = (sessionId) => this.sessionOf(sessionId);
		return [
			on(acp.sessionUpdate, ({ sessionId, update }) => {
				this.toSession(sessionId, update.sessionUpdate, (session) => session.take(update));
			}),
			...agentPermissionHandlers(sessionOf),
			...agentFileHandlers(sessionOf),
			...agentTerminalHandlers(sessionOf),
		];
	}

	private toSession(sessionId: string, what: string, deliver: (session: AgentSession) => void): void {
		const session = this.sessions.get(sessionId);
		if (session !== undefined) deliver(session);
		// The response with the session id can arrive before or after the session's first updates.
		else if (this.openings.size > 0 && this.early.length < EARLY_MAX) this.early.push({ sessionId, deliver });
		else this.report(`update for a session that is not open: ${what}`);
	}

	private async sessionOf(sessionId: string): Promise<AgentSession> {
		if (!this.sessions.has(sessionId) && this.openings.size > 0) {
			const [opening] = this.openings;
			// The agent may need our response before it can send the id.
			if (this.openings.size === 1 && opening !== undefined) return opening;
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
		const session = this.sessions.get(sessionId);
		if (session === undefined) throw new RpcError(acp.ErrorCode.notFound, "Session not found", { sessionId });
		return session;
	}

	/** Keeps private notifications out of the log: agents send them in every turn. */
	private reportProblem({ kind, method, text }: Problem): void {
		const line = `${kind}${method === undefined ? "" : ` ${method}`}: ${text}`;
		const isOwn = kind === "bad-notification" && method?.startsWith("_") === true;
		if (isOwn || kind === "unknown-notification") this.report(line, debug);
		else this.report(line);
	}

	private report(line: string, report: (line: string) => void = this.options.report): void {
		const { command, secretVariables } = this.options;
		report(`${command.name}: ${sanitizeAgentText(line, secretVariables)}`);
	}
}

/**
 * Segue always offers files and terminals, either the client's or its own. It does not pass on the client's next-edit
 * capabilities.
 */
function offered(capabilities: acp.ClientCapabilities | undefined): acp.ClientCapabilities {
	const { nes, positionEncodings, ...others } = capabilities ?? {};
	return { ...others, fs: { readTextFile: true, writeTextFile: true }, terminal: true };
}

/**
 * Filters out lines that are not messages. Some agents write log lines to standard output, including lines that look
 * like an array or a printed object.
 */
function onlyMessages(channel: Channel, report: (line: string) => void): Channel {
	return {
		open: (receiver, messageBytesMax) => {
			const message = (text: string) => {
				if (/^\s*\{\s*["}]/.test(text)) receiver.message(text);
				else report(text);
			};
			const { unreadable, closed } = receiver;
			channel.open({ message, unreadable: unreadable.bind(receiver), closed: closed.bind(receiver) }, messageBytesMax);
		},
		send: (text) => channel.send(text),
		...(channel.pause && { pause: () => channel.pause?.() }),
		...(channel.resume && { resume: () => channel.resume?.() }),
		get unwrittenBytes() {
			return channel.unwrittenBytes;
		},
		close: (done) => channel.close(done),
		drop: () => channel.drop(),
	};
}
