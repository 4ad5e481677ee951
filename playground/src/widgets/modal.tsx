import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** A modal dialog. When it closes, the focus returns to where it was. */
export function Modal({
	name,
	label,
	cancel,
	children,
}: {
	name: string;
	label: string;
	cancel: () => void;
	children: ComponentChildren;
}) {
	const dialog = useRef<HTMLDialogElement>(null);
	useLayoutEffect(() => {
		const element = dialog.current;
		element?.showModal();
		// `close` returns the focus only while the dialog is in the page. A plain effect would be cleaned up too late.
		return () => element?.close();
	}, []);
	return (
		<dialog ref={dialog} class={name} aria-label={label} onCancel={cancel}>
			{children}
		</dialog>
	);
}
