import { useSignal } from "@preact/signals";
import type { Installation } from "../playground.js";
import { CommandLine } from "../widgets/command.js";
import { Modal } from "../widgets/modal.js";

/** The editors that `segue setup editor` supports, by their arguments on the command line. */
const EDITORS = {
	vscode: "VS Code",
	"neovim --with sidekick": "Neovim",
	emacs: "Emacs",
	helix: "Helix",
	zed: "Zed",
	kate: "Kate",
	sublime: "Sublime Text",
	jetbrains: "JetBrains IDEs",
};

/** Lets the user choose an editor, and shows the command that sets it up. */
export function EditorChoice({ installation: { command, install, installVscode } }: { installation: Installation }) {
	const editor = useSignal("vscode");
	const setup = `setup editor ${editor.value}`;
	// The configuration of an editor should not contain the path of a clone.
	const line = install === undefined ? `${command} ${setup}` : `${install} && segue ${setup}`;
	const isExtension = editor.value === "vscode" && installVscode !== undefined;
	return (
		<div class="editor-setup">
			<select
				aria-label="Your editor"
				value={editor.value}
				onChange={({ currentTarget }) => (editor.value = currentTarget.value)}
			>
				{Object.entries(EDITORS).map(([name, title]) => (
					<option key={name} value={name}>
						{title}
					</option>
				))}
			</select>
			<CommandLine line={isExtension ? installVscode : line} />
		</div>
	);
}

/** A dialog with the command that sets up the user's own editor. */
export function EditorDialog({ installation, close }: { installation: Installation; close: () => void }) {
	return (
		<Modal name="editor" label="Use Segue in your editor" cancel={close}>
			<h2>Use Segue in your editor</h2>
			<p>Choose your editor, and run the command in a terminal:</p>
			<EditorChoice installation={installation} />
			<p class="remark">For most editors, the command shows the configuration, and writes it after you confirm.</p>
			<div class="buttons">
				<button type="button" class="primary" onClick={close}>
					Close
				</button>
			</div>
		</Modal>
	);
}
