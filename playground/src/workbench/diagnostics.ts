import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import type { DocumentDiagnostic } from "@segue/editor";

/** What is wrong in the file that is in front, in place of what was before. */
export const diagnose = StateEffect.define<readonly DocumentDiagnostic[]>();

/** Draws a line under what is wrong, and says why to who points at it. */
export const diagnostics: Extension = StateField.define<DecorationSet>({
	create: () => Decoration.none,
	update: (drawn, transaction) => {
		const said = transaction.effects.findLast((effect) => effect.is(diagnose));
		if (said === undefined) return drawn.map(transaction.changes);
		const { length } = transaction.state.doc;
		const marks = said.value
			.filter(({ from, to }) => from < to && to <= length)
			.map(({ from, to, severity, message }) => {
				return Decoration.mark({ class: `diagnostic ${severity}`, attributes: { title: message } }).range(from, to);
			});
		return Decoration.set(marks, true);
	},
	provide: (field) => EditorView.decorations.from(field),
});
