// Packages the VS Code extension and installs it: `npm run install:vscode`, or `npm run install:vscode -- EDITOR`.
import { spawnSync } from "node:child_process";
import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Programs of VS Code and of editors based on it, in the order in which they are used. */
const EDITORS = ["code", "codium", "cursor", "windsurf", "code-server"];

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
	const { platform, env, argv } = process;
	const pack = async () => (await import("./package-vscode.mjs")).packagePath;
	process.exitCode = await installExtension(argv[2], { platform, env, pack, run: spawnSync, print: console.error });
}

/**
 * Installs the extension in the named editor, or in the first one on the PATH. `pack` builds the package and returns its
 * path. Returns the exit code.
 */
export async function installExtension(name, { platform, env, pack, run, print }) {
	const [editor] = (name === undefined ? EDITORS : [name]).flatMap((one) => programOf(one, env, platform) ?? []);
	if (name !== undefined && editor === undefined) {
		print(
			`Cannot find the editor "${name}". Pass its path, or one of these if it is on the PATH: ${EDITORS.join(", ")}.`,
		);
		return 1;
	}
	const file = await pack();
	const byHand = `In the editor, open the Extensions view, choose "Install from VSIX…" in its "…" menu and select this file:\n${file}`;
	if (editor === undefined) {
		print(`No editor found on the PATH (${EDITORS.join(", ")}). ${byHand}`);
		return 0;
	}
	const { status, error } = /\.(?:cmd|bat)$/i.test(editor)
		? // Windows starts batch files only in a shell, which needs the quotes.
			run(`"${editor}" --install-extension "${file}"`, { stdio: "inherit", shell: true })
		: run(editor, ["--install-extension", file], { stdio: "inherit" });
	if (status === 0) {
		print('Installed. In the editor, run "Segue: Open the Walkthrough" from the command palette.');
		return 0;
	}
	print(`${editor} did not install the extension${error === undefined ? "" : ` (${error.message})`}. ${byHand}`);
	return 1;
}

/** Returns the file of a program that is given as a path or as a name on the PATH, or undefined if there is none. */
function programOf(name, env, platform) {
	const isWindows = platform === "win32";
	const folders = /[/\\]/.test(name) ? [""] : (env.PATH ?? env.Path ?? "").split(isWindows ? ";" : ":").filter(Boolean);
	// On Windows, the file without an ending is a script for other shells.
	const endings = isWindows && !/\.\w+$/.test(name) ? [".cmd", ".exe", ".bat"] : [""];
	return folders
		.flatMap((folder) => endings.map((ending) => path.join(folder, `${name}${ending}`)))
		.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}
