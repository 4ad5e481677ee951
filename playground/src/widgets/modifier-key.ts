/** What the key is called here that most other keys are pressed with. The editor asks the browser for the same. */
export const MOD = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";
