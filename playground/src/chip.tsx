import type { Shown } from "@segue/editor";
import type { Playground } from "./playground.js";
import { Prose } from "./prose.js";

/** What is offered out of sight: an arrow with where it is. Tab, or a click, goes there. */
export function Chip({ playground }: { playground: Playground }) {
	const shown = playground.shown.value;
	if (shown === undefined || (shown.as !== "chip" && shown.kind !== "searchAndReplace")) return null;
	const { view, active } = playground.bench;
	const isHere = shown.uri === active.value;
	const at = offsetIn(shown);
	const isAbove = isHere && at < (playground.bench.viewOf(shown.uri)?.visible?.from ?? 0);
	const go = () => {
		void playground.editor?.tab();
		view.focus();
	};
	return (
		<button type="button" class={`chip ${isAbove ? "above" : "below"}`} data-testid="chip" onClick={go}>
			<kbd>Tab</kbd> {isHere ? (isAbove ? "↑" : "↓") : "→"} {isHere ? "" : fileOf(shown.uri)}{" "}
			<Prose text={labelOf(shown)} />
		</button>
	);
}

function labelOf(shown: Shown): string {
	switch (shown.kind) {
		case "edit":
			return shown.why ?? "an edit";
		case "jump":
			return shown.why ?? "go on there";
		case "rename":
			return `rename to \`${shown.newName}\``;
		case "searchAndReplace":
			return `replace \`${shown.search}\` with \`${shown.replace}\`: look it over`;
	}
}

function offsetIn(shown: Shown): number {
	if (shown.kind === "edit") return shown.edits[0]?.from ?? 0;
	return shown.kind === "searchAndReplace" ? 0 : shown.at;
}

function fileOf(uri: string): string {
	return decodeURIComponent(uri.slice(uri.lastIndexOf("/") + 1));
}
