import { useLayoutEffect, useRef } from "preact/hooks";
import { Modal } from "../widgets/modal.js";
import { ALT, ASK_KEY, MOD, UNDO_KEY } from "../widgets/modifier-key.js";

type Shortcut = readonly [keys: readonly string[], effect: string];

const SHORTCUTS: readonly (readonly [heading: string, shortcuts: readonly Shortcut[]])[] = [
	[
		"Suggestions",
		[
			[["Tab"], "Accept the suggestion, or go to it if it is not visible"],
			[["Esc"], "Dismiss the suggestion"],
			[[`${MOD} →`], "Accept the next word of a suggestion at the cursor"],
			[[`${MOD} ↓`], "Accept the next line of a suggestion at the cursor"],
			[[ASK_KEY], "Request a suggestion now"],
		],
	],
	[
		"Editor",
		[
			[[UNDO_KEY], "Undo, including an accepted suggestion"],
			[[`${MOD} F`], "Find and replace"],
			[[`${MOD} S`], "Save a file in an opened folder"],
			[["Esc", "Tab"], "Leave the editor with the keyboard: press one, then the other"],
		],
	],
	[
		"Page",
		[
			[["← →"], "Switch panels when a panel tab has the focus"],
			[["↑ ↓", "Enter"], "Move through a list and choose an item"],
			[[`${ALT} Enter`], "Start the next lesson of the guide when a lesson is done"],
			[[`${MOD} B`], "Hide or show the panels"],
			[["F1"], "Show this help"],
		],
	],
];

/** A dialog with all keyboard shortcuts. */
export function KeyboardHelp({ close }: { close: () => void }) {
	const button = useRef<HTMLButtonElement>(null);
	// In a short window, focusing the button without `preventScroll` would scroll past the title.
	useLayoutEffect(() => button.current?.focus({ preventScroll: true }), []);
	return (
		<Modal name="keyboard-help" label="Keyboard shortcuts" cancel={close}>
			<h2>Keyboard shortcuts</h2>
			{SHORTCUTS.map(([heading, shortcuts]) => (
				<section key={heading}>
					<h3>{heading}</h3>
					<dl>
						{shortcuts.map(([keys, effect]) => (
							<div key={effect}>
								<dt>
									{keys.map((key) => (
										<kbd key={key}>{key}</kbd>
									))}
								</dt>
								<dd>{effect}</dd>
							</div>
						))}
					</dl>
				</section>
			))}
			<div class="buttons">
				<button type="button" class="primary" ref={button} onClick={close}>
					Close
				</button>
			</div>
		</Modal>
	);
}
