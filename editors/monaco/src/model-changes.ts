import type { ChangeCause } from "@segue/editor";
import { Change, type Edit } from "@segue/text";
import type { editor } from "monaco-editor";

// Monaco's offsets count the line ends of the model, so they are the offsets of its text.

/**
 * Returns the changes in an event as one change. Each of Monaco's changes applies to the result of the ones before it.
 * Throws a RangeError if they do not fit a text of this length.
 */
export function changeOf(
	changes: readonly Pick<editor.IModelContentChange, "rangeOffset" | "rangeLength" | "text">[],
	lengthBefore: number,
): Change {
	const edits = changes.map(({ rangeOffset, rangeLength, text }) => {
		return { from: rangeOffset, to: rangeOffset + rangeLength, insert: text };
	});
	// Usually they are ordered from the end of the document to its start, so that no change moves the next.
	const isDescending = edits.every(({ to }, i) => to <= (edits[i - 1]?.from ?? Number.POSITIVE_INFINITY));
	if (isDescending) return Change.of(edits.toReversed(), lengthBefore);
	return edits.reduce(
		(change, edit) => change.compose(Change.of([edit], change.lengthAfter)),
		Change.of([], lengthBefore),
	);
}

/** Returns the cause of a change. Changes to a model without the keyboard's focus come from the page. */
export function modelChangeCauseOf(
	{ isUndoing, isRedoing }: Pick<editor.IModelContentChangedEvent, "isUndoing" | "isRedoing">,
	{ isPasting, hasFocus }: { readonly isPasting: boolean; readonly hasFocus: boolean },
): ChangeCause {
	if (isUndoing) return "undo";
	if (isRedoing) return "redo";
	if (!hasFocus) return "other";
	return isPasting ? "paste" : "typing";
}

/** Returns the operations that apply edits to a model. */
export function operationsOf(
	edits: readonly Edit[],
	model: Pick<editor.ITextModel, "getPositionAt">,
): editor.IIdentifiedSingleEditOperation[] {
	return edits.map(({ from, to, insert }) => {
		const start = model.getPositionAt(from);
		const end = model.getPositionAt(to);
		const range = {
			...{ startLineNumber: start.lineNumber, startColumn: start.column },
			...{ endLineNumber: end.lineNumber, endColumn: end.column },
		};
		return { range, text: insert, forceMoveMarkers: true };
	});
}
