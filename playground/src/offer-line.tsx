import type { Note, Shown } from "@segue/editor";
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
			{shown === undefined ? <Silence note={playground.note.value} /> : <Offered shown={shown} />}
		</div>
	);
}

function Offered({ shown }: { shown: Shown }) {
	return (
		<>
			<span class="why" data-testid="why">
				<Prose text={shown.why ?? "A suggestion"} />
			</span>
			<span class="keys">
				<kbd>Tab</kbd> {shown.as === "chip" ? "go there" : "take"} <kbd>Esc</kbd> reject
				{shown.as !== "chip" && shown.kind === "edit" && (
					<>
						{" "}
						<kbd>Ctrl →</kbd> word <kbd>Ctrl ↓</kbd> line
					</>
				)}
			</span>
		</>
	);
}

function Silence({ note }: { note: Note | undefined }) {
	if (note === undefined) return <span class="silence">Nothing is offered.</span>;
	if (note.kind === "silence") return <span class="silence">{wordsFor(note.text)}</span>;
	return <span class="trouble">{note.text}</span>;
}
