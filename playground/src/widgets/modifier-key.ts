const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** The name of the modifier key for most shortcuts, chosen in the same way as in CodeMirror. */
export const MOD = isMac ? "⌘" : "Ctrl";

/** The name of the key that CodeMirror calls Alt. */
export const ALT = isMac ? "⌥" : "Alt";
