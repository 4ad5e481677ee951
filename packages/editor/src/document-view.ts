import type { Document } from "@segue/text";

/**
 * The most characters of a document that plugins for web pages report. Agents handle larger files, but copies of them
 * would slow the page down.
 */
export const PAGE_TEXT_MAX = 20_000_000;

/** The selection and the visible part of a document. */
export interface DocumentView {
	/** The fixed end of the selection, and the cursor. */
	readonly anchor: number;
	readonly head: number;
	/** The range of the visible lines. */
	readonly visible?: { readonly from: number; readonly to: number };
	/**
	 * Ranges inside `visible` that are not visible, both ends included: folded code and the parts of long lines outside
	 * the window. A suggestion in such a range is shown as a chip, so that users never accept text they have not seen.
	 */
	readonly hidden?: readonly { readonly from: number; readonly to: number }[];
}

/**
 * Returns the host's view of a document, clamped to the known text. The view may already reflect keystrokes that the
 * host has not reported, and some hosts give the end of a range first.
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
