import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { installExtension } from "./install-vscode.mjs";

interface Ending {
	readonly platform?: NodeJS.Platform;
	readonly status?: number;
	readonly error?: Error;
}

/** Installs with the folders a and b on the PATH. Returns the commands and messages, with relative paths. */
async function install(name: string | undefined, files: readonly string[], ending: Ending = {}) {
	const root = mkdtempSync(path.join(tmpdir(), "segue-install-"));
	onTestFinished(() => rmSync(root, { recursive: true }));
	const short = (text: string) => text.replaceAll(`${root}${path.sep}`, "");
	const folders = ["a", "b"].map((name) => path.join(root, name));
	for (const folder of folders) mkdirSync(folder);
	for (const file of files) writeFileSync(path.join(root, file), "");
	const { platform = "linux", status = 0, error } = ending;
	const commands: string[] = [];
	const printed: string[] = [];
	const code = await installExtension(name, {
		platform,
		env: { PATH: folders.join(platform === "win32" ? ";" : ":") },
		pack: async () => "segue.vsix",
		run: (program: string, args: unknown) => {
			commands.push(short([program, ...(Array.isArray(args) ? args : [])].join(" ")));
			return { status, error };
		},
		print: (text: string) => printed.push(short(text)),
	});
	return { code, commands, printed: printed.join("\n") };
}

describe("npm run install:vscode", () => {
	test.for<[string, string | undefined, readonly string[], NodeJS.Platform, string]>([
		["the first editor that it knows", undefined, ["a/cursor", "b/codium"], "linux", "b/codium"],
		["the first one on the PATH", undefined, ["a/code", "b/code"], "linux", "a/code"],
		["the named editor", "cursor", ["a/code", "b/cursor"], "linux", "b/cursor"],
		["another editor by its name", "my-code", ["a/code", "b/my-code"], "darwin", "b/my-code"],
	])("uses %s", async ([, name, files, platform, program]) => {
		const { code, commands, printed } = await install(name, files, { platform });
		expect(commands).toEqual([`${program} --install-extension segue.vsix`]);
		expect({ code, printed }).toEqual({
			code: 0,
			printed: 'Installed. In the editor, run "Segue: Open the Walkthrough" from the command palette.',
		});
	});

	test("starts the batch file on Windows, with quotes", async () => {
		const { commands } = await install(undefined, ["a/code", "a/code.cmd"], { platform: "win32" });
		expect(commands).toEqual(['"a/code.cmd" --install-extension "segue.vsix"']);
	});

	test("names the package and the menu entry without an editor on the PATH", async () => {
		const { code, commands, printed } = await install(undefined, []);
		expect({ code, commands }).toEqual({ code: 0, commands: [] });
		expect(printed).toBe(
			'No editor found on the PATH (code, codium, cursor, windsurf, code-server). In the editor, open the Extensions view, choose "Install from VSIX…" in its "…" menu and select this file:\nsegue.vsix',
		);
	});

	test("fails if the named editor does not exist", async () => {
		expect(await install("vim", ["a/code"])).toEqual({
			code: 1,
			commands: [],
			printed:
				'Cannot find the editor "vim". Pass its path, or one of these if it is on the PATH: code, codium, cursor, windsurf, code-server.',
		});
	});

	test("says how to install by hand if the editor fails", async () => {
		const failed = await install(undefined, ["a/code"], { status: 1 });
		expect(failed.code).toBe(1);
		expect(failed.printed).toMatch(/^a\/code did not install the extension\. In the editor, .*:\nsegue\.vsix$/);
		const unstarted = await install(undefined, ["a/code"], { status: 1, error: new Error("spawn EACCES") });
		expect(unstarted.printed).toContain("did not install the extension (spawn EACCES).");
	});
});
