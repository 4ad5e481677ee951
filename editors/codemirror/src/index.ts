export { serverAgent, type WorkerAgentOptions, workerAgent } from "@segue/editor";
export { changeCauseOf, changesOf, SUGGESTION_EVENT, transactionEdits } from "./changes.js";
export { Segue, type SegueConfig, type SegueFile } from "./segue.js";
export { suggestionChip } from "./suggestion-chip.js";
export { showSuggestion, suggestionDrawing } from "./suggestion-drawing.js";
export { type SuggestionKeys, suggestionKeys } from "./suggestion-keys.js";
export { suggestionTheme } from "./suggestion-theme.js";
export { scrollToOffset, ViewportTracker } from "./viewport.js";
