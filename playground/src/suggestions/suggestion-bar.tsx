import type { DisplayedSuggestion, Notice } from "@segue/editor";
import type { Playground } from "../playground.js";
import { MOD } from "../widgets/modifier-key.js";
import type { Workbench } from "../workbench/workbench.js";
import { isQuiet, wordsFor } from "./no-suggestion-reason.js";

/** One line under the editor: what is wrong with a file, why something is offered and what the keys do, or why nothing is. */
export function SuggestionBar({ playground }: { playground: Playground }) {
	const shown = playground.shown.value;
	return (
		<div class="offer-line" role="status" aria-live="polite">
			<FileTroubleLine playground={playground} />
			{shown === undefined ? (
				<NoSuggestion note={playground.note.value} />
			) : (
				<Offered shown={shown} playground={playground} />
			)}
		</div>
	);
}

function Offered({ shown, playground }: { shown: DisplayedSuggestion; playground: Playground }) {
	const { editor, bench, storyRunner } = playground;
	const isElsewhere = shown.as === "chip";
	const isDivisible = !isElsewhere && shown.kind === "edit";
	const key = (name: string | undefined, what: string, act: () => unknown) => (
		<button
			type="button"
			onClick={() => {
				storyRunner.takeOver();
				act();
				bench.view.focus();
			}}
		>
			{name && <kbd>{name}</kbd>} {what}
		</button>
	);
	const part = (how: "word" | "line", arrow: string) => {
		const accept = () => editor?.accept(how);
		// Where it is not at the cursor, these keys move the cursor; a click says what is meant.
		return shown.as === "ghost" ? key(`${MOD} ${arrow}`, how, accept) : key(undefined, `next ${how}`, accept);
	};
	return (
		<>
			<span class="why" data-testid="why" title={shown.why}>
				<InlineMarkdown text={shown.why ?? "A suggestion"} />
			</span>
			{/* Who has no such keys, as on a phone, presses these. */}
			<span class="keys">
				{key("Tab", isElsewhere ? "go there" : "take", () => editor?.tab())}
				{key("Esc", "reject", () => editor?.reject())}
				{isDivisible && part("word", "→")}
				{isDivisible && part("line", "↓")}
			</span>
		</>
	);
}

function NoSuggestion({ note }: { note: Notice | undefined }) {
	if (note === undefined) return <span class="silence">Nothing is offered.</span>;
	if (note.kind === "no-suggestion") {
		return (
			<span class="silence">
				{wordsFor(note.text)}
				{note.detail !== undefined && !isQuiet(note.text) && <span class="detail"> {note.detail}</span>}
			</span>
		);
	}
	return <span class="trouble">{note.text}</span>;
}

/** What is offered out of sight: an arrow with where it is. Tab, or a click, goes there. */
export function Chip({ playground }: { playground: Playground }) {
	const shown = playground.shown.value;
	if (shown === undefined || (shown.as !== "chip" && shown.kind !== "searchAndReplace")) return null;
	const { view, active } = playground.bench;
	const arrow = shown.uri === active.value ? arrowIn(playground.bench, shown) : "→";
	const go = () => {
		playground.storyRunner.takeOver();
		void playground.editor?.tab();
		view.focus();
	};
	return (
		<button type="button" class={`chip ${arrow === "↑" ? "above" : "below"}`} data-testid="chip" onClick={go}>
			<kbd>Tab</kbd> {arrow} {shown.uri === active.value ? "" : fileOf(shown.uri)}{" "}
			<InlineMarkdown text={labelOf(shown)} />
		</button>
	);
}

/** Which way it is from what is in sight of the same file. */
function arrowIn(bench: Workbench, { uri, place }: DisplayedSuggestion): "↑" | "↓" | "←" | "→" {
	const { visible, hidden = [] } = bench.viewOf(uri) ?? {};
	if (visible !== undefined && place < visible.from) return "↑";
	const part = hidden.find(({ from, to }) => from <= place && place <= to);
	if (part === undefined) return "↓";
	return part.from === bench.view.state.doc.lineAt(part.from).from ? "←" : "→";
}

function labelOf(shown: DisplayedSuggestion): string {
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

/** What went wrong with a file, and what can be done about it. */
function FileTroubleLine({ playground: { bench, files } }: { playground: Playground }) {
	const trouble = files.trouble.value;
	if (trouble === undefined) return null;
	const dismiss = { label: "Dismiss", go: () => (files.trouble.value = undefined) };
	return (
		<span class="trouble">
			{trouble.text}{" "}
			{[...trouble.ways, dismiss].map(({ label, go }) => (
				<button
					key={label}
					type="button"
					onClick={() => {
						go();
						bench.view.focus();
					}}
				>
					{label}
				</button>
			))}
		</span>
	);
}

/** A sentence, in which what stands between backticks is code. */
export function InlineMarkdown({ text }: { text: string }) {
	return <>{text.split("`").map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>;
}
