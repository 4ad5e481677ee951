import type { FolderSource } from "@segue/agent/next-edit/folder-files";
import type { SyncResult } from "@segue/agent/next-edit/mirror";
import { type EditModels, type Predict, SessionModels } from "@segue/agent/next-edit/models";
import type { RequestObserver } from "@segue/agent/next-edit/observer";
import { NextEditSession } from "@segue/agent/next-edit/session";
import type { Outliner } from "@segue/agent/outline/outliner";
import { predict as embedded } from "@segue/predict";
import * as lsp from "@segue/protocol/lsp";
import {
	type Channel,
	Connection,
	ErrorCode,
	type Handler,
	on,
	type ParamsOf,
	type Problem,
	RpcError,
} from "@segue/rpc";
import { type StartTimer, startTimer, Text, uriKey } from "@segue/text";
import { IGNORE_FILES } from "@segue/text/privacy";
import { watchParent } from "../parent-process.js";
import { ClientConfiguration } from "./client-configuration.js";
import { Commands } from "./commands.js";
import { FeedbackTracker } from "./feedback-tracker.js";
import {
	documentFromWire,
	encodingFromWire,
	foldersFromWire,
	suggestionIdFromWire,
	updateFromWire,
	workspaceFromWire,
} from "./from-wire.js";
import { Marks } from "./marks.js";
import { Status } from "./status.js";
import { Suggestions } from "./suggestions.js";
import { capabilitiesToWire } from "./to-wire.js";

// More folders than a user opens at a time.
const FOLDERS_MAX = 100;

export interface LspOptions {
	readonly version: string;
	/** The server's name in the initialize result; some plugins select servers by name. */
	readonly name?: string | undefined;
	readonly report: (problem: Problem) => void;
	readonly predict?: Predict;
	/** Models that users can choose instead of the embedded engine. */
	readonly models?: EditModels;
	readonly outliner?: Outliner;
	/** Access to folders on disk. Without it, only open documents are searched. */
	readonly folders?: FolderSource;
	readonly observer?: RequestObserver;
	readonly now?: () => number;
	/** Starts a timer; returns a function that cancels it. */
	readonly after?: StartTimer;
	/** Checks that a process exists. Defaults to `process.kill`. */
	readonly kill?: (pid: number, signal: 0) => void;
}

export interface LspServer {
	readonly connection: Connection<"agent">;
	/** Whether the client has sent `shutdown`, which determines the exit code. */
	readonly wasShutDown: boolean;
}

/** Serves next edits over LSP to one client. */
export function serveLsp(channel: Channel, options: LspOptions): LspServer {
	return new LspConnection(channel, options);
}

class LspConnection implements LspServer {
	readonly connection: Connection<"agent">;
	private client: Client | undefined;
	private isShut = false;
	private unwatch = () => {};
	private readonly after: NonNullable<LspOptions["after"]>;

	constructor(
		channel: Channel,
		private readonly options: LspOptions,
	) {
		this.after = options.after ?? startTimer;
		this.connection = new Connection<"agent">(channel, {
			dialect: lsp.dialect,
			handlers: [
				...this.lifecycle(),
				...[...this.documents(), ...this.suggestions(), ...this.feedback(), ...this.copilot()].map((handler) =>
					this.whileReady(handler),
				),
			],
			fallback: (method, kind) => (method === lsp.executeCommand.method ? this.commands(kind) : undefined),
			admit: (method) => this.rejectionOf(method),
			report: (problem) => this.report(problem),
			...(options.after && { after: options.after }),
		});
		void this.connection.closed.then(() => {
			this.unwatch();
			this.client?.marks.stop();
			return this.client?.session.close();
		});
	}

	get wasShutDown(): boolean {
		return this.isShut;
	}

	private lifecycle(): Handler<"client">[] {
		return [
			on(lsp.initialize, (params, call) => {
				const result = this.initialize(params);
				call.afterwards(() => this.ready().configuration.apply(params.initializationOptions?.["segue"]));
				return result;
			}),
			on(lsp.initialized, () => {
				const { configuration, didChangeWatchedFiles } = this.client?.capabilities.workspace ?? {};
				if (configuration === true) this.client?.configuration.pull();
				if (didChangeWatchedFiles?.dynamicRegistration === true) this.watchFiles();
			}),
			on(lsp.shutdown, async () => {
				this.isShut = true;
				this.client?.marks.stop();
				await this.client?.session.close();
				return null;
			}),
			on(lsp.exit, () => this.connection.close("exit received")),
			on(lsp.setTrace, () => {}),
		];
	}

	private initialize(params: lsp.InitializeParams): lsp.InitializeResult {
		const { capabilities, processId, initializationOptions } = params;
		const {
			predict = embedded,
			now = Date.now,
			outliner,
			observer,
			folders: source,
			name = "segue",
			version,
		} = this.options;
		const encoding = encodingFromWire(params);
		const folders = foldersFromWire(params);
		const workspace = workspaceFromWire(folders);
		const failed = (error: unknown) => {
			this.options.report({ kind: "handler-failed", text: "cannot load the next-edit models", error });
		};
		const models = this.options.models && new SessionModels(this.options.models.in(workspace), predict, failed);
		// Only requests for code actions support kinds other than edits. They list these kinds explicitly.
		const session = new NextEditSession({
			kinds: new Set(),
			workspace,
			predict,
			models,
			now,
			after: this.after,
			outlines: outliner?.outlines(),
			observer,
			folders: source,
		});
		const { connection, after } = this;
		const offers = new FeedbackTracker(session, now);
		const status = new Status(connection, initializationOptions?.["editorInfo"] !== undefined);
		const parts = { connection, capabilities, encoding, session, offers };
		const commands = new Commands(parts);
		const suggestions = new Suggestions({
			...parts,
			commands,
			status,
			settling: () => this.client?.configuration.settling,
		});
		const findNext = (uri: string, cursor: number) => suggestions.next(uri, cursor);
		const report = (error: unknown) => {
			this.options.report({ kind: "handler-failed", text: "cannot mark the next edit", error });
		};
		const marks = new Marks({ connection, capabilities, encoding, after, findNext, report });
		const configuration = new ClientConfiguration({ connection, session, marks, after, report: this.options.report });
		this.client = { ...parts, folders, commands, suggestions, marks, status, configuration };
		if (processId != null && processId > 0) {
			const { kill = process.kill } = this.options;
			this.unwatch = watchParent(processId, { after, kill }, () => connection.close("the client's process has exited"));
		}
		return { capabilities: capabilitiesToWire(encoding), serverInfo: { name, version } };
	}

	private documents(): Handler<"client">[] {
		const check = (method: string, result: SyncResult) => {
			if (result.kind === "lost") this.options.report({ kind: "bad-notification", method, text: result.why });
		};
		return [
			on(lsp.didOpen, (event) => {
				const { session } = this.ready();
				const document = documentFromWire(event);
				const { uri } = event.textDocument;
				check(lsp.didOpen.method, document ? session.didOpen(document) : session.lose(uri, "invalid didOpen"));
			}),
			on(lsp.didChange, (event) => {
				const { session, encoding, offers, marks, suggestions } = this.ready();
				const { uri } = event.textDocument;
				const update = updateFromWire(event, session.held(uri)?.document.text ?? Text.empty, encoding);
				const result = update ? session.didChange(update) : session.lose(uri, "invalid didChange");
				check(lsp.didChange.method, result);
				if (result.kind !== "changed") {
					suggestions.diagnose(uri, []);
					return;
				}
				suggestions.changed(uri, result.change);
				offers.changed(result.change, result.after);
				const last = result.change.edits.at(-1);
				if (last !== undefined) marks.changed(uri, result.change.map(last.to, "after"));
			}),
			on(lsp.didClose, ({ textDocument: { uri } }) => {
				const { session, suggestions, marks, offers } = this.ready();
				session.didClose(uri);
				offers.closed(uri);
				suggestions.diagnose(uri, []);
				marks.closed(uri);
			}),
			on(lsp.didSave, ({ textDocument }) => this.ready().session.didSave(textDocument.uri)),
			on(lsp.didChangeWatchedFiles, ({ changes }) => {
				for (const { uri } of changes) this.ready().session.didSave(uri);
			}),
			on(lsp.didFocus, ({ textDocument }) => {
				const { status, session } = this.ready();
				status.isCopilots = true;
				// The cursor position comes with the next request.
				if (textDocument != null) session.didFocus(textDocument.uri, () => ({ cursor: 0, visible: undefined }));
			}),
			on(lsp.forwardedDiagnostics, ({ uri, diagnostics }) => this.ready().suggestions.diagnose(uri, diagnostics)),
			on(lsp.didChangeWorkspaceFolders, ({ event: { added, removed } }) => {
				const client = this.ready();
				const folders = new Map([...client.folders, ...added].map((folder) => [uriKey(folder.uri), folder]));
				for (const { uri } of removed) folders.delete(uriKey(uri));
				client.folders = [...folders.values()].slice(0, FOLDERS_MAX);
				client.session.moveTo(workspaceFromWire(client.folders));
			}),
			on(lsp.didChangeConfiguration, ({ settings }) => {
				const section = settings?.["segue"];
				const { configuration, capabilities } = this.ready();
				if (section !== undefined) configuration.apply(section);
				else if (capabilities.workspace?.configuration === true) configuration.pull();
			}),
		];
	}

	private suggestions(): Handler<"client">[] {
		return [
			on(lsp.inlineCompletion, (params, call) => this.ready().suggestions.inlineCompletion(params, call)),
			on(lsp.inlineEdits, (params, call) => {
				const { status, suggestions } = this.ready();
				status.isCopilots = true;
				return suggestions.inlineEdits(params, call);
			}),
			on(lsp.codeActions, (params, call) => this.ready().suggestions.codeActions(params, call)),
			on(lsp.inlayHints, ({ textDocument: { uri }, range }) => this.ready().marks.hints(uri, range)),
		];
	}

	/** Handlers for feedback on suggestions. */
	private feedback(): Handler<"client">[] {
		const shown = ({ item }: { item?: Reported }) => {
			this.ready().offers.shown(suggestionIdFromWire(item?.command?.arguments));
		};
		return [
			on(lsp.didShowInlineEdit, shown),
			on(lsp.didShowCompletion, shown),
			on(lsp.didPartiallyAcceptCompletion, ({ item }) => {
				this.ready().offers.acceptedPartly(suggestionIdFromWire(item?.command?.arguments));
			}),
		];
	}

	/** Handlers for Copilot clients, which check the account before they request edits. Segue has no accounts. */
	private copilot(): Handler<"client">[] {
		const account = (status: string) => () => {
			this.ready().status.isCopilots = true;
			return { status, user: "segue" };
		};
		return [
			on(lsp.checkStatus, account("OK")),
			on(lsp.signIn, account("AlreadySignedIn")),
			on(lsp.signInInitiate, account("AlreadySignedIn")),
			on(lsp.signInConfirm, account("OK")),
			on(lsp.signOut, account("OK")),
			on(lsp.setEditorInfo, () => {
				this.ready().status.isCopilots = true;
				return "OK" as const;
			}),
			on(lsp.getVersion, () => {
				const { version } = this.options;
				return { version, buildType: "prod", runtimeVersion: `node/${process.versions.node}` };
			}),
		];
	}

	/**
	 * Returns handlers for commands. Most clients send commands as requests, but copilot.el sends them as
	 * notifications.
	 */
	private commands(kind: "request" | "notification"): Handler<"client"> {
		if (kind === "request") {
			return on(lsp.executeCommand, ({ command, arguments: args }) => this.ready().commands.execute(command, args));
		}
		const { method, params } = lsp.executeCommand;
		const asNotification = { kind, method, from: "client", params } as const;
		return this.whileReady(
			on(asNotification, ({ command, arguments: args }) => {
				const done = Promise.resolve().then(() => this.ready().commands.execute(command, args));
				done.catch((error: unknown) => {
					const kind = error instanceof RpcError ? "bad-notification" : "handler-failed";
					this.options.report({ kind, method, text: "a command failed", error });
				});
			}),
		);
	}

	/** Watches ignore files, which list the files to hide from models. These may change outside the editor. */
	private watchFiles(): void {
		const watchers = IGNORE_FILES.map((name) => ({ globPattern: `**/${name}` }));
		const registration = {
			id: "ignore-files",
			method: lsp.didChangeWatchedFiles.method,
			registerOptions: { watchers },
		};
		this.connection.request(lsp.registerCapability, { registrations: [registration] }).catch((error: unknown) => {
			const text = "cannot watch ignore files";
			this.options.report({ kind: "handler-failed", method: lsp.registerCapability.method, text, error });
		});
	}

	/**
	 * Reports a connection problem. Marks all documents as lost if the dropped message may have been a document change.
	 */
	private report(problem: Problem): void {
		const { kind, method } = problem;
		const wasChange = method === lsp.didOpen.method || method === lsp.didChange.method;
		if (kind === "unreadable" || (kind === "bad-notification" && wasChange)) this.client?.session.loseDocuments();
		// LSP allows a server to ignore unknown notifications.
		if (kind !== "unknown-notification") this.options.report(problem);
	}

	private rejectionOf(method: string): RpcError | undefined {
		const isFirst = method === lsp.initialize.method;
		if (this.isShut)
			return new RpcError(ErrorCode.invalidRequest, "Invalid request: only exit is allowed after shutdown");
		if (this.client === undefined) {
			if (isFirst) return undefined;
			return new RpcError(lsp.ErrorCode.notInitialized, "Not initialized: send initialize first");
		}
		return isFirst ? new RpcError(ErrorCode.invalidRequest, "Invalid request: already initialized") : undefined;
	}

	/** Ignores notifications before initialize and after shutdown. Requests are rejected by `admit`. */
	private whileReady(handler: Handler<"client">): Handler<"client"> {
		const { message, handle } = handler;
		if (message.kind === "request") return handler;
		return on(message, (params) => {
			if (this.client !== undefined && !this.isShut) (handle as (params: unknown) => void)(params);
			else
				this.options.report({
					kind: "bad-notification",
					method: message.method,
					text: "sent before initialize or after shutdown",
				});
		});
	}

	private ready(): Client {
		if (this.client === undefined) throw new Error("no message is handled before initialize");
		return this.client;
	}
}

type Reported = ParamsOf<typeof lsp.didShowInlineEdit>["item"];

/** The client's state, created by `initialize`. */
interface Client {
	readonly capabilities: lsp.ClientCapabilities;
	readonly encoding: lsp.PositionEncoding;
	readonly session: NextEditSession;
	readonly offers: FeedbackTracker;
	readonly commands: Commands;
	readonly suggestions: Suggestions;
	readonly marks: Marks;
	readonly status: Status;
	readonly configuration: ClientConfiguration;
	folders: readonly lsp.WorkspaceFolder[];
}
