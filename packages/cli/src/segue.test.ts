import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { Home } from "@segue/testing/process/home";
import { SegueInMemory } from "@segue/testing/process/segue-in-memory";
import { isAll } from "@segue/testing/setup/tier";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { runSegue } from "./program.js";

const launcher = path.join(import.meta.dirname, "..", "bin", "segue.js");

function run(program: string, ...args: string[]) {
	const { stdout, stderr, status } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
	return { stdout, stderr, status };
}

async function runInMemory(...args: string[]) {
	using home = new Home();
	const segue = new SegueInMemory(runSegue, args, { folder: home.project, env: { SEGUE_HOME: home.home } });
	const status = await segue.ended;
	return { stdout: segue.stdout, stderr: segue.stderr, status };
}

test("segue --version prints the version, with the commit if it was built in a git checkout", async () => {
	const isCheckout = existsSync(path.join(import.meta.dirname, "..", "..", "..", ".git"));
	const built = run(launcher, "--version");
	expect(built).toMatchObject({ stderr: "", status: 0 });
	const [, version, commit] = /^(\S+)(?: \(([0-9a-f]{7,40})\))?\n$/.exec(built.stdout) ?? [];
	expect([version, commit !== undefined]).toEqual([manifest.version, isCheckout]);
	expect(await runInMemory("--version")).toEqual({ stdout: `${manifest.version}\n`, stderr: "", status: 0 });
});

test.each([[[]], [["help"]], [["--help"]]])("segue %j lists the commands, with examples", async (args) => {
	const { stdout, stderr, status } = await runInMemory(...args);
	expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
	expect(stdout).toContain("Next-edit suggestions and agent chat for any editor");
	expect(stdout).toContain("$ segue --version");
});

test("the help groups the commands, and the help for each command starts with a sentence and has an example", async () => {
	const { stdout } = await runInMemory("help");
	const commands = stdout.slice(stdout.indexOf("\nStart here:\n"), stdout.indexOf("\nExamples:\n"));
	const names = [...commands.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name = ""]) => [name]);
	expect(names).toHaveLength(21);
	expect([...commands.matchAll(/^(\w.*):$/gm)].map(([, heading]) => heading)).toEqual([
		"Start here",
		"Suggestions",
		"Chat",
		"Models and settings",
		"Servers (started by editors)",
		"For authors of plugins and agents",
		"Help",
	]);
	// Each command fits on one line.
	expect(
		commands
			.trim()
			.split("\n")
			.filter((line) => line.startsWith("  ")),
	).toHaveLength(names.length);
	for (const name of [...names, ["setup", "editor"]]) {
		const help = await runInMemory("help", ...name);
		expect(help).toMatchObject({ stderr: "", status: 0 });
		expect(await runInMemory(...name, "--help")).toEqual(help);
		expect(await runInMemory("--help", ...name)).toEqual(help);
		const [usage, about = ""] = help.stdout.split("\n\n");
		expect(usage).toMatch(new RegExp(`^Usage: segue ${name.join(" ")}\\b`));
		expect(about).toMatch(/^[A-Z][^.]*(?:\.segue\.json[^.]*)?\.$/);
		expect(help.stdout).toMatch(/\nExamples?\b[^\n]*:\n {2}\$ /);
		for (const line of help.stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(100);
	}
});

test.each([
	[["fly"], 'Unknown command "fly". Run `segue help` for a list of commands.'],
	[["caht"], 'Unknown command "caht". Did you mean "chat"? Run `segue help` for a list of commands.'],
	[["help", "caht"], 'Unknown command "caht". Did you mean "chat"? Run `segue help` for a list of commands.'],
	[["setup", "edtor"], 'Unknown command "edtor". Did you mean "editor"? Run `segue help setup` for its commands.'],
	[
		["setup", "nvim"],
		'Unknown command "nvim". Did you mean `segue setup editor nvim`? Run `segue help setup` for its commands.',
	],
	[["stats", "--since"], "--since needs a value. Run `segue help stats` for its options."],
	[["--fly"], 'Unknown option "--fly". Run `segue help` for a list of commands.'],
	[["--verison"], 'Unknown option "--verison". Did you mean "--version"? Run `segue help` for a list of commands.'],
	[
		["chat", "--mode", "x"],
		'"x" is not valid for --mode. Available: ask, edit, plan. Run `segue help chat` for its options.',
	],
	[
		["serve", "--port", "http"],
		'"http" is not valid for --port. It must be a number from 0 to 65535. Run `segue help serve` for its options.',
	],
	[
		["editor-mcp", "/no/socket"],
		"Cannot connect to the editor at /no/socket. Segue starts this command itself, while an editor is connected.",
	],
	[["models", "--jsn"], 'Unknown option "--jsn". Did you mean "--json"? Run `segue help models` for its options.'],
])("segue %j prints one line about the error", async (args, message) => {
	expect(await runInMemory(...args)).toEqual({ stdout: "", stderr: `segue: ${message}\n`, status: 1 });
});

test.each(["models", ...(isAll ? ["config --json", "agents", "acp --login anthropic"] : [])])(
	"segue %s exits without an error if its output is closed",
	async (line) => {
		using home = new Home();
		const env = { SEGUE_HOME: home.home };
		const child = spawn(process.execPath, [launcher, ...line.split(" ")], { env, cwd: home.project });
		child.stdout.destroy();
		child.stdin.end("sk-ant-0123456789\n");
		const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
		expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
	},
);

test("segue eval replays cases on worker threads", () => {
	const folder = mkdtempSync(path.join(tmpdir(), "segue-launcher-"));
	const steps = ["a", "b"].map((line, oldStart) => ({ path: "f", oldStart, oldLines: [line], newLines: [`${line}1`] }));
	const kase = { language: "go", files: { f: "a\nb" }, context: {}, steps, stepOrder: [0, 1], stepEvalAt: [1] };
	const file = path.join(folder, "cases.jsonl");
	writeFileSync(file, ["one", "two"].map((id) => JSON.stringify({ ...kase, id })).join("\n"));
	const { stdout, status } = run(launcher, "eval", file, "--json");
	const missing = run(launcher, "eval", path.join(folder, "none"));
	rmSync(folder, { recursive: true });
	expect(status).toBe(0);
	expect(JSON.parse(stdout).results).toMatchObject([
		{ id: "one", states: [{ made: 1 }, { made: 2 }] },
		{ id: "two", states: [{ made: 1 }, { made: 2 }] },
	]);
	expect(missing).toMatchObject({ stdout: "", status: 1 });
	expect(missing.stderr.trimEnd().split("\n")).toHaveLength(1);
});

test("segue why plays stories, without colours outside a terminal", async () => {
	const stories = path.join(import.meta.dirname, "..", "..", "..", "stories");
	const { stdout, stderr, status } = await runInMemory("why", path.join(stories, "silence.story.md"));
	expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
	expect(stdout).toContain("you dismissed this suggestion before");
	expect(stdout).not.toContain("(rejected-before)");
	expect(stdout).not.toContain("\x1b");
	expect((await runInMemory("help", "why")).stdout).toContain("$ segue why stories/rename.story.md");
	expect(await runInMemory("why")).toMatchObject({ stdout: "", status: 1 });
});

test("segue config set says which file to edit, with an example that works", async () => {
	const { stdout, stderr, status } = await runInMemory("config", "set", "model", "ollama/qwen3");
	expect({ stdout, status }).toEqual({ stdout: "", status: 1 });
	const [, example = ""] =
		/^segue: `segue config` only shows the configuration\. To change it, write JSON to \S+config\.json, for example: (.*)\n$/.exec(
			stderr,
		) ?? [];
	using home = new Home({ "home/config.json": example });
	const shown = new SegueInMemory(runSegue, ["config"], { folder: home.project, env: { SEGUE_HOME: home.home } });
	expect(await shown.ended).toBe(0);
	expect(shown.stdout).toMatch(/^chat model +ollama\/qwen3 /m);
});

test.for(["server", "last"])("segue why rejects --%s together with a story", async (option) => {
	const { stdout, stderr, status } = await runInMemory("why", "some.story.md", `--${option}`, "5");
	expect({ stdout, stderr, status }).toEqual({
		stdout: "",
		stderr: `segue: --${option} applies to running servers and cannot be combined with story files. Run \`segue help why\` for its options.\n`,
		status: 1,
	});
});

test("segue threads has help and takes no arguments", async () => {
	const { stdout, stderr, status } = await runInMemory("help", "threads");
	expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
	expect(stdout).toContain('$ segue threads --agent "gemini --acp"');
	expect(await runInMemory("threads", "more")).toMatchObject({ stdout: "", status: 1 });
});

test("the launcher without a build says how to build it", () => {
	const folder = mkdtempSync(path.join(tmpdir(), "segue-launcher-"));
	mkdirSync(path.join(folder, "bin"));
	const copy = path.join(folder, "bin", "segue.mjs");
	copyFileSync(launcher, copy);
	const { stdout, stderr, status } = run(copy);
	rmSync(folder, { recursive: true });
	expect({ stdout, status }).toEqual({ stdout: "", status: 1 });
	expect(stderr).toContain("npm run build");
});
