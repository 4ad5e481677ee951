import * as lsp from "@segue/protocol/lsp";
import { type Channel, Connection, memoryPair, on, type Problem } from "@segue/rpc";
import { type Edit, Text } from "@segue/text";
import { FakeClock } from "../clock.js";
import { FakeEditor } from "./fake-editor.js";

export const PROJECT_A = "file:///project/a.ts";
export const PROJECT_B = "file:///project/b.ts";

interface LspEditorOptions {
	/** Params for `initialize`. */
	readonly params?: Record<string, unknown>;
	/** The `segue` section of the configuration. */
	readonly settings?: unknown;
}

/** An LSP client that sends what a test specifies and records the server's messages. */
export class LspEditor {
	readonly clock = new FakeClock();
	/** Problems that the server reported. */
	readonly problems: Problem[] = [];
	readonly statuses: { kind: string; message: string; busy: boolean }[] = [];
	readonly logged: string[] = [];
	readonly warned: string[] = [];
	readonly progress: string[] = [];
	readonly marked: { uri: string; messages: string[] }[] = [];
	/** Locations of `window/showDocument` requests. */
	readonly shown: string[] = [];
	/** The registration options for capabilities that the server registered, as JSON. */
	readonly registered: string[] = [];
	/** Labels of `workspace/applyEdit` requests. */
	readonly applied: string[] = [];
	readonly connection: Connection<"client">;
	readonly editor: FakeEditor;
	refreshes = 0;
	/** Time by which the clock advances for each edit. By default long enough that consecutive edits are not merged. */
	editMs = 2000;
	private version = new Map<string, number>();

	private constructor(
		serve: (channel: Channel, editor: LspEditor) => void,
		private readonly settings: unknown,
	) {
		const [ours, theirs] = memoryPair();
		serve(theirs, this);
		this.connection = new Connection<"client">(ours, {
			dialect: lsp.dialect,
			handlers: this.handlers(),
			report: ({ kind, text }) => {
				throw new Error(`${kind}: ${text}`);
			},
		});
		this.editor = new FakeEditor({
			sessionId: "",
			encoding: "utf-16",
			syncKind: "incremental",
			send: (event) => {
				const { uri } = event.params;
				if (event.method === "document/didOpen") {
					const { languageId, version, text } = event.params;
					this.connection.notify(lsp.didOpen, { textDocument: { uri, languageId, version, text } });
				} else if (event.method === "document/didChange") {
					const { version, contentChanges } = event.params;
					this.version.set(uri, version);
					this.connection.notify(lsp.didChange, { textDocument: { uri, version }, contentChanges });
				} else this.connection.notify(lsp.didClose, { textDocument: { uri } });
			},
		});
	}

	/** Connects without sending anything. */
	static silent(serve: (channel: Channel, editor: LspEditor) => void): LspEditor {
		return new LspEditor(serve, undefined);
	}

	static async start(
		serve: (channel: Channel, editor: LspEditor) => void,
		{ params = {}, settings }: LspEditorOptions = {},
	): Promise<LspEditor> {
		const editor = new LspEditor(serve, settings);
		await editor.connection.request(lsp.initialize, { capabilities: ALL_CLIENT_CAPABILITIES, ...params });
		editor.connection.notify(lsp.initialized, {});
		return editor;
	}

	open(uri: string, text: string): void {
		this.editor.open(uri, text, "typescript");
	}

	/** Replaces the first occurrence of a string. */
	replace(uri: string, old: string, insert: string): void {
		const from = this.text(uri).indexOf(old);
		this.edit(uri, [{ from, to: from + old.length, insert }]);
	}

	edit(uri: string, edits: readonly Edit[]): void {
		this.editor.edit(uri, edits);
		this.clock.advance(this.editMs);
	}

	text(uri: string): string {
		return this.editor.document(uri).text.toString();
	}

	/** Returns the position of the first occurrence of a string, or of the ▮ inside it. */
	at(uri: string, marked: string): lsp.Position {
		const [before = "", after = ""] = marked.includes("▮") ? marked.split("▮") : ["", marked];
		const text = Text.of(this.text(uri));
		const offset = text.toString().indexOf(before + after) + before.length;
		const { line, start } = text.locate(offset);
		return { line, character: offset - start };
	}

	complete(uri: string, at: string, context: Record<string, unknown> = { triggerKind: 2 }) {
		const position = this.at(uri, at);
		return this.connection.request(lsp.inlineCompletion, { textDocument: { uri }, position, context });
	}

	nextEdits(uri: string, at: string, version = this.version.get(uri) ?? 1) {
		const position = this.at(uri, at);
		return this.connection.request(lsp.inlineEdits, { textDocument: { uri, version }, position });
	}

	async actions(uri: string, at: string, context: Record<string, unknown> = {}): Promise<lsp.CodeAction[]> {
		const position = this.at(uri, at);
		const range = { start: position, end: position };
		const params = { textDocument: { uri }, range, context: { diagnostics: [], ...context } };
		return (await this.connection.request(lsp.codeActions, params)) as lsp.CodeAction[];
	}

	execute(command: string | undefined, id?: unknown) {
		return this.connection.request(lsp.executeCommand, {
			command: command ?? "",
			...(id !== undefined && { arguments: [id] }),
		});
	}

	private handlers() {
		return [
			on(lsp.didChangeStatus, (status) => void this.statuses.push(status)),
			on(lsp.logMessage, ({ message }) => void this.logged.push(message)),
			on(lsp.showMessage, ({ message }) => void this.warned.push(message)),
			on(lsp.progress, ({ token, value }) => void this.progress.push(`${token} ${value.kind}`)),
			on(lsp.publishDiagnostics, ({ uri, diagnostics }) => {
				this.marked.push({ uri, messages: diagnostics.map(({ message }) => message) });
			}),
			on(lsp.registerCapability, ({ registrations }) => {
				this.registered.push(...registrations.map(({ registerOptions }) => JSON.stringify(registerOptions)));
				return null;
			}),
			on(lsp.configuration, async () => [(await this.settings) ?? null]),
			on(lsp.refreshInlayHints, () => {
				this.refreshes++;
				return null;
			}),
			on(lsp.showDocument, ({ uri, selection }) => {
				this.shown.push(`${uri} ${selection?.start.line}:${selection?.start.character}`);
				return { success: true };
			}),
			on(lsp.applyEdit, ({ label }) => {
				this.applied.push(label);
				return { applied: true };
			}),
		];
	}
}

/** The capabilities of a client that supports everything. */
export const ALL_CLIENT_CAPABILITIES = {
	workspace: {
		configuration: true,
		applyEdit: true,
		workspaceEdit: { documentChanges: true, changeAnnotationSupport: {} },
		inlayHint: { refreshSupport: true },
	},
	textDocument: { codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: [] } } } },
	window: { showDocument: { support: true }, workDoneProgress: true },
};
