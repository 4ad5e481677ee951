// Chats in real editors with `segue acp` and `segue eca`: a question, then an edit that needs approval. Run manually;
// see README.md.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { chatClients } from "./chat-clients.mjs";
import { DONE, GREETING, MADE, startModel } from "./chat-model.mjs";
import { Skipped } from "./clients.mjs";
import { Terminal } from "./terminal.mjs";

const STEP_MS = 30_000;

const here = import.meta.dirname;
const { values: options, positionals: names } = parseArgs({
	allowPositionals: true,
	options: { plugins: { type: "string" }, "editors-root": { type: "string" }, show: { type: "boolean" } },
});
const unknown = names.filter((name) => !chatClients.some((client) => client.name === name));
if (unknown.length > 0) {
	console.error(`Unknown client: ${unknown.join(", ")}. Available: ${chatClients.map(({ name }) => name).join(", ")}.`);
	process.exit(2);
}

const model = await startModel();
for (const client of chatClients) {
	if (names.length > 0 && !names.includes(client.name)) continue;
	try {
		await play(client);
		console.log(`${client.name}: passed`);
	} catch (error) {
		console.log(`${client.name}: ${error instanceof Skipped ? "skipped, " : "FAILED: "}${error.message}`);
		if (!(error instanceof Skipped)) process.exitCode = 1;
	}
}
model.stop();

/** Runs a chat in a new folder, which is kept if the trial fails. */
async function play({ setup, start, open, ready, send, asked, approve }) {
	const folder = mkdtempSync(path.join(tmpdir(), "segue-chat-trial-"));
	const [home, project] = ["home", "project"].map((name) => path.join(folder, name));
	for (const one of [home, project, path.join(project, ".git")]) mkdirSync(one);
	writeFileSync(path.join(project, "a.txt"), "one\n");
	const env = {
		...process.env,
		...model.env,
		...{ HOME: home, SEGUE_HOME: path.join(home, "segue"), LC_ALL: "C.UTF-8" },
		PATH: `${path.join(here, "bin")}${path.delimiter}${process.env["PATH"]}`,
	};
	for (const unwanted of ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "TMUX"]) delete env[unwanted];
	// Use the configuration that users get.
	const { status, stderr } = spawnSync("segue", ["setup", "editor", ...setup, "--yes"], { env, encoding: "utf8" });
	if (status !== 0) throw new Error(`segue setup failed: ${stderr}`);
	const { plugins, "editors-root": root } = options;
	const trial = { folder, home, project, env, plugins, root };
	let editor;
	try {
		editor = start(trial);
	} catch (error) {
		rmSync(folder, { recursive: true });
		throw error;
	}
	const terminal = new Terminal(editor, [], trial);
	const keys = {
		type(text) {
			terminal.type(text);
			return keys;
		},
		press(...names) {
			terminal.press(...names);
			return keys;
		},
	};
	const see = (what, isSeen) => terminal.wait(what, () => isSeen(terminal.screen), STEP_MS);
	try {
		await see("the editor", (screen) => screen.includes("one"));
		open(keys);
		await see("the chat", (screen) => ready?.(screen, trial) ?? true);
		await setTimeout(3000);
		await send(keys, "Say hello.");
		await see("the answer", (screen) => screen.includes(GREETING));
		await setTimeout(1000);
		await send(keys, "Create a file.");
		await see("the question", (screen) => asked.test(screen));
		const made = path.join(project, MADE.path);
		if (existsSync(made)) throw new Error("the file was written without approval");
		if (options.show) console.log(terminal.screen);
		await setTimeout(500);
		approve(keys);
		await see("the end of the turn", (screen) => screen.includes(DONE));
		if (readFileSync(made, "utf8") !== MADE.content) throw new Error("the file has the wrong content");
		if (options.show) console.log(terminal.screen);
	} catch ({ message }) {
		throw new Error(`${message}\n${terminal.screen}\n(${folder})`);
	} finally {
		terminal.tmux(["kill-server"]);
	}
	// The servers save their statistics after the editor has exited.
	await setTimeout(3000);
	rmSync(folder, { recursive: true, maxRetries: 5, retryDelay: 500 });
}
