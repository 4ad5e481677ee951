import { Editor, type EditorOptions, type EditorWorkspace, type Files, type Notice } from "@segue/editor";
import * as acp from "@segue/protocol/acp";
import type { Connection } from "@segue/rpc";
import { type Clock, errorText, SYSTEM_CLOCK } from "@segue/text";
import * as vscode from "vscode";
import { Announcement, SuggestionText } from "./accessibility.js";
import { DocumentMirror } from "./documents.js";
import { vscodeHost } from "./host.js";
import { noticeText } from "./reasons.js";
import {
	agentCommand,
	documentOffReason,
	openSettings,
	SNOOZE_MINUTES,
	SNOOZE_OPTION,
	sessionOptions,
} from "./settings.js";
import { isTooLarge } from "./source.js";
import { StatusItem } from "./status.js";
import { TextEditorSuggestion } from "./suggestion-view.js";

export interface PluginOptions {
	readonly extensionUri: vscode.Uri;
	readonly version: string;
	/** Starts an agent, according to the current settings. */
	readonly connect: () => ReturnType<EditorOptions["connect"]>;
	/** The kinds of suggestions that the agent may send, apart from edits. */
	readonly kinds: () => NonNullable<EditorOptions["kinds"]>;
	readonly files: (workspace: () => EditorWorkspace) => Files;
	readonly clock?: Clock;
}

const MINUTE_MS = 60_000;

/** The extension while it is active: the library, the drawing and the status bar item. */
export class Plugin implements vscode.Disposable {
	readonly status = new StatusItem();
	readonly log = vscode.window.createOutputChannel("Segue", { log: true });
	private readonly view: TextEditorSuggestion;
	private readonly text = new SuggestionText();
	private readonly announcement: Announcement;
	private readonly listeners: vscode.Disposable[];
	private running: { readonly editor: Editor; readonly mirror: DocumentMirror } | undefined;
	/** The reason for no suggestion, if it is not from the agent. */
	private ownReason: string | undefined;
	private restarts: Promise<void> = Promise.resolve();
	private isClosed = false;
	private readonly clock: Clock;
	private connection: Connection<"client"> | undefined;
	private sessionId: string | undefined;
	/** The end of the snooze that the user chose last, kept for the sessions that follow. */
	private snoozedUntilMs: number | undefined;
	/** Cancels the timer that ends the snooze. */
	private endSnooze: (() => void) | undefined;

	constructor(private readonly options: PluginOptions) {
		this.clock = options.clock ?? SYSTEM_CLOCK;
		this.announcement = new Announcement(this.clock);
		this.view = new TextEditorSuggestion(options.extensionUri);
		this.running = this.start();
		this.listeners = [
			vscode.workspace.onDidChangeConfiguration((event) => {
				// A setting that is no longer set returns to the agent's configuration, so start a new session.
				if (event.affectsConfiguration("segue")) void this.restart();
			}),
			vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.explain(textEditor)),
			vscode.window.onDidChangeActiveTextEditor((editor) => this.explain(editor)),
		];
		this.explain(vscode.window.activeTextEditor);
	}

	/** Handles Tab, in the order of the library: go to what is out of view, then accept. */
	async tab(): Promise<void> {
		const editor = this.running?.editor;
		// While a surplus Tab is ignored, each one starts this time again.
		if (this.view.visible !== undefined || editor?.ignoresTab) await editor?.tab();
	}

	async accept(part: "line" | "word"): Promise<void> {
		if (this.view.visible !== undefined) await this.running?.editor.accept(part);
	}

	dismiss(): void {
		this.running?.editor.reject();
	}

	didAcceptGhost(): void {
		this.running?.editor.didAccept();
	}

	/** Opens the suggestion as a read-only document. */
	async showText(): Promise<void> {
		const { visible } = this.view;
		if (visible !== undefined) await this.text.open(visible, this.status.sentence);
	}

	async suggest(): Promise<void> {
		await this.running?.editor.suggest();
	}

	/** Pauses automatic suggestions. 0 minutes ends the pause. */
	async snooze(minutes: number): Promise<void> {
		this.snoozedUntilMs = this.clock.now() + minutes * MINUTE_MS;
		this.endSnooze?.();
		this.endSnooze = minutes > 0 ? this.clock.after(minutes * MINUTE_MS, () => void this.snooze(0)) : undefined;
		await this.sendSnooze();
		if (minutes > 0) this.dismiss();
		this.explain(vscode.window.activeTextEditor);
	}

	get isSnoozed(): boolean {
		return this.endSnooze !== undefined;
	}

	/** Stops the agent and starts it again, with the current settings. */
	restart(): Promise<void> {
		// Several settings may change at once.
		this.restarts = this.restarts.then(async () => {
			await this.stop();
			if (this.isClosed) return;
			this.status.clear();
			this.running = this.start();
			this.explain(vscode.window.activeTextEditor);
		});
		return this.restarts;
	}

	private async stop(): Promise<void> {
		const { running } = this;
		this.running = undefined;
		running?.mirror.dispose();
		await running?.editor.close();
	}

	private start(): NonNullable<Plugin["running"]> {
		const { connect, version, files, kinds } = this.options;
		const editor = new Editor({
			host: vscodeHost({
				show: (shown) => {
					this.view.show(shown);
					this.status.show(this.view.visible);
					this.announcement.show(this.view.visible, this.status.sentence);
				},
				ignoreTab: (isIgnored) => this.view.ignoreTab(isIgnored),
				report: (note) => this.report(note),
				isOff: (document) => documentOffReason(document) !== undefined,
				diagnostics: (uri) => this.running?.mirror.diagnostics(uri) ?? [],
				versionOf: (uri) => this.running?.mirror.versionOf(uri),
				files,
			}),
			connect,
			kinds: kinds(),
			clientInfo: { name: "vscode", title: vscode.env.appName, version },
			initialized: (connection) => {
				this.connection = connection;
				void connection.closed.then(() => {
					if (this.connection === connection) this.sessionId = undefined;
				});
			},
			started: (sessionId) => {
				this.sessionId = sessionId;
				this.status.clear();
				this.explain(vscode.window.activeTextEditor);
				void this.sendOptions();
			},
			clock: this.clock,
		});
		return { editor, mirror: new DocumentMirror(editor) };
	}

	/** Sends all options at once, so that they apply to the session's first request. */
	private async sendOptions(): Promise<void> {
		const options = sessionOptions().map(async ({ setting, configId, value }) => {
			try {
				await this.setOption(configId, value);
			} catch (error) {
				this.log.warn(`${setting} was not accepted by the agent: ${errorText(error)}`);
			}
		});
		await Promise.all([this.sendSnooze(), ...options]);
	}

	private async sendSnooze(): Promise<void> {
		if (this.snoozedUntilMs === undefined) return;
		const leftMs = this.snoozedUntilMs - this.clock.now();
		// The agent accepts only the numbers that it offers. A timer ends the snooze in time.
		const minutes = leftMs <= 0 ? 0 : SNOOZE_MINUTES.find((offered) => offered * MINUTE_MS >= leftMs);
		try {
			await this.setOption(SNOOZE_OPTION, String(minutes));
		} catch (error) {
			this.log.warn(`Snooze was not accepted by the agent: ${errorText(error)}`);
		}
	}

	private async setOption(configId: string, value: string): Promise<void> {
		const { connection, sessionId } = this;
		if (connection === undefined || sessionId === undefined) return;
		await connection.request(acp.setConfigOption, { sessionId, configId, value });
	}

	/** Shows why there is no suggestion in the active editor, if the plugin itself or a snooze is the reason. */
	private explain(editor: vscode.TextEditor | undefined): void {
		this.status.show(this.view.visible);
		if (editor !== vscode.window.activeTextEditor) return;
		const isSnoozed = this.snoozedUntilMs !== undefined && this.snoozedUntilMs > this.clock.now();
		const reason = (editor && ownReasonIn(editor)) ?? (isSnoozed ? "snoozed" : undefined);
		if (reason !== undefined) this.status.report({ kind: "no-suggestion", text: reason });
		else if (this.ownReason !== undefined) this.status.report(undefined);
		this.ownReason = reason;
	}

	private report(note: Notice): void {
		const text = noticeText(note);
		const isWithoutAgent = (note.kind === "agent" || note.kind === "sign-in") && this.sessionId === undefined;
		if (isWithoutAgent) this.status.lose(note);
		else this.status.report(note);
		if (note.kind === "no-suggestion") {
			this.log.debug(text);
			return;
		}
		this.log.warn(text);
		if ((note.kind !== "agent" && note.kind !== "sign-in") || note.isRepeated) return;
		const message = text.endsWith("try again.") ? text : `${text} Segue tries again.`;
		// Another agent may be missing because its command in the settings is wrong.
		const buttons = agentCommand().length > 0 ? ["Restart", "Settings", "Show Log"] : ["Restart", "Show Log"];
		void vscode.window.showWarningMessage(`Segue: ${message}`, ...buttons).then((chosen) => {
			if (chosen === "Restart") void this.restart();
			else if (chosen === "Settings") void openSettings("segue.agent");
			else if (chosen === "Show Log") this.log.show();
		});
	}

	async close(): Promise<void> {
		this.isClosed = true;
		await this.stop();
		this.dispose();
	}

	dispose(): void {
		this.endSnooze?.();
		for (const part of [...this.listeners, this.view, this.text, this.status, this.log]) part.dispose();
	}
}

/** Returns the reason why the plugin itself shows no suggestions in an editor. */
function ownReasonIn({ document, selections }: vscode.TextEditor): string | undefined {
	if (selections.length > 1) return "several-cursors";
	return isTooLarge(document) ? "too-large-file" : documentOffReason(document);
}
