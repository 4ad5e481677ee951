import { useSignal } from "@preact/signals";
import { errorText } from "@segue/text";
import { Icon } from "../widgets/icon.js";
import { Modal } from "../widgets/modal.js";
import { MOD } from "../widgets/modifier-key.js";
import { forgetRecentFolders, recentFolders } from "./recent-folders.js";

/** A dialog that asks for the path of a folder and explains what opening it allows. */
export function FolderDialog({
	open,
	close,
}: {
	open: (path: string, signal: AbortSignal) => Promise<void>;
	close: () => void;
}) {
	const path = useSignal("");
	const trouble = useSignal("");
	/** Set while the folder is being read, which takes a moment for a large folder. */
	const reading = useSignal<AbortController | undefined>(undefined);
	const isReading = reading.value !== undefined;
	const confirm = async (chosen: string) => {
		const control = new AbortController();
		reading.value = control;
		path.value = chosen;
		trouble.value = "";
		try {
			await open(chosen.trim(), control.signal);
			close();
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
					void confirm(path.value);
				}}
			>
				<h2>Open a folder</h2>
				<label>
					<span>Path to a folder on the machine that runs Segue</span>
					<input
						name="path"
						value={path.value}
						placeholder="/home/you/project"
						autocomplete="off"
						spellcheck={false}
						readOnly={isReading}
						onInput={({ currentTarget }) => (path.value = currentTarget.value)}
					/>
				</label>
				{recentFolders.value.length > 0 && <Recent isReading={isReading} open={(chosen) => void confirm(chosen)} />}
				<p class="remark">
					This page can then read the folder's files, and write those that you save with {MOD} S. Secret and ignored
					files are left out.
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
						Open
					</button>
				</div>
			</form>
		</Modal>
	);
}

function Recent({ isReading, open }: { isReading: boolean; open: (path: string) => void }) {
	return (
		<section class="recent" aria-label="Recent folders">
			<h3>
				Recent
				<button type="button" class="quiet" onClick={forgetRecentFolders}>
					Clear
				</button>
			</h3>
			<ul>
				{recentFolders.value.map((path) => (
					<li key={path}>
						<button type="button" disabled={isReading} onClick={() => open(path)}>
							<Icon name="folder" />
							<strong>{path.slice(path.lastIndexOf("/") + 1) || path}</strong> <span class="remark">{path}</span>
						</button>
					</li>
				))}
			</ul>
		</section>
	);
}
