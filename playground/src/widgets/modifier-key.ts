const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** The name of the modifier key for most shortcuts, chosen in the same way as in CodeMirror. */
export const MOD = isMac ? "⌘" : "Ctrl";

/** Whether only this modifier of the two is pressed. */
export function isMod({ metaKey, ctrlKey }: KeyboardEvent): boolean {
	return isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey;
}

/** The name of the key that CodeMirror calls Alt. */
export const ALT = isMac ? "⌥" : "Alt";

/** The key that asks for a suggestion now, as the page shows it. */
export const ASK_KEY = `${ALT} \\`;

export const UNDO_KEY = `${MOD} Z`;
