import type { FolderSource } from "@segue/agent/next-edit/folder-files";
import type { SyncResult } from "@segue/agent/next-edit/mirror";
import { type EditModels, type Predict, SessionModels } from "@segue/agent/next-edit/models";
import type { RequestObserver } from "@segue/agent/next-edit/observer";
import { CancelledError, NextEditSession } from "@segue/agent/next-edit/session";
import type { Outliner } from "@segue/agent/outline/outliner";
import { predict as embedded, type ProposalKind } from "@segue/predict";
import * as acp from "@segue/protocol/acp";
import { type Call, type Channel, Connection, ErrorCode, type Handler, on, type Problem, RpcError } from "@segue/rpc";
import { type StartTimer, Text } from "@segue/text";
import type { ChatPeer, ChatServer, Introduction } from "./chat-server.js";
import {
	acceptanceFromWire,
	documentFromWire,
	isDemonstration,
	locateFromWire,
	reasonFromWire,
	requestFromWire,
	settingFromWire,
	updateFromWire,
	workspaceFromWire,
} from "./from-wire.js";
import { answerToWire, configOptionsToWire, nesCapabilitiesToWire, OPTIONS } from "./to-wire.js";

// Far more than the number of windows in an editor. A client that reaches this limit is not closing its sessions.
const SESSIONS_MAX = 4096;

// Each session handles a few requests at a time and cancels the oldest when a new one arrives. This limit is high
// enough for many sessions, so a slow session does not delay the others.
const HANDLING_MAX = 1024;

/** How documents reach the agent: in events, in each request's context, or both. */
export type AcpSync = "events" | "context" | "both";

/** Restricts suggestions and chat to signed-in users. */
export interface Authentication {
	readonly methods: readonly acp.AuthMethod[];
	isSignedIn(): boolean;
	/** Rejects if signing in fails. */
	signIn(methodId: string): Promise<void>;
	signOut(): Promise<void>;
}

export interface AcpOptions {
	readonly version: string;
	readonly sync: AcpSync;
	readonly report: (problem: Problem) => void;
	readonly now?: () => number;
	/** Starts a timer; returns a function that cancels it. */
	readonly after?: StartTimer;
	readonly predict?: Predict;
	/** Models that users can choose instead of the embedded engine. */
	readonly models?: EditModels;
	/** Parses the documents in all sessions. Without it, documents are only tokenized. */
	readonly outliner?: Outliner;
	/** Access to folders on disk. Without it, only open documents are searched. */
	readonly folders?: FolderSource;
	/** Observes requests for suggestions, their responses and outcomes. */
	readonly observer?: RequestObserver;
	/** Without it, no sign-in is required. */
	readonly authentication?: Authentication;
	/** Adds chat to the connection; see `withChat`. Without it, only next edits are served. */
	readonly chat?: (peer: ChatPeer) => ChatServer;
	/** How clients should send changes. Defaults to incremental. */
	readonly changes?: "incremental" | "full";
	/** Whether clients can request the agent's copies of their documents. */
	readonly showsDocuments?: boolean;
}

/** Serves next edits and chat over ACP to one editor. */
export function serveAcp(channel: Channel, options: AcpOptions): Connection<"agent"> {
	return new AcpServer(channel, options).connection;
}

class AcpServer {
	readonly connection: Connection<"agent">;
	/** Undefined until `initialize`. */
	private client: Client | undefined;
	private readonly sessions = new Map<string, NextEditSession>();
	private readonly chat: ChatServer | undefined;
	private count = 0;

	constructor(
		channel: Channel,
		private readonly options: AcpOptions,
	) {
		this.chat = options.chat?.(this.peer());
		this.connection = new Connection<"agent">(channel, {
			dialect: acp.dialect,
			handlers: [
				...this.lifecycle(),
				...this.suggestions(),
				...(options.sync === "context" ? [] : this.events()),
				...(this.chat?.handlers() ?? []),
				...(options.showsDocuments === true ? [this.documents()] : []),
			],
			fallback: (method, kind) => this.chat?.fallback(method, kind),
			admit: (method) => (method === acp.initialize.method ? undefined : this.tooEarly()),
			report: (problem) => this.report(problem),
			limits: { handlingMax: HANDLING_MAX },
		});
		// Close the sessions, because the outliner may be shared with other connections and would keep this editor's
		// documents.
		void this.connection.closed.then(() => Promise.all([...this.sessions.values()].map((session) => session.close())));
		void this.connection.closed.then(() => this.chat?.end());
	}

	private peer(): ChatPeer {
		const server = this;
		return {
			get connection() {
				return server.connection;
			},
			get capabilities() {
				return server.ready().capabilities;
			},
			checkSignedIn: () => this.checkSignedIn(),
			report: (method, text, error) => this.options.report({ kind: "handler-failed", method, text, error }),
		};
	}

	private lifecycle(): Handler<"client">[] {
		return [
			on(acp.initialize, (params) => this.initialize(params)),
			on(acp.authenticate, async (params) => {
				const { methodId } = params;
				const { authentication } = this.options;
				const response = authentication === undefined ? this.chat?.authenticate(params) : undefined;
				if (response !== undefined) return response;
				const method = authentication?.methods.find(({ id }) => id === methodId);
				if (authentication === undefined || method === undefined) {
					throw new RpcError(ErrorCode.invalidParams, "Invalid params: params.methodId: unknown method");
				}
				if (isTerminal(method)) {
					const instead = "run the agent in a terminal with the method's args and env, then reconnect";
					throw new RpcError(ErrorCode.invalidParams, `Invalid params: params.methodId: ${instead}`);
				}
				await authentication.signIn(methodId).catch((error: unknown) => {
					if (error instanceof RpcError) throw error;
					throw new RpcError(acp.ErrorCode.authRequired, "Authentication failed", { reason: "auth_failed" });
				});
				return {};
			}),
			on(acp.logout, async (params) => {
				const { authentication } = this.options;
				const response = authentication === undefined ? this.chat?.logout(params) : undefined;
				if (response !== undefined) return response;
				if (authentication === undefined) {
					throw new RpcError(ErrorCode.methodNotFound, acp.dialect.methodNotFound(acp.logout.method));
				}
				await authentication.signOut();
				return {};
			}),
			on(acp.setConfigOption, ({ sessionId, configId, value }, call) => {
				const { knowsBooleans } = this.ready();
				const chatOptions = this.chat?.setConfigOption(sessionId, configId, value, call);
				if (chatOptions !== undefined) return chatOptions.then((configOptions) => ({ configOptions }));
				const session = this.session(sessionId);
				const change = () => session.set(settingFromWire(configId, value, session));
				const respond = () => ({ configOptions: configOptionsToWire(session, knowsBooleans) });
				if (session.preparing !== undefined && configId === OPTIONS.model)
					return session.preparing.then(change).then(respond);
				// Change the setting now, so it applies to the next message even if the response has to wait for the
				// list of models.
				change();
				return session.preparing === undefined ? respond() : session.preparing.then(respond);
			}),
		];
	}

	private suggestions(): Handler<"client">[] {
		return [
			on(acp.nesStart, (params, call) => this.start(params, call)),
			on(acp.nesSuggest, (params, call) => {
				this.checkSignedIn();
				return this.suggest(params, call);
			}),
			on(acp.nesClose, async ({ sessionId }) => {
				const session = this.session(sessionId);
				this.sessions.delete(sessionId);
				await session.close();
				return {};
			}),
			on(acp.nesAccept, ({ sessionId, id, _meta }) => {
				this.findSession(sessionId, acp.nesAccept.method)?.accept(id, acceptanceFromWire(_meta));
			}),
			on(acp.nesReject, ({ sessionId, id, reason }) => {
				this.findSession(sessionId, acp.nesReject.method)?.reject(id, reasonFromWire(reason));
			}),
		];
	}

	private documents(): Handler<"client"> {
		return on(acp.heldDocuments, ({ sessionId }) => {
			const held = this.session(sessionId).documents();
			return {
				documents: held.map(({ document: { uri, version, text }, isLost }) => {
					return { uri, version, text: text.toString(), isLost };
				}),
			};
		});
	}

	private events(): Handler<"client">[] {
		const check = (method: string, result: SyncResult | undefined) => {
			if (result?.kind === "lost") this.options.report({ kind: "bad-notification", method, text: result.why });
		};
		return [
			on(acp.didOpen, (event) => {
				const session = this.findSession(event.sessionId, acp.didOpen.method);
				check(acp.didOpen.method, session && open(session, event));
			}),
			on(acp.didChange, (event) => {
				const session = this.findSession(event.sessionId, acp.didChange.method);
				check(acp.didChange.method, session && change(session, event, this.ready().encoding));
			}),
			on(acp.didClose, ({ sessionId, uri }) => this.findSession(sessionId, acp.didClose.method)?.didClose(uri)),
			on(acp.didSave, ({ sessionId, uri }) => this.findSession(sessionId, acp.didSave.method)?.didSave(uri)),
			on(acp.didFocus, (event) => {
				const locate = locateFromWire(event, this.ready().encoding);
				this.findSession(event.sessionId, acp.didFocus.method)?.didFocus(event.uri, locate);
			}),
		];
	}

	private suggest(params: acp.SuggestRequest, call: Call): acp.SuggestResponse | Promise<acp.SuggestResponse> {
		const { encoding } = this.ready();
		const session = this.session(params.sessionId);
		const answer = session.suggest(requestFromWire(params, session, encoding), call);
		if (!(answer instanceof Promise)) return answerToWire(answer, encoding);
		return answer.then(
			(made) => answerToWire(made, encoding),
			(error: unknown) => {
				throw error instanceof CancelledError ? new RpcError(ErrorCode.cancelled, error.message) : error;
			},
		);
	}

	private initialize(params: acp.InitializeRequest): acp.InitializeResponse | Promise<acp.InitializeResponse> {
		if (this.client !== undefined) throw new RpcError(ErrorCode.invalidRequest, "Invalid request: already initialized");
		this.client = readClient(acp.clientCapabilitiesOf(params));
		const { authentication } = this.options;
		if (authentication !== undefined) {
			return this.initializeResponse({ authMethods: authentication.methods, capabilities: { auth: { logout: {} } } });
		}
		const introduced = this.chat?.introduce();
		if (introduced === undefined) return this.initializeResponse(NO_INTRODUCTION);
		return introduced.then((introduction) => this.initializeResponse(introduction ?? NO_INTRODUCTION));
	}

	private initializeResponse({ authMethods, capabilities }: Introduction): acp.InitializeResponse {
		const { version, sync, changes = "incremental", showsDocuments } = this.options;
		const { encoding, offersEncodings, hasTerminal } = this.ready();
		const ours = { nes: nesCapabilitiesToWire(sync, changes), ...(offersEncodings && { positionEncoding: encoding }) };
		return {
			protocolVersion: acp.PROTOCOL_VERSION,
			agentCapabilities: {
				...ours,
				...this.chat?.capabilities,
				...capabilities,
				// Repeated for clients whose SDK strips unknown fields.
				_meta: { segue: { ...ours, ...(showsDocuments === true && { documents: true }) } },
			},
			authMethods: authMethods.filter((method) => hasTerminal || !isTerminal(method)),
			agentInfo: { name: "segue", title: "Segue", version },
		};
	}

	private start(params: acp.NesStart, call: Call): { sessionId: string; _meta: Record<string, unknown> } {
		const { kinds, knowsBooleans } = this.ready();
		this.checkSignedIn();
		if (this.sessions.size >= SESSIONS_MAX) {
			throw new RpcError(ErrorCode.busy, `Busy: ${SESSIONS_MAX} sessions are open; close one with nes/close`);
		}
		const sessionId = `nes_${++this.count}`;
		const { predict = embedded, now = Date.now, after, outliner, observer, folders } = this.options;
		const outlines = outliner?.outlines();
		const workspace = workspaceFromWire(params);
		const models =
			this.options.models &&
			new SessionModels(this.options.models.in(workspace), predict, (error) => this.modelsFailed(error));
		const session = new NextEditSession({
			kinds,
			workspace,
			predict,
			models,
			now,
			after,
			outlines,
			// A demonstration says nothing about the user.
			observer: isDemonstration(params) ? undefined : observer,
			folders,
		});
		this.sessions.set(sessionId, session);
		const announce = () => {
			if (!this.sessions.has(sessionId)) return;
			const configOptions = configOptionsToWire(session, knowsBooleans);
			this.connection.notify(acp.sessionUpdate, {
				sessionId,
				update: { sessionUpdate: "config_option_update", configOptions },
			});
		};
		// Sent after the response, because clients drop updates for a session they don't know yet.
		call.afterwards(() => {
			if (session.preparing === undefined) announce();
			else void session.preparing.then(announce);
		});
		return { sessionId, _meta: { segue: { configOptions: configOptionsToWire(session, knowsBooleans) } } };
	}

	private modelsFailed(error: unknown): void {
		const text = "cannot load the next-edit models";
		this.options.report({ kind: "handler-failed", method: acp.nesStart.method, text, error });
	}

	/**
	 * Reports a connection problem. Marks all documents as lost if the dropped message may have been a document change.
	 */
	private report(problem: Problem): void {
		const { kind, method } = problem;
		const wasChange = method === acp.didOpen.method || method === acp.didChange.method;
		if (kind === "unreadable" || (kind === "bad-notification" && wasChange)) {
			for (const session of this.sessions.values()) session.loseDocuments();
		}
		this.options.report(problem);
	}

	private tooEarly(): RpcError | undefined {
		if (this.client !== undefined) return undefined;
		return new RpcError(ErrorCode.invalidRequest, "Invalid request: send initialize first");
	}

	private ready(): Client {
		if (this.client === undefined) throw new Error("no request is admitted before initialize");
		return this.client;
	}

	private checkSignedIn(): void {
		if (this.options.authentication?.isSignedIn() === false) {
			throw new RpcError(acp.ErrorCode.authRequired, "Authentication required", { reason: "auth_required" });
		}
	}

	private session(sessionId: string): NextEditSession {
		const session = this.sessions.get(sessionId);
		if (session === undefined) throw new RpcError(acp.ErrorCode.notFound, "Session not found", { sessionId });
		return session;
	}

	/**
	 * Finds the session for a notification. An unknown session is only logged, because a notification has no response.
	 */
	private findSession(sessionId: string, method: string): NextEditSession | undefined {
		const session = this.sessions.get(sessionId);
		if (session === undefined) this.options.report({ kind: "bad-notification", method, text: "unknown session" });
		return session;
	}
}

const NO_INTRODUCTION: Introduction = { authMethods: [], capabilities: {} };

/** The client's capabilities, in the form that sessions use. */
interface Client {
	readonly capabilities: acp.ClientCapabilities;
	readonly encoding: acp.PositionEncoding;
	/** Whether the client lists position encodings. */
	readonly offersEncodings: boolean;
	readonly kinds: ReadonlySet<Exclude<ProposalKind, "edit">>;
	readonly knowsBooleans: boolean;
	/** Whether the client can run the agent in a terminal for sign-in. */
	readonly hasTerminal: boolean;
}

const KINDS = ["jump", "rename", "searchAndReplace"] as const;

function readClient(capabilities: acp.ClientCapabilities): Client {
	const { nes, positionEncodings, session, auth } = capabilities;
	const preferred = positionEncodings?.[0];
	return {
		capabilities,
		encoding: preferred ?? "utf-16",
		offersEncodings: preferred !== undefined,
		kinds: new Set(KINDS.filter((kind) => nes?.[kind])),
		knowsBooleans: Boolean(session?.configOptions?.boolean),
		hasTerminal: auth?.terminal === true,
	};
}

/** Whether the user signs in by running the agent in a terminal, as a separate process. */
function isTerminal({ type }: acp.AuthMethod): boolean {
	return type === "terminal";
}

function open(session: NextEditSession, event: acp.DidOpen): SyncResult {
	const document = documentFromWire(event);
	return document === undefined ? session.lose(event.uri, "invalid didOpen") : session.didOpen(document);
}

function change(session: NextEditSession, event: acp.DidChange, encoding: acp.PositionEncoding): SyncResult {
	const before = session.held(event.uri)?.document.text ?? Text.empty;
	const update = updateFromWire(event, before, encoding);
	return update === undefined ? session.lose(event.uri, "invalid didChange") : session.didChange(update);
}
