import type { Document } from "@segue/text";
import type { Host, View } from "./host.js";

/**
 * What the user sees of a document, within the text that is known of it. A host may be ahead by keystrokes that it has not
 * reported yet, and some say where a range ends first.
 */
export function viewOf(host: Pick<Host, "view">, { uri, text }: Document): View | undefined {
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
