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
	locateFromWire,
	reasonFromWire,
	requestFromWire,
	settingFromWire,
	updateFromWire,
	workspaceFromWire,
} from "./from-wire.js";
import { answerToWire, configOptionsToWire, nesCapabilitiesToWire, OPTIONS } from "./to-wire.js";

// Far more than an editor has windows; a client that opens more has forgotten to close them.
const SESSIONS_MAX = 4096;

// A session answers a few requests at a time and cancels the oldest for a new one. With room for many sessions, those
// of one that is slow never keep another waiting.
const HANDLING_MAX = 1024;

/** How the agent learns of documents: by events as they happen, by context with each request, or by both. */
export type AcpSync = "events" | "context" | "both";

/** Decides who may have suggestions and chat. */
export interface Authentication {
	readonly methods: readonly acp.AuthMethod[];
	isSignedIn(): boolean;
	/** Rejects where signing in failed. */
	signIn(methodId: string): Promise<void>;
	signOut(): Promise<void>;
}

export interface AcpOptions {
	readonly version: string;
	readonly sync: AcpSync;
	readonly report: (problem: Problem) => void;
	readonly now?: () => number;
	/** Runs something later, and returns how to cancel that. */
	readonly after?: StartTimer;
	readonly predict?: Predict;
	/** What users may choose instead of the embedded engine. Without it, there is no choice. */
	readonly models?: EditModels;
	/** Has the documents of all sessions parsed. Without it, they are read by a lexer alone. */
	readonly outliner?: Outliner;
	/** The files of folders on disk. Without it, only open documents are searched. */
	readonly folders?: FolderSource;
	/** Sees what is asked for suggestions, what is answered and what becomes of it. */
	readonly observer?: RequestObserver;
	/** Without it, everybody may. */
	readonly authentication?: Authentication;
	/** Chat over the same connection, as `withChat` makes it. Without it, there are next edits alone. */
	readonly chat?: (peer: ChatPeer) => ChatServer;
	/** What a client is asked to tell of a change: the edit, unless it says the whole text. */
	readonly changes?: "incremental" | "full";
	/** Whether a client may look at what is held of its documents. */
	readonly showsDocuments?: boolean;
}

/** Serves ACP to one editor: the agent's side of next edits and of chat. */
export function serveAcp(channel: Channel, options: AcpOptions): Connection<"agent"> {
	return new AcpServer(channel, options).connection;
}

class AcpServer {
	readonly connection: Connection<"agent">;
	/** Undefined until the client has said who it is. */
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
		// The outliner may be that of other editors, too, and would keep the documents of one that is gone.
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
				const answer = authentication === undefined ? this.chat?.authenticate(params) : undefined;
				if (answer !== undefined) return answer;
				const method = authentication?.methods.find(({ id }) => id === methodId);
				if (authentication === undefined || method === undefined) {
					throw new RpcError(ErrorCode.invalidParams, "Invalid params: params.methodId: there is no such method");
				}
				if (isTerminal(method)) {
					const instead = "run the agent in a terminal with the method's args and env, then connect anew";
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
				const answer = authentication === undefined ? this.chat?.logout(params) : undefined;
				if (answer !== undefined) return answer;
				if (authentication === undefined) {
					throw new RpcError(ErrorCode.methodNotFound, acp.dialect.methodNotFound(acp.logout.method));
				}
				await authentication.signOut();
				return {};
			}),
			on(acp.setConfigOption, ({ sessionId, configId, value }, call) => {
				const { knowsBooleans } = this.ready();
				const answer = this.chat?.setConfigOption(sessionId, configId, value, call);
				if (answer !== undefined) return answer.then((configOptions) => ({ configOptions }));
				const session = this.session(sessionId);
				const change = () => session.set(settingFromWire(configId, value, session));
				const tell = () => ({ configOptions: configOptionsToWire(session, knowsBooleans) });
				if (session.preparing !== undefined && configId === OPTIONS.model)
					return session.preparing.then(change).then(tell);
				// It holds for the next message already, whenever there is all to tell.
				change();
				return session.preparing === undefined ? tell() : session.preparing.then(tell);
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
				this.known(sessionId, acp.nesAccept.method)?.accept(id, acceptanceFromWire(_meta));
			}),
			on(acp.nesReject, ({ sessionId, id, reason }) => {
				this.known(sessionId, acp.nesReject.method)?.reject(id, reasonFromWire(reason));
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
		const trace = (method: string, outcome: SyncResult | undefined) => {
			if (outcome?.kind === "lost") this.options.report({ kind: "bad-notification", method, text: outcome.why });
		};
		return [
			on(acp.didOpen, (event) => {
				const session = this.known(event.sessionId, acp.didOpen.method);
				trace(acp.didOpen.method, session && open(session, event));
			}),
			on(acp.didChange, (event) => {
				const session = this.known(event.sessionId, acp.didChange.method);
				trace(acp.didChange.method, session && change(session, event, this.ready().encoding));
			}),
			on(acp.didClose, ({ sessionId, uri }) => this.known(sessionId, acp.didClose.method)?.didClose(uri)),
			on(acp.didSave, ({ sessionId, uri }) => this.known(sessionId, acp.didSave.method)?.didSave(uri)),
			on(acp.didFocus, (event) => {
				const locate = locateFromWire(event, this.ready().encoding);
				this.known(event.sessionId, acp.didFocus.method)?.didFocus(event.uri, locate);
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
		if (this.client !== undefined) throw new RpcError(ErrorCode.invalidRequest, "Invalid request: initialized already");
		this.client = readClient(acp.clientCapabilitiesOf(params));
		const { authentication } = this.options;
		if (authentication !== undefined) {
			return this.welcome({ authMethods: authentication.methods, capabilities: { auth: { logout: {} } } });
		}
		const introduced = this.chat?.introduce();
		if (introduced === undefined) return this.welcome(NO_INTRODUCTION);
		return introduced.then((introduction) => this.welcome(introduction ?? NO_INTRODUCTION));
	}

	private welcome({ authMethods, capabilities }: Introduction): acp.InitializeResponse {
		const { version, sync, changes = "incremental", showsDocuments } = this.options;
		const { encoding, offersEncodings, hasTerminal } = this.ready();
		const ours = { nes: nesCapabilitiesToWire(sync, changes), ...(offersEncodings && { positionEncoding: encoding }) };
		return {
			protocolVersion: acp.PROTOCOL_VERSION,
			agentCapabilities: {
				...ours,
				...this.chat?.capabilities,
				...capabilities,
				// For clients whose SDK strips what it does not know.
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
			this.options.models && new SessionModels(this.options.models.in(workspace), predict, (error) => this.lost(error));
		const session = new NextEditSession({
			kinds,
			workspace,
			predict,
			models,
			now,
			after,
			outlines,
			observer,
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
		// The answer must be there first: clients drop what concerns a session that they do not know yet.
		call.afterwards(() => {
			if (session.preparing === undefined) announce();
			else void session.preparing.then(announce);
		});
		return { sessionId, _meta: { segue: { configOptions: configOptionsToWire(session, knowsBooleans) } } };
	}

	private lost(error: unknown): void {
		const text = "the models for next edits are not known";
		this.options.report({ kind: "handler-failed", method: acp.nesStart.method, text, error });
	}

	/** Passes on what the connection has to say. What it could not hand on may have been a change of a document. */
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

	/** A notification has no answer, so one for a session that is not there is only noted. */
	private known(sessionId: string, method: string): NextEditSession | undefined {
		const session = this.sessions.get(sessionId);
		if (session === undefined)
			this.options.report({ kind: "bad-notification", method, text: "there is no such session" });
		return session;
	}
}

/** Of chat that has nothing to say before there is a session. */
const NO_INTRODUCTION: Introduction = { authMethods: [], capabilities: {} };

/** What the client said that matters for every session. */
interface Client {
	readonly capabilities: acp.ClientCapabilities;
	readonly encoding: acp.PositionEncoding;
	/** Whether it offered encodings at all. */
	readonly offersEncodings: boolean;
	readonly kinds: ReadonlySet<Exclude<ProposalKind, "edit">>;
	readonly knowsBooleans: boolean;
	/** Whether it can run the agent in a terminal for the user to sign in. */
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

/** Whether the user signs in by running the agent in a terminal, of which this process has no part. */
function isTerminal({ type }: acp.AuthMethod): boolean {
	return type === "terminal";
}

function open(session: NextEditSession, event: acp.DidOpen): SyncResult {
	const document = documentFromWire(event);
	return document === undefined ? session.lose(event.uri, "an opening that cannot be read") : session.didOpen(document);
}

function change(session: NextEditSession, event: acp.DidChange, encoding: acp.PositionEncoding): SyncResult {
	const before = session.held(event.uri)?.document.text ?? Text.empty;
	const update = updateFromWire(event, before, encoding);
	return update === undefined ? session.lose(event.uri, "a change that cannot be read") : session.didChange(update);
}
