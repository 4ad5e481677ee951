import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { Home } from "@segue/testing/process/home";
import { SegueInMemory } from "@segue/testing/process/segue-in-memory";
import { describe, expect, test } from "vitest";
import { runSegue } from "../program.js";
import { type SetupOptions, setUpEditor } from "./setup.js";

interface Circumstances {
	/** The user's answer in a terminal; undefined outside a terminal. */
	readonly answer?: boolean | (() => boolean);
	readonly command?: readonly string[];
}

async function run(
	home: Home,
	name: string | undefined,
	options: SetupOptions = {},
	{ answer, command = ["segue"] }: Circumstances = {},
) {
	let [out, err] = ["", ""];
	const questions: string[] = [];
	const code = await setUpEditor(name, options, {
		stdout: { write: (text) => (out += text) },
		stderr: { write: (text) => (err += text) },
		confirm:
			answer === undefined
				? undefined
				: async (question) => {
						questions.push(home.short(question));
						return typeof answer === "function" ? answer() : answer;
					},
		user: { home: home.home, env: {}, platform: "linux" },
		command,
	});
	return { out: home.short(out), err, code, questions };
}

const LUA = ".config/nvim/plugin/segue.lua";
const ZED = ".config/zed/settings.json";
const ACP = ".jetbrains/acp.json";
const VSCODE = ".config/Code/User/settings.json";

describe("segue setup editor", () => {
	test("lists the editors if no name is given", async () => {
		using home = new Home();
		const { out, code } = await run(home, undefined);
		expect(code).toBe(0);
		expect(out).toContain("  neovim --with sidekick ");
		expect(out).toMatch(/^ {2}emacs --with eca-emacs +chat +Emacs, eca-emacs$/m);
		expect(out).toMatch(/^ {2}jetbrains +next edits, chat +JetBrains IDEs, AI Assistant, LSP4IJ \(untested\)$/m);
		expect(out).toContain("Kate (untested)\n");
		for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
		expect(JSON.parse((await run(home, undefined, { json: true })).out)[0].editor).toBe("vscode");
	});

	test("is listed by segue setup without a subcommand", async () => {
		using home = new Home();
		const runIn = async (...args: string[]) => {
			const env = { SEGUE_HOME: home.home, HOME: home.home };
			const segue = new SegueInMemory(runSegue, args, { folder: home.project, env });
			return { status: await segue.ended, stdout: segue.stdout, stderr: segue.stderr };
		};
		const listed = await runIn("setup");
		expect(listed).toEqual(await runIn("setup", "editor"));
		expect(listed).toMatchObject({ status: 0, stderr: "", stdout: expect.stringContaining("  neovim ") });
	});

	test.for<[SetupOptions, boolean]>([
		[{}, false],
		[{ yes: true }, true],
	])(
		"warns about the path of a program in a clone only if the configuration contains it: %j",
		async ([options, isWarned]) => {
			using home = new Home();
			const command = ["/opt/node", "/opt/clone/node_modules/.bin/segue"];
			const { out } = await run(home, "vscode", options, { command });
			expect(out.includes("stops working if you move or delete that file")).toBe(isWarned);
			expect((await run(home, "helix")).out).not.toContain("stops working");
		},
	);

	test("shows the configuration, and writes nothing outside a terminal", async () => {
		using home = new Home();
		const { out, code } = await run(home, "jetbrains", {}, { command: ["/opt/node", "/opt/segue.js"] });
		expect({ out, code }).toEqual({
			out: `JetBrains IDEs, AI Assistant: chat; next edits with LSP4IJ (untested)

In home/.jetbrains/acp.json:

{
  "agent_servers": {
    "Segue": {
      "command": "/opt/node",
      "args": [
        "/opt/segue.js",
        "acp"
      ],
      "env": {}
    }
  }
}

- With this configuration, Segue is an agent in AI Chat. AI Assistant does not support next edits over ACP.
- For next edits, install the plugin LSP4IJ and add a server with the command \`segue lsp\` to it. It offers them on request, as code actions.
- The program \`segue\` is not on your PATH, so this configuration starts /opt/segue.js. It stops working if you move or delete that file. To avoid this, install Segue as its README describes and run this command again.

Not a terminal: pass --yes to write the file.
`,
			code: 0,
		});
		expect(existsSync(path.join(home.home, ACP))).toBe(false);
	});

	test("prints steps for VS Code, which needs no setting, and writes the setting only with --yes", async () => {
		using home = new Home();
		const { out, questions } = await run(home, "vscode", {}, { answer: true });
		expect(questions).toEqual([]);
		expect(out).toContain(`VS Code, Segue's extension: next edits (tested with VS Code 1.139 (code-server 4.139.1))

1. Install the extension. In a clone of Segue: \`npm run install:vscode\`
2. In VS Code, run “Segue: Open the Walkthrough” from the command palette.

- Suggestions appear anywhere`);
		expect(out).not.toContain("segue.agent");
		expect(existsSync(path.join(home.home, VSCODE))).toBe(false);
		const written = await run(home, "vscode", { yes: true });
		expect(written.out).toContain(`In home/${VSCODE}:\n\n{\n  "segue.agent": [\n`);
		expect(written.out).toContain(`Written to home/${VSCODE}.`);
		expect(JSON.parse((await run(home, "vscode", { json: true })).out).steps).toHaveLength(2);
	});

	test("creates a file if the user confirms, or with --yes", async () => {
		using home = new Home();
		const file = path.join(home.home, LUA);
		const refused = await run(home, "neovim", {}, { answer: false });
		expect(refused.questions).toEqual([`Create home/${LUA}?`]);
		expect(refused.out).toMatch(/Nothing was written\.\n$/);
		expect(existsSync(file)).toBe(false);
		await run(home, "neovim", {}, { answer: true });
		expect(readFileSync(file, "utf8")).toContain('cmd = { "segue", "lsp" }');
		expect((await run(home, "neovim", { yes: true })).out).toMatch(/Already set up\.\n$/);
		await run(home, "emacs", { yes: true, with: "copilot.el" });
		expect(readFileSync(path.join(home.home, ".emacs.d/init.el"), "utf8")).toContain(
			'copilot-server-executable "segue"',
		);
	});

	test.for([
		["neovim", LUA, "-- mine\n"],
		["emacs", ".emacs", ";; mine\n"],
		["emacs", ".config/emacs/early-init.el", ";; mine\n"],
		["helix", ".config/helix/languages.toml", "# mine\n"],
		["zed", ZED, '// mine\n{\n  "theme": "One Dark"\n}\n'],
		["zed", ZED, '{\n  "theme": "One Dark",\n}\n'],
		["zed", ZED, '{\n  "buffer_font_size": 15.0\n}\n'],
		["zed", ZED, '{\n  "theme": "A",\n  "theme": "B"\n}\n'],
		["zed", ZED, '{\n  "edit_predictions": {\n    "provider": "copilot"\n  }\n}\n'],
		["jetbrains", ACP, "[]\n"],
		["jetbrains", ACP, ""],
	])("does not change a file for %s if it cannot merge the settings: %s %j", async ([name = "", file = "", text]) => {
		using home = new Home({ [`home/${file}`]: text });
		const { out, code } = await run(home, name, { yes: true });
		expect(readFileSync(path.join(home.home, file), "utf8")).toBe(text);
		expect(out).toContain(`home/${file} exists and was not changed.`);
		expect(code).toBe(1);
	});

	test("adds settings to JSON in the file's own layout and keeps the existing ones", async () => {
		const before =
			'{\n\t"agent_servers": {\n\t\t"Other": {\n\t\t\t"command": "other"\n\t\t}\n\t},\n\t"list": [\n\t\t1\n\t]\n}\n';
		using home = new Home({ [`home/${ACP}`]: before });
		const { questions } = await run(home, "jetbrains", {}, { answer: true });
		expect(questions).toEqual([`Add it to home/${ACP}?`]);
		const after = readFileSync(path.join(home.home, ACP), "utf8");
		expect(JSON.parse(after)).toEqual({
			agent_servers: { Other: { command: "other" }, Segue: { command: "segue", args: ["acp"], env: {} } },
			list: [1],
		});
		expect(after.startsWith('{\n\t"agent_servers": {\n\t\t"Other": {')).toBe(true);
		expect((await run(home, "jetbrains", { yes: true })).out).toMatch(/Already set up\.\n$/);
	});

	test("sets up chat in addition to next edits", async () => {
		using home = new Home();
		await run(home, "neovim", { yes: true });
		const { out, code } = await run(home, "neovim", { yes: true, with: "codecompanion.nvim" });
		expect({ end: out.slice(-72), code }).toEqual({
			end: "Written to home/.config/nvim/plugin/segue-chat.lua. Restart the editor.\n",
			code: 0,
		});
	});

	test("writes a script for plugins that accept only a program's path", async () => {
		const settings = '{\n  "editor.fontSize": 15\n}\n';
		using home = new Home({ [`home/${VSCODE}`]: settings });
		const asked = await run(home, "vscode", { with: "eca-vscode" }, { answer: false });
		expect(asked.questions).toEqual([`Add it to home/${VSCODE} and create home/.local/bin/segue-eca?`]);
		expect(asked.out).toContain(
			'In home/.local/bin/segue-eca, which must be executable:\n\n#!/bin/sh\nexec segue eca "$@"\n',
		);
		expect(readFileSync(path.join(home.home, VSCODE), "utf8")).toBe(settings);
		const { script } = JSON.parse((await run(home, "vscode", { with: "eca-vscode", json: true, yes: true })).out);
		const file = path.join(home.home, ".local/bin/segue-eca");
		expect(script).toMatchObject({ file: home.short(file), change: "create", isWritten: true });
		expect(JSON.parse(readFileSync(path.join(home.home, VSCODE), "utf8"))).toEqual({
			"editor.fontSize": 15,
			"eca.serverPath": file,
		});
		expect(statSync(file).mode & 0o111).toBe(0o111);
		expect((await run(home, "vscode", { with: "eca-vscode", yes: true })).out).toMatch(/Already set up\.\n$/);
		const other = await run(home, "neovim", { with: "eca-nvim", yes: true }, { command: ["/opt/segue"] });
		expect(other).toMatchObject({ code: 1, out: expect.stringContaining("segue-eca exists and was not changed.") });
		expect(existsSync(path.join(home.home, ".config/nvim/plugin/segue-chat.lua"))).toBe(true);
	});

	test("does not overwrite a file that appeared or changed before the user answered", async () => {
		using home = new Home();
		const answer = () => home.write(`home/${LUA}`, "-- mine\n") !== "";
		const { err, code } = await run(home, "neovim", {}, { answer });
		expect({ err: home.short(err), code }).toEqual({
			err: `segue: home/${LUA} has changed. Run this command again.\n`,
			code: 1,
		});
		expect(readFileSync(path.join(home.home, LUA), "utf8")).toBe("-- mine\n");
	});

	test("reports why a file cannot be read or written", async () => {
		using home = new Home({ "home/.jetbrains/acp.json/x": "", "home/.config": "a file" });
		expect(home.short((await run(home, "jetbrains")).err)).toBe(`segue: Cannot read home/${ACP}: it is a folder.\n`);
		const { err } = await run(home, "neovim", { yes: true });
		expect(home.short(err)).toMatch(/^segue: Cannot write home\/.config\/nvim\/plugin\/segue.lua: .*\.\n$/);
	});

	test("prints JSON, and writes only with --yes", async () => {
		using home = new Home();
		const asked = JSON.parse((await run(home, "neovim", { json: true, with: "sidekick" })).out);
		expect(asked).toMatchObject({
			editor: "neovim",
			plugin: "sidekick",
			file: `home/${LUA}`,
			change: "create",
			isWritten: false,
		});
		expect(existsSync(path.join(home.home, LUA))).toBe(false);
		const written = JSON.parse((await run(home, "neovim", { json: true, yes: true })).out);
		expect(written).toMatchObject({ plugin: null, isWritten: true });
		expect(readFileSync(path.join(home.home, LUA), "utf8")).toBe(`${written.text}\n`);
	});

	test.for([
		["bin", 0o755, '"segue"'],
		["bin", 0o644, JSON.stringify(process.execPath)],
		["node_modules/.bin", 0o755, JSON.stringify(process.execPath)],
	] as const)("starts segue by name only if it is a program on the PATH: %s %o", async ([folder, mode, command]) => {
		using home = new Home({ [`project/${folder}/segue`]: "#!/bin/sh\n" });
		const bin = path.join(home.project, folder);
		chmodSync(path.join(bin, "segue"), mode);
		const env = { SEGUE_HOME: home.home, HOME: home.home, PATH: bin };
		const segue = new SegueInMemory(runSegue, ["setup", "editor", "jetbrains"], { folder: home.project, env });
		expect(await segue.ended).toBe(0);
		expect(segue.stdout).toContain(`"command": ${command},`);
	});

	test("accepts short names for editors and plugins", async () => {
		using home = new Home();
		for (const [name, usual] of [
			["nvim", "neovim"],
			["hx", "helix"],
			["code", "vscode"],
		] as const) {
			expect((await run(home, name)).out).toBe((await run(home, usual)).out);
		}
		const withPlugin = (plugin: string) => run(home, "neovim", { with: plugin });
		expect((await withPlugin("sidekick.nvim")).out).toBe((await withPlugin("sidekick")).out);
	});

	test("lists the available editors or plugins if the name is unknown", async () => {
		using home = new Home();
		expect(await run(home, "notepad")).toMatchObject({
			code: 1,
			err: 'segue: Unknown editor "notepad". Available: vscode, neovim, emacs, helix, zed, kate, sublime, jetbrains.\n',
		});
		expect((await run(home, "vsc")).err).toBe('segue: Unknown editor "vsc". Did you mean "vscode"?\n');
		expect((await run(home, "neovim", { with: "coc" })).err).toBe(
			'segue: Unknown plugin "coc" for neovim. Available: sidekick, copilot-lsp, codecompanion, agentic, eca-nvim.\n',
		);
	});
});
