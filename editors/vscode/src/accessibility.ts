import type { DisplayedSuggestion } from "@segue/editor";
import { Change, type Clock, printUnified, Text } from "@segue/text";
import * as vscode from "vscode";
import { nameAt } from "./source.js";
import { inPart, partOf } from "./suggestion-view.js";

const SCHEME = "segue-suggestion";

/** Shows a suggestion as a read-only document, for screen readers. */
export class SuggestionText implements vscode.TextDocumentContentProvider, vscode.Disposable {
	private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
	private text = "";
	private count = 0;

	async open(shown: DisplayedSuggestion, sentence: string): Promise<void> {
		this.text = `${sentence}\n\n${await changesOf(shown)}`;
		// VS Code does not read a document with the same URI again.
		const uri = vscode.Uri.parse(`${SCHEME}:/Suggestion.diff?${++this.count}`);
		await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
	}

	provideTextDocumentContent(): string {
		return this.text;
	}

	dispose(): void {
		this.registration.dispose();
	}
}

/** Returns the suggested change as a unified diff, or the line that a suggestion to go somewhere leads to. */
async function changesOf(shown: DisplayedSuggestion): Promise<string> {
	const part = partOf(shown);
	const document = part?.document ?? (await vscode.workspace.openTextDocument(vscode.Uri.parse(shown.uri, true)));
	const own = part === undefined ? shown : inPart(shown, part);
	if (own === undefined) return "";
	if (own.kind !== "edit") return `${document.lineAt(document.positionAt(own.place)).text}\n`;
	const before = Text.of(document.getText());
	const after = Change.of(own.edits, before.length).apply(before);
	const name = nameAt(shown.uri, shown.place);
	return printUnified(before.toString(), after.toString(), name, name);
}

// Long enough for a screen reader to start reading.
const MESSAGE_MS = 5_000;

/** Announces suggestions in a message that disappears. VS Code passes messages to screen readers. */
export class Announcement {
	private announced: string | undefined;
	private end = () => {};

	constructor(private readonly clock: Clock) {}

	/** Announces a suggestion when it appears, and again when Tab has gone to it. */
	show(shown: DisplayedSuggestion | undefined, sentence: string): void {
		const key = shown && `${shown.as} ${shown.id}`;
		if (key === this.announced) return;
		this.announced = key;
		this.end();
		const isOn = vscode.workspace.getConfiguration("segue.nextEdit").get("announce", false);
		if (shown === undefined || !isOn) return;
		const ended = new Promise<void>((resolve) => {
			const cancel = this.clock.after(MESSAGE_MS, resolve);
			this.end = () => {
				cancel();
				resolve();
			};
		});
		const location = vscode.ProgressLocation.Notification;
		void vscode.window.withProgress({ location, title: sentence }, () => ended);
	}
}
