import { readSessionSettings } from "@segue/agent/config/session-settings";
import type { Outcome } from "@segue/agent/next-edit/mirror";
import { type EditModels, SessionModels } from "@segue/agent/next-edit/models";
import { REASONS } from "@segue/agent/next-edit/reasons";
import { Cancelled, type Offer, type Predict, Session, type SuggestAnswer } from "@segue/agent/next-edit/session";
import type { Witness } from "@segue/agent/next-edit/witness";
import type { Outliner } from "@segue/agent/outline/outliner";
import { type Diagnostic, predict as embedded } from "@segue/predict";
import {
	type ClientCapabilities,
	type CodeAction,
	type CodeActionParams,
	type Command,
	type InitializeParams,
	type InitializeResult,
	type InlineCompletionItem,
	type InlineCompletionParams,
	type InlineEdits,
	type InlineEditsParams,
	LspErrorCode,
	lsp,
	lspDialect,
	MessageType,
	type PositionEncoding,
	TriggerKind,
	type WorkspaceFolder,
} from "@segue/protocol/lsp";
import { type Call, type Channel, Connection, ErrorCode, type Handler, on, type Problem, RpcError } from "@segue/rpc";
import { offsetOf, positionAt, sameUri, Text, uriKey } from "@segue/text";
import { watchParent } from "../parent-process.js";
import { codeActionsFor, titleOf } from "./actions.js";
import {
	type Asked,
	diagnosticsFromWire,
	documentFromWire,
	encodingFromWire,
	foldersFromWire,
	requestFromWire,
	settingsFromWire,
	suggestionIdFromWire,
	triggerFromWire,
	updateFromWire,
	workspaceFromWire,
} from "./from-wire.js";
import { type Marked, Marks } from "./marks.js";
import { Offers } from "./offers.js";
import {
	COMMANDS,
	capabilitiesToWire,
	inlineEditToWire,
	inlineItemToWire,
	joinedEdit,
	placeToWire,
	workspaceEditToWire,
} from "./to-wire.js";

// More files than an editor shows problems of.
const DIAGNOSED_MAX = 100;

// Suggestions that a command may still come back for: those of some answers, of which a client shows the last.
const OFFERS_MAX = 30;

export interface LspOptions {
	readonly version: string;
	/** How the server introduces itself; some plugins choose servers by their name. */
	readonly name?: string | undefined;
	readonly report: (problem: Problem) => void;
	readonly predict?: Predict;
	/** What users may choose instead of the embedded engine. */
	readonly models?: EditModels;
	readonly outliner?: Outliner;
	readonly witness?: Witness;
	readonly now?: () => number;
	/** Runs something later; returns how to call it off. */
	readonly after?: (delayMs: number, run: () => void) => () => void;
	/** Looks for a process, as `process.kill` does. */
	readonly kill?: (pid: number, signal: 0) => void;
}

export interface LspServer {
	readonly connection: Connection<"agent">;
	/** Whether the client said `shutdown` before it went, as a server's exit code has to tell. */
	readonly wasShutDown: boolean;
}

/** Serves next edits over LSP, to one client. */
export function serveLsp(channel: Channel, options: LspOptions): LspServer {
	return new LspDoor(channel, options);
}

class LspDoor implements LspServer {
	readonly connection: Connection<"agent">;
	private client: Client | undefined;
	private isShut = false;
	private unwatch = () => {};
	private readonly after: NonNullable<LspOptions["after"]>;
	/** Of suggestions that went out, by id, the newest last. */
	private readonly given = new Map<string, Offer>();
	/** What plugins passed on of other servers' diagnostics, by `uriKey`. */
	private readonly diagnosed = new Map<string, readonly Diagnostic[]>();

	constructor(
		channel: Channel,
		private readonly options: LspOptions,
	) {
		this.after = options.after ?? startTimer;
		this.connection = new Connection<"agent">(channel, {
			dialect: lspDialect,
			handlers: [
				...this.lifecycle(),
				...[...this.documents(), ...this.suggestions(), ...this.reports(), ...this.copilot()].map((handler) =>
					this.whileReady(handler),
				),
			],
			otherwise: (method, kind) => (method === lsp.executeCommand.method ? this.commands(kind) : undefined),
			admit: (method) => this.refusalOf(method),
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
				call.afterwards(() => this.configure(params.initializationOptions?.["segue"]));
				return result;
			}),
			on(lsp.initialized, () => {
				if (this.client?.capabilities.workspace?.configuration === true) this.pullConfiguration();
			}),
			on(lsp.shutdown, async () => {
				this.isShut = true;
				this.client?.marks.stop();
				await this.client?.session.close();
				return null;
			}),
			on(lsp.exit, () => this.connection.close("the client said exit")),
			on(lsp.setTrace, () => {}),
		];
	}

	private initialize(params: InitializeParams): InitializeResult {
		const { capabilities, processId, initializationOptions } = params;
		const { predict = embedded, now = Date.now, outliner, witness, name = "segue", version } = this.options;
		const encoding = encodingFromWire(params);
		const folders = foldersFromWire(params);
		const workspace = workspaceFromWire(folders);
		const lost = (error: unknown) => {
			this.options.report({ kind: "handler-failed", text: "the models for next edits are not known", error });
		};
		const models = this.options.models && new SessionModels(this.options.models.in(workspace), predict, lost);
		// Of the answers of LSP, only code actions can be more than edits.
		const session = new Session({
			kinds: new Set(),
			workspace,
			predict,
			models,
			now,
			after: this.after,
			outlines: outliner?.outlines(),
			witness,
		});
		const { connection, after } = this;
		const look = (uri: string, cursor: number) => this.look(uri, cursor);
		this.client = {
			capabilities,
			encoding,
			folders,
			session,
			offers: new Offers(session, now),
			marks: new Marks({ connection, capabilities, encoding, after, look }),
			isCopilots: initializationOptions?.["editorInfo"] !== undefined,
			status: "",
			section: {},
		};
		if (processId != null && processId > 0) {
			const { kill = process.kill } = this.options;
			this.unwatch = watchParent(processId, { after, kill }, () => connection.close("the client is gone"));
		}
		return { capabilities: capabilitiesToWire(encoding), serverInfo: { name, version } };
	}

	private documents(): Handler<"client">[] {
		const trace = (method: string, outcome: Outcome) => {
			if (outcome.kind === "lost") this.options.report({ kind: "bad-notification", method, text: outcome.why });
		};
		return [
			on(lsp.didOpen, (event) => {
				const { session } = this.ready();
				const document = documentFromWire(event);
				const { uri } = event.textDocument;
				const outcome = document ? session.didOpen(document) : session.lose(uri, "an opening that cannot be read");
				trace(lsp.didOpen.method, outcome);
			}),
			on(lsp.didChange, (event) => {
				const { session, encoding, offers, marks } = this.ready();
				const { uri } = event.textDocument;
				const update = updateFromWire(event, session.held(uri)?.document.text ?? Text.empty, encoding);
				const outcome = update ? session.didChange(update) : session.lose(uri, "a change that cannot be read");
				trace(lsp.didChange.method, outcome);
				if (outcome.kind !== "changed") return;
				offers.changed(outcome.change, outcome.after);
				const last = outcome.change.edits.at(-1);
				if (last !== undefined) marks.changed(uri, outcome.change.map(last.to, "after"));
			}),
			on(lsp.didClose, ({ textDocument: { uri } }) => {
				this.diagnosed.delete(uriKey(uri));
				this.ready().session.didClose(uri);
			}),
			on(lsp.didSave, ({ textDocument }) => this.ready().session.didSave(textDocument.uri)),
			on(lsp.didChangeWatchedFiles, ({ changes }) => {
				for (const { uri } of changes) this.ready().session.didSave(uri);
			}),
			on(lsp.didFocus, ({ textDocument }) => {
				this.ready().isCopilots = true;
				// Where the cursor is comes with the next request.
				if (textDocument != null)
					this.ready().session.didFocus(textDocument.uri, () => ({ cursor: 0, visible: undefined }));
			}),
			on(lsp.forwardedDiagnostics, ({ uri, diagnostics }) => {
				const { session, encoding } = this.ready();
				const text = session.held(uri)?.document.text;
				this.diagnosed.delete(uriKey(uri));
				if (text === undefined) return;
				this.diagnosed.set(uriKey(uri), diagnosticsFromWire(uri, diagnostics, text, encoding));
				for (const old of [...this.diagnosed.keys()].slice(0, -DIAGNOSED_MAX)) this.diagnosed.delete(old);
			}),
			on(lsp.didChangeWorkspaceFolders, ({ event: { added, removed } }) => {
				const client = this.ready();
				const gone = new Set(removed.map(({ uri }) => uri));
				client.folders = [...client.folders, ...added].filter(({ uri }) => !gone.has(uri));
				client.session.moveTo(workspaceFromWire(client.folders));
			}),
			on(lsp.didChangeConfiguration, ({ settings }) => {
				const section = settings?.["segue"];
				if (section !== undefined) this.configure(section);
				else if (this.ready().capabilities.workspace?.configuration === true) this.pullConfiguration();
			}),
		];
	}

	private suggestions(): Handler<"client">[] {
		return [
			on(lsp.inlineCompletion, (params, call) => this.complete(params, call)),
			on(lsp.inlineEdits, (params, call) => {
				this.ready().isCopilots = true;
				return this.edits(params, call);
			}),
			on(lsp.codeActions, (params, call) => this.actions(params, call)),
			on(lsp.inlayHints, ({ textDocument: { uri }, range }) => this.ready().marks.hints(uri, range)),
		];
	}

	/** What clients say of suggestions. */
	private reports(): Handler<"client">[] {
		const { offersOf } = this;
		return [
			on(lsp.didShowInlineEdit, ({ item }) => offersOf().shown(suggestionIdFromWire(item?.command?.arguments))),
			on(lsp.didShowCompletion, ({ item }) => offersOf().shown(suggestionIdFromWire(item?.command?.arguments))),
			on(lsp.didPartiallyAcceptCompletion, ({ item }) => {
				offersOf().accepted(suggestionIdFromWire(item?.command?.arguments), true);
			}),
		];
	}

	/** Clients of Copilot look who is signed in before they ask for edits. There is no account here. */
	private copilot(): Handler<"client">[] {
		const account = (status: string) => () => {
			this.ready().isCopilots = true;
			return { status, user: "segue" };
		};
		return [
			on(lsp.checkStatus, account("OK")),
			on(lsp.signIn, account("AlreadySignedIn")),
			on(lsp.signInInitiate, account("AlreadySignedIn")),
			on(lsp.signInConfirm, account("OK")),
			on(lsp.signOut, account("OK")),
			on(lsp.setEditorInfo, () => {
				this.ready().isCopilots = true;
				return "OK" as const;
			}),
			on(lsp.getVersion, () => {
				const { version } = this.options;
				return { version, buildType: "prod", runtimeVersion: `node/${process.versions.node}` };
			}),
		];
	}

	/** Commands come as requests, and from copilot.el as notifications. */
	private commands(kind: "request" | "notification"): Handler<"client"> {
		if (kind === "request") {
			return on(lsp.executeCommand, ({ command, arguments: args }) => this.execute(command, args));
		}
		const { method, params } = lsp.executeCommand;
		const asNotification = { kind, method, from: "client", params } as const;
		return this.whileReady(
			on(asNotification, ({ command, arguments: args }) => {
				const done = Promise.resolve().then(() => this.execute(command, args));
				done.catch((error: unknown) => {
					const kind = error instanceof RpcError ? "bad-notification" : "handler-failed";
					this.options.report({ kind, method, text: "a command failed", error });
				});
			}),
		);
	}

	private complete(params: InlineCompletionParams, call: Call) {
		const { session, encoding, offers } = this.ready();
		const { textDocument, position, context } = params;
		const { uri } = textDocument;
		const text = session.held(uri)?.document.text ?? Text.empty;
		const cursor = offsetOf(text, position, encoding);
		const asked = this.asked(uri, { position, trigger: triggerFromWire(context?.triggerKind) });
		return this.suggest(asked, call, params.workDoneToken, (answer): { items: InlineCompletionItem[] } => {
			const fit = offersIn(answer, uri).flatMap((offer) => {
				const item = inlineItemToWire(offer, cursor, context?.selectedCompletionInfo ?? undefined, encoding);
				return item ? [{ offer, item }] : [];
			})[0];
			this.give(fit?.offer);
			offers.answered(fit?.offer, true);
			return { items: fit ? [fit.item] : [] };
		});
	}

	private edits(params: InlineEditsParams, call: Call) {
		const { encoding, offers } = this.ready();
		const { textDocument, position, context } = params;
		const { uri, version } = textDocument;
		const asked = this.asked(uri, { position, trigger: triggerFromWire(context?.triggerKind), version });
		return this.suggest(asked, call, params.workDoneToken, (answer): InlineEdits => {
			// Clients show an answer in the document that they asked about, whichever it names.
			const [offer] = offersIn(answer, uri);
			const edit = offer && joinedEdit(offer);
			this.give(offer);
			offers.answered(offer, true);
			return { edits: offer && edit ? [inlineEditToWire(offer, edit, encoding)] : [] };
		});
	}

	private actions(params: CodeActionParams, call: Call) {
		const { session, encoding, offers, capabilities } = this.ready();
		const { textDocument, range, context } = params;
		const { uri } = textDocument;
		const text = session.held(uri)?.document.text ?? Text.empty;
		const own = diagnosticsFromWire(uri, context?.diagnostics ?? [], text, encoding);
		const isAutomatic = context?.triggerKind === TriggerKind.automatic;
		const kinds = capabilities.window?.showDocument?.support === true ? JUMPS : undefined;
		const trigger = isAutomatic ? "automatic" : "manual";
		const asked = this.asked(uri, { position: range.start, trigger, kinds, own });
		return this.suggest(asked, call, params.workDoneToken, (answer): (CodeAction | Command)[] => {
			const [offer] = "suggestions" in answer ? answer.suggestions : [];
			// A menu is not shown before the user opens it.
			offers.answered(offer, false);
			this.give(offer);
			if (offer === undefined) return [];
			const rename = session.wholeRename(offer.id);
			const only = context?.only ?? undefined;
			const made = codeActionsFor({ offer, rename, uri, line: range.start.line, only, capabilities, encoding });
			if (capabilities.textDocument?.codeAction?.codeActionLiteralSupport != null) return made;
			// An older client takes commands alone.
			return made.flatMap(({ title, edit, command }) => {
				if (command === undefined || edit === undefined) return command ?? [];
				return edit === made[0]?.edit ? { ...command, title, command: COMMANDS.apply } : [];
			});
		});
	}

	private execute(command: string, args: readonly unknown[] | null | undefined): null | Promise<null> {
		const { offers } = this.ready();
		const id = suggestionIdFromWire(args);
		const offer = this.given.get(id);
		switch (command) {
			case COMMANDS.snooze:
				this.snooze(args?.[0]);
				return null;
			case COMMANDS.accept:
				offers.accepted(id);
				return null;
			case COMMANDS.reject:
				offers.rejected(id, "rejected");
				return null;
			case COMMANDS.ignore:
				offers.rejected(id, "ignored");
				return null;
			case COMMANDS.apply:
				return this.apply(offer);
			case COMMANDS.goTo:
				return this.goTo(offer);
			default:
				throw new RpcError(ErrorCode.invalidParams, "Invalid params: params.command: there is no such command");
		}
	}

	private snooze(minutes: unknown): void {
		const { settings, problems } = readSessionSettings({ snoozeMinutes: minutes });
		if (problems.length > 0) {
			throw new RpcError(ErrorCode.invalidParams, `Invalid params: params.arguments: ${problems.join("; ")}`);
		}
		this.ready().session.set(settings);
	}

	private async apply(offer: Offer | undefined): Promise<null> {
		const { capabilities, encoding, offers } = this.ready();
		if (offer?.suggestion.kind !== "edit") return null;
		const { document, id, suggestion } = offer;
		const { applied } = await this.connection.request(lsp.applyEdit, {
			label: "Next edit",
			edit: workspaceEditToWire([{ document, edits: suggestion.edits }], capabilities, encoding),
		});
		if (applied) offers.accepted(id);
		return null;
	}

	private async goTo(offer: Offer | undefined): Promise<null> {
		if (offer === undefined) return null;
		const { encoding, offers } = this.ready();
		const { id, document, suggestion } = offer;
		const selection = placeToWire(offer, encoding);
		const { success } = await this.connection.request(lsp.showDocument, {
			uri: document.uri,
			takeFocus: true,
			selection,
		});
		// Going there is all that a jump suggests. An edit is still to be made.
		if (success && suggestion.kind === "jump") offers.accepted(id);
		return null;
	}

	/** The next edit as it is marked in the text. */
	private async look(uri: string, cursor: number): Promise<Marked | undefined> {
		const { session, encoding } = this.ready();
		const held = session.held(uri)?.document;
		if (held === undefined || cursor > held.text.length) return undefined;
		const position = positionAt(held.text, cursor, encoding);
		const request = requestFromWire(this.asked(uri, { position, trigger: "automatic" }), session, encoding);
		const answer = await Promise.resolve(session.suggest(request, { signal: NEVER })).catch(() => undefined);
		const [offer] = answer ? offersIn(answer, undefined) : [];
		const edit = offer && joinedEdit(offer);
		if (offer === undefined || edit === undefined) return undefined;
		this.give(offer);
		const rename = session.wholeRename(offer.id);
		return { offer, edit, title: titleOf({ offer, rename, uri, line: position.line }) };
	}

	private asked(uri: string, more: Omit<Asked, "uri" | "diagnostics"> & { own?: readonly Diagnostic[] }): Asked {
		const { own = [], ...asked } = more;
		return { uri, ...asked, diagnostics: [...own, ...(this.diagnosed.get(uriKey(uri)) ?? [])] };
	}

	/** Asks the session, and tells the client what it waits for or why there is nothing. */
	private suggest<Result>(
		asked: Asked,
		call: Call,
		token: number | string | null | undefined,
		answered: (answer: SuggestAnswer) => Result,
	): Result | Promise<Result> {
		const { session, encoding } = this.ready();
		const answer = session.suggest(requestFromWire(asked, session, encoding), call);
		const finish = (made: SuggestAnswer) => {
			this.explain(made);
			return answered(made);
		};
		if (!(answer instanceof Promise)) return finish(answer);
		const title = "Looking for the next edit";
		if (token != null) this.connection.notify(lsp.progress, { token, value: { kind: "begin", title } });
		this.tellStatus({ busy: true, kind: "Normal", message: title });
		return answer
			.then(finish, (error: unknown) => {
				this.tellStatus({ busy: false, kind: "Normal", message: "" });
				throw error instanceof Cancelled ? new RpcError(ErrorCode.cancelled, error.message) : error;
			})
			.finally(() => {
				if (token != null) this.connection.notify(lsp.progress, { token, value: { kind: "end" } });
			});
	}

	/** Says why there is no suggestion, in the log and in the status line of clients that have one. */
	private explain(answer: SuggestAnswer): void {
		if ("suggestions" in answer) {
			this.tellStatus({ busy: false, kind: "Normal", message: "" });
			return;
		}
		const { silence, detail } = answer;
		const message = `No next edit: ${detail ?? REASONS[silence]}`;
		const kind =
			silence === "disabled" || silence === "snoozed" ? "Inactive" : silence === "model-failed" ? "Warning" : "Normal";
		if (this.tellStatus({ busy: false, kind, message })) {
			this.connection.notify(lsp.logMessage, { type: MessageType.log, message: `${message} (${silence})` });
		}
	}

	/** Whether it is another status than before. Clients may show each one, so the same is not sent twice. */
	private tellStatus(status: { busy: boolean; kind: "Normal" | "Warning" | "Inactive"; message: string }): boolean {
		const client = this.ready();
		const said = JSON.stringify(status);
		if (said === client.status) return false;
		client.status = said;
		if (client.isCopilots) this.connection.notify(lsp.didChangeStatus, status);
		return true;
	}

	private give(offer: Offer | undefined): void {
		if (offer === undefined) return;
		this.given.set(offer.id, offer);
		for (const old of [...this.given.keys()].slice(0, -OFFERS_MAX)) this.given.delete(old);
	}

	private configure(section: unknown): void {
		if (typeof section !== "object" || section === null) return;
		const client = this.ready();
		const { session, marks } = client;
		const apply = () => {
			const said = section as Readonly<Record<string, unknown>>;
			const { session: changed, mark, problems } = settingsFromWire(said, client.section, session);
			client.section = said;
			session.set(changed);
			if (mark !== undefined) marks.set(mark);
			for (const message of problems) this.connection.notify(lsp.showMessage, { type: MessageType.warning, message });
		};
		// Which models there are may not be known yet, and a model is one of the settings.
		if (session.preparing === undefined) apply();
		else void session.preparing.then(apply);
	}

	private pullConfiguration(): void {
		const asked = this.connection.request(lsp.configuration, { items: [{ section: "segue" }] });
		asked.then(
			([section]) => this.configure(section),
			(error: unknown) => {
				const text = "the client did not send its settings";
				this.options.report({ kind: "handler-failed", method: lsp.configuration.method, text, error });
			},
		);
	}

	/** What could not be handed on may have been a change of a document. */
	private report(problem: Problem): void {
		const { kind, method } = problem;
		const wasChange = method === lsp.didOpen.method || method === lsp.didChange.method;
		if (kind === "unreadable" || (kind === "bad-notification" && wasChange)) this.client?.session.loseDocuments();
		// The protocol lets a server pass over notifications that it does not know.
		if (kind !== "unknown-notification") this.options.report(problem);
	}

	private refusalOf(method: string): RpcError | undefined {
		const isFirst = method === lsp.initialize.method;
		if (this.isShut)
			return new RpcError(ErrorCode.invalidRequest, "Invalid request: after shutdown there is only exit");
		if (this.client === undefined) {
			if (isFirst) return undefined;
			return new RpcError(LspErrorCode.notInitialized, "Not initialized: the first request is initialize");
		}
		return isFirst ? new RpcError(ErrorCode.invalidRequest, "Invalid request: initialize was sent before") : undefined;
	}

	/** Requests are refused while they make no sense; a notification can only be passed over. */
	private whileReady(handler: Handler<"client">): Handler<"client"> {
		const { message, handle } = handler;
		if (message.kind === "request") return handler;
		return on(message, (params) => {
			if (this.client !== undefined && !this.isShut) (handle as (params: unknown) => void)(params);
			else this.options.report({ kind: "bad-notification", method: message.method, text: "it came out of turn" });
		});
	}

	private ready(): Client {
		if (this.client === undefined) throw new Error("no message is handled before initialize");
		return this.client;
	}

	private readonly offersOf = () => this.ready().offers;
}

/** What is known of the client since `initialize`, and its session. */
interface Client {
	readonly capabilities: ClientCapabilities;
	readonly encoding: PositionEncoding;
	readonly session: Session;
	readonly offers: Offers;
	readonly marks: Marks;
	folders: readonly WorkspaceFolder[];
	/** Whether it knows Copilot's messages. Others warn about notifications that they do not know. */
	isCopilots: boolean;
	/** What it was told last. */
	status: string;
	/** Its settings, as it sent them last. */
	section: Readonly<Record<string, unknown>>;
}

/** The edits of an answer, of one document or of all. */
function offersIn(answer: SuggestAnswer, uri: string | undefined): Offer[] {
	if ("silence" in answer) return [];
	return answer.suggestions.filter(({ suggestion, document }) => {
		return suggestion.kind === "edit" && (uri === undefined || sameUri(document.uri, uri));
	});
}

/** Code actions of clients that can go to a place. */
const JUMPS: ReadonlySet<"jump"> = new Set(["jump"]);

const NEVER = new AbortController().signal;

function startTimer(delayMs: number, run: () => void): () => void {
	const timer = setTimeout(run, delayMs);
	return () => clearTimeout(timer);
}
