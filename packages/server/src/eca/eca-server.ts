import path from "node:path";
import { fileURLToPath } from "node:url";
import { StoreError } from "@segue/assist/failures";
import * as eca from "@segue/protocol/eca";
import { type Channel, Connection, ErrorCode, type Handler, on, type Problem, RpcError } from "@segue/rpc";
import { type Clock, type StartTimer, startTimer } from "@segue/text";
import { INTERNAL_ERROR } from "../engine-error.js";
import { watchParent } from "../parent-process.js";
import type { EcaBackend, EcaEngine } from "./backend.js";
import { historyHandlers, showChat } from "./chat/chat-history.js";
import { chatHandlers, EcaChats } from "./chat/eca-chats.js";
import type { EcaSession } from "./eca-session.js";
import { type EcaVersion, ecaVersionOf } from "./encoding/eca-version.js";
import { announceJobs, jobHandlers } from "./jobs.js";
import { announceServers, serverHandlers } from "./mcp-servers.js";
import { providerHandlers } from "./providers.js";
import { queryHandlers } from "./queries.js";
import { announceSelection, selectionHandlers } from "./selection.js";
import type { Completer } from "./writing/completer.js";
import type { Documenter } from "./writing/documenter.js";
import { rewriteHandlers } from "./writing/rewriter.js";

export interface EcaOptions {
	readonly backend: EcaBackend;
	readonly version: string;
	/** Logs problems that cannot be reported in a response. */
	readonly report: (problem: Problem) => void;
	/** The default workspace for editors that send no folders. An absolute path. */
	readonly folder: string;
	/** Overrides the protocol version detected from the editor's `initialize` request. */
	readonly protocolVersion?: EcaVersion | undefined;
	/** The current time in milliseconds. */
	readonly now?: () => number;
	/** Starts a timer. Returns a function that cancels it. */
	readonly after?: StartTimer;
	/** Checks whether a process exists, like `process.kill`. */
	readonly kill?: (pid: number, signal: 0) => void;
}

/**
 * Runs an ECA server for one editor, in the editor's version of the protocol. Closes the connection when the editor
 * exits.
 */
export function serveEca(channel: Channel, options: EcaOptions): Connection<"agent"> {
	return new EcaServer(channel, options).connection;
}

/** Determines which messages the server accepts: only `initialize`, all messages, or only `exit`. */
type Stage = "new" | "ready" | "shut";

class EcaServer implements EcaSession {
	readonly connection: Connection<"agent">;
	readonly backend: EcaBackend;
	readonly chats: EcaChats;
	protocolVersion: EcaVersion = "merged";
	capabilities: EcaSession["capabilities"] = {};
	folders: readonly [string, ...string[]];
	private readonly end = new AbortController();
	private stage: Stage = "new";
	private isAnnounced = false;
	private unwatch = () => {};
	/** Aborted when the editor switches to another workspace or disconnects. */
	private stay = new AbortController();

	constructor(
		channel: Channel,
		private readonly options: EcaOptions,
	) {
		const { after, backend, folder, report } = options;
		this.backend = backend;
		this.folders = [folder];
		this.chats = new EcaChats(this, options.now ?? Date.now);
		this.connection = new Connection<"agent">(channel, {
			dialect: eca.dialect,
			handlers: this.handlers(),
			admit: (method) => this.refusalOf(method),
			report,
			...(after && { after }),
		});
		void this.connection.closed.then(() => {
			this.unwatch();
			this.stay.abort();
			return this.shutDown();
		});
	}

	/** Ends with a newline, because the first ECA editor treats text after the last newline as user input. */
	get welcomeMessage(): string {
		return `Segue ${this.options.version}. Ask about this project, or type /help.\n\n`;
	}

	get closing(): AbortSignal {
		return this.end.signal;
	}

	engine(): Promise<EcaEngine> {
		return this.backend.engineFor(this.folders[0]);
	}

	resume(threadId: string): void {
		this.chats.continueThread(threadId);
		void showChat(this, threadId, {}).catch((error) => this.explain(error));
	}

	show(type: "error" | "warning" | "info", message: string): void {
		if (this.protocolVersion !== "2025-06-09") this.connection.notify(eca.showMessage, { type, message });
	}

	explain(error: unknown): void {
		const isForUser = error instanceof RpcError || error instanceof StoreError;
		if (!isForUser) this.report(error);
		this.show("error", isForUser ? error.message : INTERNAL_ERROR);
	}

	report(error: unknown): void {
		this.options.report({ kind: "handler-failed", text: "a turn failed", error });
	}

	private handlers(): Handler<"client">[] {
		const { now = Date.now, after = startTimer, report } = this.options;
		const clock = { now, after };
		const served = [
			...this.workspaceHandlers(),
			...chatHandlers(this, this.chats, () => this.announce(), report),
			...queryHandlers(this, clock),
			...historyHandlers(this),
			...selectionHandlers(this),
			...providerHandlers(this),
			...serverHandlers(this),
			...jobHandlers(this, now),
			...completionHandlers(this, clock),
			...documentationHandlers(this, clock),
			...rewriteHandlers(this, clock),
		];
		return [...this.lifecycle(), ...served.map((handler) => this.whileReady(handler))];
	}

	private lifecycle(): Handler<"client">[] {
		return [
			on(eca.initialize, (params, call) => {
				const configured = this.initialize(params);
				// The first version of the protocol has no other way to report problems.
				if (this.protocolVersion === "2025-06-09") return configured.then((problems) => this.welcome(problems));
				const show = (problems: readonly string[]) => problems.map((problem) => this.show("warning", problem));
				call.afterwards(() => void configured.then(show).catch((error) => this.report(error)));
				return this.welcome([]);
			}),
			on(eca.initialized, () => this.announce()),
			on(eca.shutdown, async () => {
				await this.shutDown();
				return null;
			}),
			on(eca.exit, () => this.connection.close("the editor sent exit")),
		];
	}

	private async shutDown(): Promise<void> {
		this.stage = "shut";
		this.end.abort(new Error("the server is shutting down"));
		await this.chats.stop();
	}

	private welcome(problems: readonly string[]): eca.InitializeResult {
		return { chatWelcomeMessage: [this.welcomeMessage, ...problems.map((problem) => `${problem}\n\n`)].join("") };
	}

	/** Announces choices and tools once: after `initialized` or, if the editor never sends it, after the first prompt. */
	private announce(): void {
		if (this.isAnnounced || this.stage !== "ready") return;
		this.isAnnounced = true;
		this.announceNow();
	}

	private announceNow(): void {
		if (this.protocolVersion === "2025-06-09") return;
		const task = { taskId: "start", title: "Looking for models and tools" };
		this.connection.notify(eca.progress, { type: "start", ...task });
		void this.announceAll(this.stay.signal).then(() =>
			this.connection.notify(eca.progress, { type: "finish", ...task }),
		);
	}

	/** Editors expect this order. */
	private async announceAll(signal: AbortSignal): Promise<void> {
		await announceSelection(this);
		await announceJobs(this, this.options.now ?? Date.now, signal);
		await announceServers(this, signal);
	}

	private initialize(params: eca.InitializeParams): Promise<readonly string[]> {
		const { processId, initializationOptions, capabilities, workspaceFolders } = params;
		this.stage = "ready";
		this.protocolVersion = ecaVersionOf(params, this.options.protocolVersion);
		this.capabilities = capabilities?.codeAssistant ?? {};
		const [first, ...others] = (workspaceFolders ?? []).flatMap(folderIn);
		if (first !== undefined) this.folders = [first, ...others];
		if (processId != null && processId > 0) {
			const { after = startTimer, kill = process.kill } = this.options;
			this.unwatch = watchParent(processId, { after, kill }, () => {
				this.connection.close("the parent process has exited");
			});
		}
		const { protocol: _ours, ...theirs } = initializationOptions ?? {};
		return this.backend.configure(theirs);
	}

	private workspaceHandlers(): Handler<"client">[] {
		return [
			on(eca.didChangeWorkspaceFolders, ({ event: { added, removed } }) => {
				const gone = removed.flatMap(folderIn);
				const left = [...this.folders, ...added.flatMap(folderIn)].filter((folder) => !gone.includes(folder));
				const [first, ...others] = new Set(left);
				// When the last folder is closed, keep it as the workspace, so its chats stay open.
				if (first !== undefined) this.workIn([first, ...others]);
			}),
		];
	}

	/** Announces choices and tools again if the workspace changed. */
	private workIn(folders: readonly [string, ...string[]]): void {
		const [before] = this.folders;
		this.folders = folders;
		if (folders[0] === before) return;
		this.stay.abort();
		this.stay = new AbortController();
		if (this.isAnnounced) this.announceNow();
		const left = this.chats.leave(before, () => this.folders[0] !== before);
		left.catch((error) => this.report(error));
	}

	private refusalOf(method: string): RpcError | undefined {
		const isFirst = method === eca.initialize.method;
		switch (this.stage) {
			case "new":
				if (isFirst) return undefined;
				return new RpcError(eca.ErrorCode.notInitialized, "Not initialized: send initialize first");
			case "ready":
				if (!isFirst) return undefined;
				return new RpcError(ErrorCode.invalidRequest, "Invalid request: already initialized");
			case "shut":
				return new RpcError(ErrorCode.invalidRequest, "Invalid request: only exit is allowed after shutdown");
		}
	}

	/** Ignores notifications unless the server is ready. Requests are rejected with an error instead. */
	private whileReady(handler: Handler<"client">): Handler<"client"> {
		const { message, handle } = handler;
		if (message.kind === "request") return handler;
		return on(message, (params) => {
			if (this.stage === "ready") (handle as (params: unknown) => void)(params);
			else
				this.options.report({
					kind: "bad-notification",
					method: message.method,
					text: "ignored before initialize or after shutdown",
				});
		});
	}
}

/**
 * Returns the absolute path of a folder without the trailing slash that some editors send, or an empty list for a
 * remote folder.
 */
function folderIn({ uri }: eca.WorkspaceFolder): string[] {
	try {
		return [path.resolve(fileURLToPath(uri))];
	} catch {
		return path.isAbsolute(uri) ? [path.resolve(uri)] : [];
	}
}

/** Handles `completion/inline`. Loads the completer on the first request, because most editors never send one. */
function completionHandlers(session: EcaSession, clock: Clock): Handler<"client">[] {
	let loaded: Promise<Completer> | undefined;
	const startedAtMs = clock.now();
	const load = async () => {
		const { Completer } = await import("./writing/completer.js");
		return new Completer(session, clock, startedAtMs);
	};
	return [
		on(
			eca.completionInline,
			async (params, { signal }) => {
				loaded ??= load();
				return (await loaded).complete(params, signal);
			},
			{ isTalk: true },
		),
	];
}

/** Handles `documentation/generate`. Loads the documenter on the first request. */
function documentationHandlers(session: EcaSession, clock: Clock): Handler<"client">[] {
	let loaded: Promise<Documenter> | undefined;
	const load = async () => {
		const { Documenter } = await import("./writing/documenter.js");
		return new Documenter(session, clock);
	};
	return [
		on(
			eca.generateDocumentation,
			async (params, { signal }) => {
				loaded ??= load();
				return (await loaded).write(params, signal);
			},
			{ isTalk: true },
		),
	];
}
