import type { Document } from "@segue/text";

/** The selection and the visible part of a document. */
export interface DocumentView {
	/** Where the selection began, and where the cursor is. */
	readonly anchor: number;
	readonly head: number;
	/** What of the document is on the screen: the lines. */
	readonly visible?: { readonly from: number; readonly to: number };
	/**
	 * What is not, all the same, both ends included: what is folded, and the parts of long lines that one would have to scroll
	 * to. What is suggested there is drawn as a chip, so that nobody takes what they have not seen.
	 */
	readonly hidden?: readonly { readonly from: number; readonly to: number }[];
}

/**
 * The host's view of a document, clamped to the known text. A host may be ahead by keystrokes that it has not reported yet, and
 * some hosts report the end of a range first.
 */
export function viewOf(
	host: { view(uri: string): DocumentView | undefined },
	{ uri, text }: Document,
): DocumentView | undefined {
	const view = host.view(uri);
	if (view === undefined) return undefined;
	const within = (offset: number) => Math.max(0, Math.min(offset, text.length));
	const range = ({ from, to }: { readonly from: number; readonly to: number }) => {
		return { from: within(Math.min(from, to)), to: within(Math.max(from, to)) };
	};
	const { anchor, head, visible, hidden } = view;
	return {
		anchor: within(anchor),
		head: within(head),
		...(visible && { visible: range(visible) }),
		...(hidden && { hidden: hidden.map(range) }),
	};
}
