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

/**
 * Returns the name of the key that accepts, as users of this platform know it, for example `Ctrl Enter`. Returns an empty
 * string if no key does.
 */
export function acceptKeyName(
	{ KeyCode, KeyMod }: Pick<typeof monaco, "KeyCode" | "KeyMod">,
	{ accept = KeyCode.Tab }: MonacoKeys = {},
): string {
	const isMac = /Mac|iP(?:hone|ad)/.test(navigator.platform);
	const modifiers: readonly [number, string][] = [
		[KeyMod.CtrlCmd, isMac ? "⌘" : "Ctrl"],
		[KeyMod.WinCtrl, isMac ? "Ctrl" : "Win"],
		[KeyMod.Shift, "Shift"],
		[KeyMod.Alt, isMac ? "⌥" : "Alt"],
	];
	const nameOf = (key: number): string => {
		const name = (KeyCode[key & 0xff] ?? "").replace(/^Key|^Digit|Arrow$/, "");
		return [...modifiers.flatMap(([bit, modifier]) => (key & bit ? [modifier] : [])), name].join(" ");
	};
	// The high bits contain the second part of a chord.
	const parts = [accept & 0xffff, accept >>> 16].filter((part) => part !== 0);
	return parts.map(nameOf).join(", ");
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
		// Only Tab has another meaning in the white space at the start of a line. Without a suggestion, the command does
		// nothing.
		const isTab = (keys.accept ?? KeyCode.Tab) === KeyCode.Tab;
		const accepts = isTab ? `${either(TAB_ACCEPTS)} || ${isFree} && ${TAB_IS_IGNORED}` : either();
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
