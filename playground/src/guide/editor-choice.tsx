import { useSignal } from "@preact/signals";
import type { Installation } from "../playground.js";
import { CommandLine } from "../widgets/command.js";

/** The editors that `segue setup editor` supports, by their names on the command line. */
const EDITORS = {
	vscode: "VS Code",
	neovim: "Neovim",
	emacs: "Emacs",
	helix: "Helix",
	zed: "Zed",
	kate: "Kate",
	sublime: "Sublime Text",
	jetbrains: "JetBrains IDEs (chat only)",
};

/** Lets the user choose an editor, and shows the command that sets it up. */
export function EditorChoice({ installation: { command, installVscode } }: { installation: Installation }) {
	const editor = useSignal("vscode");
	const isExtension = editor.value === "vscode" && installVscode !== undefined;
	return (
		<span class="editor-choice">
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
			<CommandLine line={isExtension ? installVscode : `${command} setup editor ${editor.value}`} />
		</span>
	);
}
