import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { EditorSetup, UserPlatform } from "./editor-setup.js";
import { EDITOR_SETUPS } from "./editors.js";

const DOCS = readFileSync(path.join(import.meta.dirname, "../../../../docs/editors.md"), "utf8");

/** The page shows the paths on Linux. */
const READER: UserPlatform = { home: "/home/you", env: {}, platform: "linux" };

function sectionOf(setup: EditorSetup): string {
	const { editor, plugin, title, language, notes } = setup;
	const command = `segue setup editor ${editor}${plugin === undefined ? "" : ` --with ${plugin}`}`;
	const script = setup.script?.(READER, ["segue"]);
	const text = setup.text(["segue"], script?.file);
	const scripted =
		script === undefined
			? ""
			: `It also writes \`${shortened(script.file)}\`, which must be executable:\n\n\`\`\`sh\n${script.text}\n\`\`\`\n\n`;
	const listed = notes.map((note) => `- ${note}\n`).join("");
	const file = `\`${shortened(setup.files(READER).at(-1))}\``;
	const steps = setup.steps?.map((step, i) => `${i + 1}. ${step}`).join("\n");
	const heading = `### ${title}\n\n${statusOf(setup)}. \`${command}\``;
	const snippet = `\`\`\`${language}\n${text}\n\`\`\`\n`;
	return steps === undefined
		? `${heading} writes to ${file}:\n\n${snippet}\n${scripted}${listed}`
		: `${heading} shows these steps:\n\n${steps}\n\n${listed}\nWith \`--yes\` it writes to ${file}:\n\n${snippet}`;
}

function statusOf({ tested }: EditorSetup): string {
	return tested === undefined ? "Untested" : `Tested with ${tested}`;
}

function shortened(file = ""): string {
	return file.replace(READER.home, "~");
}

/** The table at the top of the page: one row per editor, with links to its setups. */
function overview(): string {
	const editors = [...new Set(EDITOR_SETUPS.map(({ editor }) => editor))];
	const rows = editors.map((name) => {
		const setups = EDITOR_SETUPS.filter(({ editor }) => editor === name);
		const cells = (["next edits", "chat"] as const).map((feature) => {
			const links = setups.flatMap((setup) => {
				if (setup.gives.includes(feature)) return linkTo(setup);
				const { nextEditsWith } = setup;
				return feature === "next edits" && nextEditsWith !== undefined ? linkTo(setup, nextEditsWith) : [];
			});
			return links.length === 0 ? "–" : links.join(", ");
		});
		return `| ${[setups[0]?.title.split(", ")[0], ...cells].join(" | ")} |\n`;
	});
	return `| editor | next edits | chat |\n| --- | --- | --- |\n${rows.join("")}`;
}

function linkTo({ title, tested }: EditorSetup, plugin = title.split(", ")[1] ?? "built-in"): string {
	const anchor = title
		.toLowerCase()
		.replace(/[^\w -]/g, "")
		.replaceAll(" ", "-");
	return `[${plugin}](#${anchor})${tested === undefined ? " (untested)" : ""}`;
}

/** Editors for web pages. A page embeds the plugin, so there is no configuration to write. */
const PAGE_EDITORS = ["CodeMirror", "Monaco"];

describe("docs/editors.md", () => {
	test.for(EDITOR_SETUPS.map((setup) => [setup.title, setup] as const))(
		"contains the command's output for %s",
		([, setup]) => {
			expect(DOCS).toContain(sectionOf(setup));
		},
	);

	test("lists setups for next edits before those for chat, and no others except plugins for pages", () => {
		const titles = [...DOCS.matchAll(/^##+ (.*)$/gm)].map(([, title]) => title);
		const [withEdits, chatOnly] = [true, false].map((isWanted) => {
			const setups = EDITOR_SETUPS.filter(({ gives }) => gives.includes("next edits") === isWanted);
			return setups.map(({ title }) => title);
		});
		expect(titles).toEqual(["Next edits", ...(withEdits ?? []), ...PAGE_EDITORS, "Chat", ...(chatOnly ?? [])]);
	});

	test("says in a note how to get next edits from plugins that must be configured by hand", () => {
		const byHand = EDITOR_SETUPS.filter(({ nextEditsWith }) => nextEditsWith !== undefined);
		expect(byHand.map(({ editor }) => editor)).toEqual(["jetbrains"]);
		for (const { nextEditsWith, notes } of byHand) {
			expect(notes.join("\n")).toMatch(new RegExp(`next edits.*${nextEditsWith}`));
		}
	});

	test("begins with a table of the editors", () => {
		expect(DOCS.slice(0, DOCS.indexOf("\n## "))).toContain(overview());
	});
});

test("the README lists chat for the editors that have a setup for it, and for no others", () => {
	const readme = readFileSync(path.join(import.meta.dirname, "../../../../README.md"), "utf8");
	for (const name of new Set(EDITOR_SETUPS.map(({ editor }) => editor))) {
		const setups = EDITOR_SETUPS.filter(({ editor }) => editor === name);
		const label = setups[0]?.title.split(", ")[0] ?? "";
		const [, , chat = ""] = readme.match(new RegExp(`^\\| ${label} \\|.*`, "m"))?.[0].split(" | ") ?? [];
		expect([label, chat]).toEqual([
			label,
			expect.stringMatching(setups.some(({ gives }) => gives.includes("chat")) ? /^(yes|with )/ : /^no$/),
		]);
	}
});

describe("the configuration", () => {
	test.for(EDITOR_SETUPS.map((setup) => [setup.title, setup] as const))("quotes any command in %s", ([, setup]) => {
		const command = ["/opt/my node", '/home/a"b\\c/segue.js'];
		const script = setup.script?.({ ...READER, home: "/home/bob's files" }, command);
		const text = setup.text(command, script?.file);
		if (script === undefined) {
			expect(text).toContain('"/opt/my node"');
			expect(text).toContain(String.raw`"/home/a\"b\\c/segue.js"`);
		} else expect(script.text).toBe(`#!/bin/sh\nexec '/opt/my node' '/home/a"b\\c/segue.js' eca "$@"`);
		if (setup.language === "json") expect(() => JSON.parse(text)).not.toThrow();
	});

	test("starts Segue with a batch file on Windows for plugins that accept no arguments", () => {
		const setup = EDITOR_SETUPS.find(({ plugin }) => plugin === "eca-vscode");
		const script = setup?.script?.({ home: "/u", env: {}, platform: "win32" }, [
			"C:\\Program Files\\node.exe",
			"100%.js",
		]);
		expect(script).toEqual({
			file: path.normalize("/u/.local/bin/segue-eca.bat"),
			text: '@"C:\\Program Files\\node.exe" "100%%.js" eca %*',
		});
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
	])("for %s is in the file that the editor reads: %j", ([name, user, file]) => {
		const setup = EDITOR_SETUPS.find(({ editor }) => editor === name);
		expect(setup?.files({ home: "/u", env: {}, platform: "linux", ...user }).at(-1)).toBe(path.normalize(file));
	});
});
