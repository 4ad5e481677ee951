import { useSignal } from "@preact/signals";
import { errorText } from "@segue/text";
import { Modal } from "../widgets/modal.js";
import { MOD } from "../widgets/modifier-key.js";

/** Asks which folder is to be opened, and says what that means. */
export function FolderDialog({
	open,
	close,
}: {
	open: (path: string, signal: AbortSignal) => Promise<void>;
	close: () => void;
}) {
	const path = useSignal("");
	const trouble = useSignal("");
	/** Set while the folder is being read: a large one takes a moment. */
	const reading = useSignal<AbortController | undefined>(undefined);
	const isReading = reading.value !== undefined;
	const confirm = async () => {
		const control = new AbortController();
		reading.value = control;
		trouble.value = "";
		try {
			await open(path.value.trim(), control.signal);
		} catch (error) {
			trouble.value = errorText(error);
			reading.value = undefined;
		}
	};
	const cancel = () => {
		reading.value?.abort();
		close();
	};
	return (
		<Modal name="folder" label="Open a folder" cancel={cancel}>
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
						readOnly={isReading}
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
				<p class="remark" role="status">
					{isReading && "Reading the folder…"}
				</p>
				<div class="buttons">
					<button type="button" onClick={cancel}>
						Cancel
					</button>
					<button type="submit" class="primary" disabled={path.value.trim() === "" || isReading}>
						Read and write this folder
					</button>
				</div>
			</form>
		</Modal>
	);
}
