import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { MOD } from "./keys.js";

/** Asks which folder is to be opened, and says what that means. */
export function FolderDialog({ open, close }: { open: (path: string) => Promise<void>; close: () => void }) {
	const dialog = useRef<HTMLDialogElement>(null);
	const path = useSignal("");
	const trouble = useSignal("");
	useEffect(() => dialog.current?.showModal(), []);
	const confirm = async () => {
		try {
			await open(path.value);
		} catch (error) {
			trouble.value = error instanceof Error ? error.message : String(error);
		}
	};
	return (
		<dialog ref={dialog} class="folder" aria-label="Open a folder" onCancel={close}>
			<form
				onSubmit={(event) => {
					event.preventDefault();
					void confirm();
				}}
			>
				<h2>Open a folder</h2>
				<label>
					<span>Its full path, on the machine that Segue runs on</span>
					<input
						name="path"
						value={path.value}
						placeholder="/home/you/project"
						onInput={({ currentTarget }) => (path.value = currentTarget.value)}
					/>
				</label>
				<p class="remark">
					This page can then read its files, and write those that you save with {MOD} S. Secret and ignored files are
					left out.
				</p>
				{trouble.value !== "" && (
					<p class="trouble" role="alert">
						{trouble.value}
					</p>
				)}
				<div class="buttons">
					<button type="button" onClick={close}>
						Cancel
					</button>
					<button type="submit" class="primary" disabled={path.value === ""}>
						Read and write this folder
					</button>
				</div>
			</form>
		</dialog>
	);
}
