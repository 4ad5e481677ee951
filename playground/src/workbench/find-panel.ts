import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import type { Extension } from "@codemirror/state";
import { keymap } from "@codemirror/view";

export { openSearchPanel } from "@codemirror/search";

/** Find and replace, with its keys. Loaded on the first search. */
export const findPanel: Extension = [search({ top: true }), keymap.of(searchKeymap), highlightSelectionMatches()];
