import type * as monaco from "monaco-editor";

export type SuggestionCommand = "accept" | "dismiss" | "acceptWord" | "acceptLine" | "request";

/**
 * Keys for the commands as Monaco's keybindings, for example `KeyMod.Alt | KeyCode.Enter`. 0 leaves a command without a
 * key.
 */
export type MonacoKeys = { readonly [command in SuggestionCommand]?: number };

export interface KeyOptions {
	/** Other keys for the commands. */
	readonly keys?: MonacoKeys;
	/** Whether the keys apply even if the completion list is open or a snippet has fields left. Default: false. */
	readonly keysFirst?: boolean;
}

/** The state of the suggestion in an editor, for the conditions of its keys. */
export interface SuggestionContext {
	/** "ghost" while Monaco draws it, "drawn" while the plugin draws it. */
	readonly shown: "ghost" | "drawn" | "";
	readonly tabIndents: boolean;
}

const IS_FREE = "editorTextFocus && !editorHasMultipleSelections";
const HAS_NO_MENU = "!suggestWidgetVisible && !inSnippetMode";
const IS_GHOST = "segueSuggestion == 'ghost' && inlineSuggestionVisible";
const IS_DRAWN = "segueSuggestion == 'drawn'";
const TAB_ACCEPTS = "!editorTabMovesFocus && !segueTabIndents";
const TAB_IS_IGNORED = "!editorTabMovesFocus && segueTabIgnored && segueSuggestion == ''";

/**
 * Adds the commands for suggestions to an editor, with their keys. Each key keeps its usual meaning while it does not
 * apply to a suggestion.
 */
export class SuggestionActions {
	private readonly shown: monaco.editor.IContextKey<string>;
	private readonly tabIndents: monaco.editor.IContextKey<boolean>;
	private readonly tabIgnored: monaco.editor.IContextKey<boolean>;
	private readonly actions: readonly monaco.IDisposable[];

	constructor(
		{ KeyCode, KeyMod }: Pick<typeof monaco, "KeyCode" | "KeyMod">,
		editor: monaco.editor.IStandaloneCodeEditor,
		{ keys = {}, keysFirst = false }: KeyOptions,
		run: (command: SuggestionCommand) => void,
	) {
		this.shown = editor.createContextKey("segueSuggestion", "");
		this.tabIndents = editor.createContextKey("segueTabIndents", false);
		this.tabIgnored = editor.createContextKey("segueTabIgnored", false);
		const isFree = keysFirst ? IS_FREE : `${IS_FREE} && ${HAS_NO_MENU}`;
		const ghost = `${isFree} && ${IS_GHOST}`;
		const either = (condition?: string) => {
			return [ghost, `${isFree} && ${IS_DRAWN}`]
				.map((one) => (condition ? `${one} && ${condition}` : one))
				.join(" || ");
		};
		// Without a suggestion, the command does nothing.
		const accepts = `${either(TAB_ACCEPTS)} || ${isFree} && ${TAB_IS_IGNORED}`;
		const commands: readonly [SuggestionCommand, string, number, string | undefined][] = [
			["accept", "Segue: Accept Suggestion or Go to It", KeyCode.Tab, accepts],
			["dismiss", "Segue: Dismiss Suggestion", KeyCode.Escape, either()],
			// These keys move the cursor, so they accept only text that starts at the cursor.
			["acceptWord", "Segue: Accept Next Word", KeyMod.CtrlCmd | KeyCode.RightArrow, ghost],
			["acceptLine", "Segue: Accept Next Line", KeyMod.CtrlCmd | KeyCode.DownArrow, ghost],
			["request", "Segue: Suggest an Edit", KeyMod.Alt | KeyCode.Backslash, undefined],
		];
		this.actions = commands.map(([command, label, usual, condition]) => {
			const key = keys[command] ?? usual;
			return editor.addAction({
				id: `segue.${command}`,
				label,
				keybindings: key === 0 ? [] : [key],
				keybindingContext: condition ?? "editorTextFocus",
				...(condition !== undefined && { precondition: condition }),
				run: () => run(command),
			});
		});
	}

	update({ shown, tabIndents }: SuggestionContext): void {
		this.shown.set(shown);
		this.tabIndents.set(tabIndents);
	}

	/** Keeps a surplus Tab from indenting. */
	ignoreTab(isIgnored: boolean): void {
		this.tabIgnored.set(isIgnored);
	}

	dispose(): void {
		for (const action of this.actions) action.dispose();
		this.shown.reset();
		this.tabIndents.reset();
		this.tabIgnored.reset();
	}
}
