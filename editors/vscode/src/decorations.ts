import * as vscode from "vscode";
import { NOTHING_DRAWN, type SuggestionDrawing } from "./drawing.js";

/** Shows drawings in editors with decorations. */
export class SuggestionDecorations implements vscode.Disposable {
	private readonly removed = vscode.window.createTextEditorDecorationType({
		backgroundColor: new vscode.ThemeColor("diffEditor.removedTextBackground"),
		textDecoration: "line-through",
		rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
	});
	private readonly added: Type;
	private readonly ghost: Type;
	private readonly box: Type;
	private readonly hint: Type;
	private readonly arrows: Readonly<Record<ArrowName, Type>>;
	private drawnIn: vscode.TextEditor | undefined;
	/** The current drawing, as JSON. */
	private drawn = "";

	constructor(extensionUri: vscode.Uri) {
		const types = Array.from({ length: 4 }, () => vscode.window.createTextEditorDecorationType(CLOSED));
		// VS Code orders texts at one position by the keys of their types. The label comes last.
		types.sort((a, b) => (a.key < b.key ? -1 : 1));
		[this.added, this.ghost, this.box, this.hint] = types as [Type, Type, Type, Type];
		const arrow = (name: ArrowName) => {
			const gutterIconPath = vscode.Uri.joinPath(extensionUri, "media", `arrow-${name}.svg`);
			return vscode.window.createTextEditorDecorationType({
				gutterIconPath,
				gutterIconSize: "contain",
				overviewRulerColor: new vscode.ThemeColor("editorGutter.addedBackground"),
				overviewRulerLane: vscode.OverviewRulerLane.Left,
			});
		};
		this.arrows = { here: arrow("here"), up: arrow("up"), down: arrow("down") };
	}

	/** Replaces what is drawn. `why` is shown when the mouse rests on the label's line. */
	draw(editor: vscode.TextEditor | undefined, drawing: SuggestionDrawing, why: string | undefined): void {
		// Called for every movement of the cursor. VS Code moves decorations with the text.
		const drawn = JSON.stringify([drawing, why]);
		if (this.drawnIn === editor && this.drawn === drawn) return;
		if (this.drawnIn !== undefined && this.drawnIn !== editor) this.set(this.drawnIn, NOTHING_DRAWN, undefined);
		this.drawnIn = editor;
		this.drawn = drawn;
		if (editor !== undefined) this.set(editor, drawing, why);
	}

	private set(editor: vscode.TextEditor, drawing: SuggestionDrawing, why: string | undefined): void {
		const { document } = editor;
		const at = (offset: number) => document.positionAt(offset);
		const endOf = (line: number) => document.lineAt(Math.min(line, document.lineCount - 1)).range.end;
		const { removed, added, ghost, box, arrow, hint } = drawing;
		editor.setDecorations(
			this.removed,
			removed.map(({ from, to }) => new vscode.Range(at(from), at(to))),
		);
		editor.setDecorations(
			this.added,
			added.map((one) => textAfter(at(one.at), one.text, ADDED)),
		);
		editor.setDecorations(this.ghost, ghost === undefined ? [] : [textAfter(at(ghost.at), ghost.text, GHOST)]);
		editor.setDecorations(
			this.box,
			box.map((one) => {
				const style = one.isNew ? ADDED_LINE : KEPT_LINE;
				return textAfter(endOf(one.line), one.text, { ...style, margin: `0 0 0 ${one.gap}ch` });
			}),
		);
		const explained = why === undefined ? {} : { hoverMessage: why };
		editor.setDecorations(
			this.hint,
			hint === undefined ? [] : [{ ...textAfter(endOf(hint.line), ` ${hint.text} `, HINT), ...explained }],
		);
		for (const [name, type] of Object.entries(this.arrows)) {
			const line = arrow?.points === name ? endOf(arrow.line) : undefined;
			editor.setDecorations(type, line === undefined ? [] : [new vscode.Range(line, line)]);
		}
	}

	dispose(): void {
		const { removed, added, ghost, box, hint, arrows } = this;
		for (const type of [removed, added, ghost, box, hint, ...Object.values(arrows)]) type.dispose();
	}
}

type Type = vscode.TextEditorDecorationType;
type ArrowName = NonNullable<SuggestionDrawing["arrow"]>["points"];
type TextStyle = vscode.ThemableDecorationAttachmentRenderOptions;

const CLOSED = { rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed };
const INSERTED = new vscode.ThemeColor("diffEditor.insertedTextBackground");
const ADDED: TextStyle = { color: new vscode.ThemeColor("editor.foreground"), backgroundColor: INSERTED };
const GHOST: TextStyle = { color: new vscode.ThemeColor("editorGhostText.foreground") };
const ADDED_LINE: TextStyle = ADDED;
const KEPT_LINE: TextStyle = {
	color: new vscode.ThemeColor("editor.foreground"),
	backgroundColor: new vscode.ThemeColor("editorWidget.background"),
};
const HINT: TextStyle = {
	color: new vscode.ThemeColor("editorInlayHint.foreground"),
	backgroundColor: new vscode.ThemeColor("editorInlayHint.background"),
	border: "1px solid",
	borderColor: new vscode.ThemeColor("editorWidget.border"),
	margin: "0 0 0 2ch",
};

function textAfter(position: vscode.Position, text: string, style: TextStyle): vscode.DecorationOptions {
	// Ordinary spaces would collapse.
	const contentText = text.replaceAll("\t", "    ").replaceAll(" ", "\u00a0");
	return { range: new vscode.Range(position, position), renderOptions: { after: { ...style, contentText } } };
}
