import type { Note, Shown } from "@segue/editor";
import { FileTroubleLine } from "./file-trouble.js";
import { MOD } from "./keys.js";
import type { Playground } from "./playground.js";
import { Prose } from "./prose.js";
import { isQuiet, wordsFor } from "./silence.js";

/** One line under the editor: what is wrong with a file, why something is offered and what the keys do, or why nothing is. */
export function OfferLine({ playground }: { playground: Playground }) {
	const shown = playground.shown.value;
	return (
		<div class="offer-line" role="status" aria-live="polite">
			<FileTroubleLine playground={playground} />
			{shown === undefined ? (
				<Silence note={playground.note.value} />
			) : (
				<Offered shown={shown} playground={playground} />
			)}
		</div>
	);
}

function Offered({ shown, playground }: { shown: Shown; playground: Playground }) {
	const { editor, bench, storyteller } = playground;
	const isElsewhere = shown.as === "chip";
	const isDivisible = !isElsewhere && shown.kind === "edit";
	const key = (name: string | undefined, what: string, act: () => unknown) => (
		<button
			type="button"
			onClick={() => {
				storyteller.takeOver();
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
				<Prose text={shown.why ?? "A suggestion"} />
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

function Silence({ note }: { note: Note | undefined }) {
	if (note === undefined) return <span class="silence">Nothing is offered.</span>;
	if (note.kind === "silence") {
		return (
			<span class="silence">
				{wordsFor(note.text)}
				{note.detail !== undefined && !isQuiet(note.text) && <span class="detail"> {note.detail}</span>}
			</span>
		);
	}
	return <span class="trouble">{note.text}</span>;
}
