import * as lsp from "@segue/protocol/lsp";
import { type Channel, Connection, memoryPair, on } from "@segue/rpc";
import type { Player, StorySettings, StorySuggestion, StoryView } from "@segue/story";
import {
	Change,
	type Edit,
	languageOf,
	offsetOf,
	offsetsOf,
	positionAt,
	rangeAt,
	type SyncKind,
	type Text,
} from "@segue/text";
import type { FakeClock } from "../clock.js";
import { type DocumentEvent, FakeEditor } from "../editors/fake-editor.js";

// Longer than any pause within a single edit, so that every pane of a story is a separate edit.
const BETWEEN_EDITS_MS = 2000;

const ROOT = "file:///story/";
const AUTOMATIC = 2;
const SEVERITIES = ["error", "warning", "info", "hint"];

export interface LspWire {
	/** Serves LSP at the other end of the connection. */
	readonly serve: (channel: Channel) => void;
	/** The server's clock. Every edit advances it by a few seconds. */
	readonly clock: FakeClock;
	readonly encoding: lsp.PositionEncoding;
	readonly syncKind: SyncKind;
}

/** Plays stories on an LSP server, acting as an editor that shows next edits as code actions. */
export class LspPlayer implements Player {
	private can: Extract<StorySettings, { can: unknown }>["can"] = [];
	private session: Promise<Session> | undefined;
	/** The user's documents, most recent first. */
	private paths: string[] = [];
	private view: StoryView = { selection: { anchor: 0, head: 0 }, diagnostics: [] };
	private offered: readonly lsp.CodeAction[] = [];
	/** The last logged reason for no suggestion. The server does not log the same reason twice in a row. */
	private reason = "";

	constructor(private readonly wire: LspWire) {}

	async configure(settings: StorySettings): Promise<void> {
		if (!("can" in settings)) throw new Error("every story is played with every encoding and sync kind");
		if (this.session !== undefined) throw new Error("capabilities must be set before a document is opened");
		this.can = settings.can;
	}

	async open(path: string, text: Text, view: StoryView): Promise<void> {
		const { editor } = await this.connected();
		editor.open(uriOf(path), text.toString(), languageOf(path));
		this.turnTo(path, view);
	}

	async change(path: string, change: Change, view: StoryView): Promise<void> {
		const { client } = await this.connected();
		const isElsewhere = path !== this.paths[0];
		if (change.edits.length > 0) await this.edit(path, change.edits);
		this.turnTo(path, view);
		if (isElsewhere) client.notify(lsp.didFocus, { textDocument: { uri: uriOf(path) } });
	}

	async model(): Promise<void> {
		throw new Error("the server has no model");
	}

	async suggest(): Promise<StorySuggestion> {
		const { client, editor } = await this.connected();
		const { encoding } = this.wire;
		const { uri, text } = editor.document(uriOf(this.paths[0] ?? ""));
		const { head } = this.view.selection;
		const actions = await client.request(lsp.codeActions, {
			textDocument: { uri },
			range: rangeAt(text, head, head, encoding),
			context: {
				diagnostics: this.view.diagnostics.map(({ from, to, severity, message }) => {
					return { range: rangeAt(text, from, to, encoding), severity: SEVERITIES.indexOf(severity) + 1, message };
				}),
				triggerKind: AUTOMATIC,
			},
		});
		this.offered = actions as lsp.CodeAction[];
		const [first] = this.offered;
		if (first === undefined) return { kind: "nothing", reason: this.reason };
		const edit = this.editOf(first, editor);
		if (edit === undefined) return this.goThere(first, "look");
		const change = Change.of(edit.edits, edit.text.length);
		if (edit.path === this.paths[0]) await this.checkSame(change.apply(edit.text));
		const cursor = change.map(edit.edits.at(-1)?.to ?? 0, "after");
		return { kind: "edit", path: edit.path, edits: edit.edits, cursor, note: first.data?.why };
	}

	/** Checks that the Copilot request returns the same next edit. */
	private async checkSame(expected: Text): Promise<void> {
		const { client, editor } = await this.connected();
		const { encoding } = this.wire;
		const { uri, version, text } = editor.document(uriOf(this.paths[0] ?? ""));
		const position = positionAt(text, this.view.selection.head, encoding);
		const { edits } = await client.request(lsp.inlineEdits, { textDocument: { uri, version }, position });
		const changed = edits.map((edit) => ({ ...offsetsOf(text, edit.range, encoding), insert: edit.text }));
		// Only code action requests include diagnostics, so they may find more edits.
		if (changed.length === 0 && this.view.diagnostics.length > 0) return;
		const made = Change.of(changed, text.length).apply(text).toString();
		if (made !== expected.toString().replaceAll("\r\n", "\n") && made !== expected.toString()) {
			throw new Error(`the Copilot request produces a different text: ${made}`);
		}
	}

	async accept(): Promise<void> {
		const { client, editor } = await this.connected();
		const [first] = this.offered;
		if (first === undefined) throw new Error("no suggestion to accept");
		const edit = this.editOf(first, editor);
		if (edit === undefined) {
			await this.goThere(first, "go");
			return;
		}
		await this.edit(edit.path, edit.edits);
		const cursor = Change.of(edit.edits, edit.text.length).map(edit.edits.at(-1)?.to ?? 0, "after");
		this.turnTo(edit.path, { selection: { anchor: cursor, head: cursor }, diagnostics: [] });
		await execute(client, first);
	}

	async reject(reason: string | undefined): Promise<void> {
		const { client } = await this.connected();
		const dismiss = this.offered.at(-1);
		// LSP clients do not report other reasons.
		if (reason === "rejected") await execute(client, dismiss);
		else if (reason === "ignored") {
			await client.request(lsp.executeCommand, { command: "segue.ignore", arguments: [dismiss?.data?.id] });
		}
	}

	async wait(ms: number): Promise<void> {
		this.wire.clock.advance(ms);
	}

	/** Performs a jump, or only returns its target. */
	private async goThere(action: lsp.CodeAction, how: "go" | "look"): Promise<StorySuggestion> {
		const session = await this.connected();
		session.isLooking = how === "look";
		await execute(session.client, action);
		const { uri, selection } = session.shown ?? {};
		if (uri === undefined || selection === undefined) throw new Error("the server did not show a document");
		const path = uri.slice(ROOT.length);
		const offset = offsetOf(session.editor.document(uri).text, selection.start, this.wire.encoding);
		if (how === "go") this.turnTo(path, { selection: { anchor: offset, head: offset }, diagnostics: [] });
		return { kind: "jump", path, offset };
	}

	private editOf({ edit }: lsp.CodeAction, editor: FakeEditor) {
		const [change] = edit?.documentChanges ?? [];
		if (change === undefined) return undefined;
		const { uri, version, text } = editor.document(change.textDocument.uri);
		if (version !== change.textDocument.version) throw new Error("the edit is for another version of the document");
		const edits = change.edits.map(({ range, newText }): Edit => {
			return { ...offsetsOf(text, range, this.wire.encoding), insert: newText };
		});
		return { path: uri.slice(ROOT.length), text, edits };
	}

	/** Connects on first use, with the capabilities that the story has set so far. */
	private connected(): Promise<Session> {
		this.session ??= start(this.wire, this.can, (message) => {
			this.reason = /\(([\w-]+)\)$/.exec(message)?.[1] ?? "";
		});
		return this.session;
	}

	private async edit(path: string, edits: readonly Edit[]): Promise<void> {
		const { editor } = await this.connected();
		editor.edit(uriOf(path), edits);
		this.wire.clock.advance(BETWEEN_EDITS_MS);
	}

	private turnTo(path: string, view: StoryView): void {
		this.paths = [path, ...this.paths.filter((other) => other !== path)];
		this.view = view;
	}
}

interface Session {
	readonly client: Connection<"client">;
	readonly editor: FakeEditor;
	/** Params of the last `window/showDocument` request. */
	shown: { uri: string; selection?: { start: { line: number; character: number } } | undefined } | undefined;
	/** Whether the editor refuses to show documents. */
	isLooking: boolean;
}

async function start(
	{ serve, encoding, syncKind }: LspWire,
	can: readonly string[],
	log: (message: string) => void,
): Promise<Session> {
	const [ours, theirs] = memoryPair();
	serve(theirs);
	const report = ({ kind, text }: { kind: string; text: string }) => {
		if (kind !== "unknown-notification") throw new Error(`${kind}: ${text}`);
	};
	const handlers = [
		on(lsp.logMessage, ({ message }) => log(message)),
		on(lsp.showDocument, (params) => {
			session.shown = params;
			return { success: !session.isLooking };
		}),
	];
	const client = new Connection<"client">(ours, { dialect: lsp.dialect, handlers, report });
	const send = (event: DocumentEvent) => sendEvent(client, event);
	const session: Session = {
		client,
		editor: new FakeEditor({ sessionId: "", encoding, syncKind, send }),
		shown: undefined,
		isLooking: false,
	};
	await client.request(lsp.initialize, {
		capabilities: {
			general: { positionEncodings: [encoding] },
			workspace: { workspaceEdit: { documentChanges: true } },
			textDocument: { codeAction: { codeActionLiteralSupport: {} } },
			window: { showDocument: { support: can.includes("jump") } },
		},
	});
	client.notify(lsp.initialized, {});
	return session;
}

function sendEvent(client: Connection<"client">, event: DocumentEvent): void {
	const { uri } = event.params;
	switch (event.method) {
		case "document/didOpen": {
			const { languageId, version, text } = event.params;
			client.notify(lsp.didOpen, { textDocument: { uri, languageId, version, text } });
			break;
		}
		case "document/didChange": {
			const { version, contentChanges } = event.params;
			client.notify(lsp.didChange, { textDocument: { uri, version }, contentChanges });
			break;
		}
		case "document/didClose":
			client.notify(lsp.didClose, { textDocument: { uri } });
	}
}

async function execute(client: Connection<"client">, action: lsp.CodeAction | undefined): Promise<void> {
	const { command } = action ?? {};
	if (command === undefined) throw new Error("the code action has no command");
	await client.request(lsp.executeCommand, { command: command.command, arguments: command.arguments });
}

function uriOf(path: string): string {
	return ROOT + path;
}
