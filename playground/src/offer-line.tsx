import type { Note, Shown } from "@segue/editor";
import { MOD } from "./keys.js";
import type { Playground } from "./playground.js";
import { Prose } from "./prose.js";
import { wordsFor } from "./silence.js";

/** One line under the editor: what is wrong with a file, why something is offered and what the keys do, or why nothing is. */
export function OfferLine({ playground }: { playground: Playground }) {
	const shown = playground.shown.value;
	const { trouble } = playground;
	return (
		<div class="offer-line" role="status" aria-live="polite">
			{trouble.value !== "" && (
				<span class="trouble">
					{trouble.value}{" "}
					<button type="button" onClick={() => (trouble.value = "")}>
						Dismiss
					</button>
				</span>
			)}
			{shown === undefined ? (
				<Silence note={playground.note.value} />
			) : (
				<Offered shown={shown} playground={playground} />
			)}
		</div>
	);
}

function Offered({ shown, playground: { editor, bench } }: { shown: Shown; playground: Playground }) {
	const isElsewhere = shown.as === "chip";
	const key = (name: string, what: string, act: () => unknown) => (
		<button
			type="button"
			onClick={() => {
				act();
				bench.view.focus();
			}}
		>
			<kbd>{name}</kbd> {what}
		</button>
	);
	return (
		<>
			<span class="why" data-testid="why" title={shown.why}>
				<Prose text={shown.why ?? "A suggestion"} />
			</span>
			{/* Who has no such keys, as on a phone, presses these. */}
			<span class="keys">
				{key("Tab", isElsewhere ? "go there" : "take", () => editor?.tab())}
				{key("Esc", "reject", () => editor?.reject())}
				{!isElsewhere && shown.kind === "edit" && key(`${MOD} →`, "word", () => editor?.accept("word"))}
				{!isElsewhere && shown.kind === "edit" && key(`${MOD} ↓`, "line", () => editor?.accept("line"))}
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
				{note.detail !== undefined && <span class="detail"> {note.detail}</span>}
			</span>
		);
	}
	return <span class="trouble">{note.text}</span>;
}
