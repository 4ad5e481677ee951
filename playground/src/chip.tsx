import type { Shown } from "@segue/editor";
import type { Playground } from "./playground.js";
import { Prose } from "./prose.js";
import type { Workbench } from "./workbench.js";

/** What is offered out of sight: an arrow with where it is. Tab, or a click, goes there. */
export function Chip({ playground }: { playground: Playground }) {
	const shown = playground.shown.value;
	if (shown === undefined || (shown.as !== "chip" && shown.kind !== "searchAndReplace")) return null;
	const { view, active } = playground.bench;
	const arrow = shown.uri === active.value ? arrowIn(playground.bench, shown) : "→";
	const go = () => {
		playground.storyteller.takeOver();
		void playground.editor?.tab();
		view.focus();
	};
	return (
		<button type="button" class={`chip ${arrow === "↑" ? "above" : "below"}`} data-testid="chip" onClick={go}>
			<kbd>Tab</kbd> {arrow} {shown.uri === active.value ? "" : fileOf(shown.uri)} <Prose text={labelOf(shown)} />
		</button>
	);
}

/** Which way it is from what is in sight of the same file. */
function arrowIn(bench: Workbench, { uri, place }: Shown): "↑" | "↓" | "←" | "→" {
	const { visible, hidden = [] } = bench.viewOf(uri) ?? {};
	if (visible !== undefined && place < visible.from) return "↑";
	const part = hidden.find(({ from, to }) => from <= place && place <= to);
	if (part === undefined) return "↓";
	return part.from === bench.view.state.doc.lineAt(part.from).from ? "←" : "→";
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

function fileOf(uri: string): string {
	return decodeURIComponent(uri.slice(uri.lastIndexOf("/") + 1));
}
