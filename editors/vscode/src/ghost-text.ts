import type { DisplayedSuggestion } from "@segue/editor";
import * as vscode from "vscode";

/** Offers the suggestion to VS Code as ghost text, if it only inserts at the cursor. */
export class GhostText implements vscode.InlineCompletionItemProvider, vscode.Disposable {
	private readonly registration: vscode.Disposable;
	private shown: DisplayedSuggestion | undefined;

	constructor() {
		this.registration = vscode.languages.registerInlineCompletionItemProvider({ pattern: "**" }, this);
	}

	/** Whether VS Code shows ghost text at all. Otherwise the plugin draws it. */
	static isEnabledIn(document: vscode.TextDocument): boolean {
		return vscode.workspace.getConfiguration("editor", document).get("inlineSuggest.enabled", true);
	}

	show(shown: DisplayedSuggestion | undefined): void {
		const before = this.shown;
		this.shown = shown;
		// VS Code asks after every keystroke, but the agent answers later.
		const isNew = shown?.as === "ghost" && (before?.as !== "ghost" || before.id !== shown.id);
		if (isNew) void vscode.commands.executeCommand("editor.action.inlineSuggest.trigger");
		else if (shown?.as !== "ghost" && before?.as === "ghost") {
			void vscode.commands.executeCommand("editor.action.inlineSuggest.hide");
		}
	}

	provideInlineCompletionItems(
		document: vscode.TextDocument,
		position: vscode.Position,
	): vscode.InlineCompletionItem[] | undefined {
		const { shown } = this;
		if (shown?.kind !== "edit" || shown.as !== "ghost" || shown.uri !== document.uri.toString()) return undefined;
		const [edit] = shown.edits;
		if (edit === undefined || edit.to !== document.offsetAt(position)) return undefined;
		return [new vscode.InlineCompletionItem(edit.insert, new vscode.Range(position, position))];
	}

	dispose(): void {
		this.registration.dispose();
	}
}
