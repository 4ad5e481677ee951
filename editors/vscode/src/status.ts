import type { DisplayedSuggestion, Notice } from "@segue/editor";
import * as vscode from "vscode";
import { noticeText, suggestionText } from "./reasons.js";
import { nameAt, sourceAt, sourcePartAt } from "./source.js";

// Longer texts would push other items out of the status bar. The tooltip has the whole text.
const LABEL_LENGTH_MAX = 48;

/** Reasons that do not change while the user types. Only these are worth a place in the status bar. */
const LASTING = new Set([
	...["disabled", "off-in-language", "off-in-file", "only-when-asked", "snoozed", "gave-up", "several-cursors"],
	...["secret-file", "ignored-file", "virtual-file", "too-large-file", "minified-file", "binary-file", "model-failed"],
]);

/** The status bar item: the suggestion, the reason why there is none, or a problem with the agent. */
export class StatusItem implements vscode.Disposable {
	private readonly item = vscode.window.createStatusBarItem("segue.status", vscode.StatusBarAlignment.Right, 100);
	private note: Notice | undefined;
	/** Why there is no agent. Shown until it has started. */
	private failure: Notice | undefined;
	private shown: DisplayedSuggestion | undefined;

	constructor() {
		this.item.name = "Segue";
		this.item.command = "segue.showMenu";
		this.item.show();
		this.update();
	}

	show(shown: DisplayedSuggestion | undefined): void {
		this.shown = shown;
		this.update();
	}

	/** Shows a reason or a problem until the next one. Undefined if the previous one no longer applies. */
	report(note: Notice | undefined): void {
		this.note = note;
		this.update();
	}

	/** Shows why there is no agent. */
	lose(failure: Notice): void {
		this.failure = failure;
		this.update();
	}

	/** Must be called when the agent starts. */
	clear(): void {
		this.failure = undefined;
		this.report(undefined);
	}

	/** A sentence about the current state. */
	get sentence(): string {
		if (this.shown !== undefined) {
			const { uri, place } = this.shown;
			const source = sourceAt(uri);
			const part = source && sourcePartAt(source, place);
			const line = part?.document.positionAt(place - part.from).line ?? 0;
			return suggestionText(this.shown, nameAt(uri, place), line);
		}
		const note = this.failure ?? this.note;
		return note === undefined ? "Start typing to get suggestions." : noticeText(note);
	}

	private update(): void {
		const { item, failure, shown, sentence } = this;
		const note = failure ?? this.note;
		const isProblem = shown === undefined && note !== undefined && note.kind !== "no-suggestion";
		const isLasting = shown === undefined && note !== undefined && LASTING.has(note.text);
		const label = sentence.length > LABEL_LENGTH_MAX ? `${sentence.slice(0, LABEL_LENGTH_MAX).trimEnd()}…` : sentence;
		const problem = isProblem ? `$(warning) Segue: ${label}` : undefined;
		const reason = isLasting ? `$(circle-slash) Segue: ${label}` : "$(arrow-right) Segue";
		const text = problem ?? (shown !== undefined ? "$(arrow-right) Segue: Tab" : reason);
		// Called for every movement of the cursor. VS Code draws the item again whenever a property is set.
		if (item.text === text && item.tooltip === sentence) return;
		item.text = text;
		item.tooltip = sentence;
		item.backgroundColor = isProblem ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
		item.accessibilityInformation = { label: `Segue. ${sentence}`, role: "button" };
	}

	dispose(): void {
		this.item.dispose();
	}
}
