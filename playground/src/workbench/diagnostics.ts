import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import type { DocumentDiagnostic } from "@segue/editor";

/** Replaces the diagnostics of the active file. */
export const diagnose = StateEffect.define<readonly DocumentDiagnostic[]>();

/** Underlines diagnostics and shows their messages in tooltips. */
export const diagnostics: Extension = StateField.define<DecorationSet>({
	create: () => Decoration.none,
	update: (drawn, transaction) => {
		const effect = transaction.effects.findLast((effect) => effect.is(diagnose));
		if (effect === undefined) return drawn.map(transaction.changes);
		const { length } = transaction.state.doc;
		const marks = effect.value
			.filter(({ from, to }) => from < to && to <= length)
			.map(({ from, to, severity, message }) => {
				return Decoration.mark({ class: `diagnostic ${severity}`, attributes: { title: message } }).range(from, to);
			});
		return Decoration.set(marks, true);
	},
	provide: (field) => EditorView.decorations.from(field),
});
