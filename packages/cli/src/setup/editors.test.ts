import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { EDITOR_SETUPS, type EditorSetup, type UserPlatform } from "./editors.js";

const DOCS = readFileSync(path.join(import.meta.dirname, "../../../../docs/editors.md"), "utf8");

/** The page has the paths for Linux. */
const READER: UserPlatform = { home: "~", env: {}, platform: "linux" };

function sectionOf(setup: EditorSetup): string {
	const { editor, plugin, title, tested, language, text, notes } = setup;
	const command = `segue setup editor ${editor}${plugin === undefined ? "" : ` --with ${plugin}`}`;
	const status = tested === undefined ? "By protocol, untested" : `Tested with ${tested}`;
	const file = setup.files(READER).at(-1);
	const listed = notes.map((note) => `- ${note}\n`).join("");
	return `## ${title}\n\n${status}. \`${command}\` writes to \`${file}\`:\n\n\`\`\`${language}\n${text(["segue"])}\n\`\`\`\n\n${listed}`;
}

describe("docs/editors.md", () => {
	test.for(EDITOR_SETUPS.map((setup) => [setup.title, setup] as const))(
		"has the output of the command for %s",
		([, setup]) => {
			expect(DOCS).toContain(sectionOf(setup));
		},
	);

	test("has no other editor", () => {
		const titles = [...DOCS.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
		expect(titles).toEqual(EDITOR_SETUPS.map(({ title }) => title));
	});
});

describe("the configuration", () => {
	test.for(EDITOR_SETUPS.map((setup) => [setup.title, setup] as const))("quotes any command in %s", ([, setup]) => {
		const text = setup.text(["/opt/my node", '/home/a"b\\c/segue.js']);
		expect(text).toContain('"/opt/my node"');
		expect(text).toContain(String.raw`"/home/a\"b\\c/segue.js"`);
		if (setup.language === "json") expect(() => JSON.parse(text)).not.toThrow();
	});

	test.for<[string, Partial<UserPlatform>, string]>([
		["neovim", { env: { XDG_CONFIG_HOME: "/x" } }, "/x/nvim/plugin/segue.lua"],
		["neovim", { env: { XDG_CONFIG_HOME: "x" } }, "/u/.config/nvim/plugin/segue.lua"],
		["neovim", { env: { NVIM_APPNAME: "lazy" } }, "/u/.config/lazy/plugin/segue.lua"],
		["neovim", { platform: "win32", env: { LOCALAPPDATA: "/local" } }, "/local/nvim/plugin/segue.lua"],
		["helix", { platform: "darwin" }, "/u/.config/helix/languages.toml"],
		["helix", { platform: "win32", env: { APPDATA: "/roaming" } }, "/roaming/helix/languages.toml"],
		[
			"sublime",
			{ platform: "darwin" },
			"/u/Library/Application Support/Sublime Text/Packages/User/LSP.sublime-settings",
		],
		["vscode", {}, "/u/.config/Code/User/settings.json"],
		["vscode", { platform: "win32", env: { APPDATA: "/roaming" } }, "/roaming/Code/User/settings.json"],
		["zed", { platform: "win32", env: { APPDATA: "/roaming" } }, "/roaming/Zed/settings.json"],
	])("of %s is in the file that the editor reads: %j", ([name, user, file]) => {
		const setup = EDITOR_SETUPS.find(({ editor }) => editor === name);
		expect(setup?.files({ home: "/u", env: {}, platform: "linux", ...user }).at(-1)).toBe(path.normalize(file));
	});
});
