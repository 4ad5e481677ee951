import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** A dialog that the page waits for. With its end, however it comes, the focus is where it was before. */
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
		// Only one that is closed gives the focus back, and only as long as it is in the page: other effects end later.
		return () => element?.close();
	}, []);
	return (
		<dialog ref={dialog} class={name} aria-label={label} onCancel={cancel}>
			{children}
		</dialog>
	);
}
