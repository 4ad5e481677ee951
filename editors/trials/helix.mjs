// Plays one story in Helix, in a real terminal. `Space a` lists the code actions, and Enter runs the first one, which
// applies the next edit in this file or another. The files are compared after saving.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Terminal } from "./terminal.mjs";

const STEP_MS = 15_000;

export async function playInHelix(editor, trial) {
	const { home, project, plan } = trial;
	const folder = path.join(home, ".config", "helix");
	mkdirSync(folder, { recursive: true });
	writeFileSync(path.join(folder, "config.toml"), "[editor]\nauto-pairs = false\n");
	const helix = new Helix(editor, trial);
	const result = { ways: [] };
	try {
		await play(helix, plan, result.ways);
	} catch ({ message }) {
		result.error = message;
	}
	result.after = Object.fromEntries(plan.files.map(({ path: file }) => [file, read(path.join(project, file))]));
	writeFileSync(plan.result, JSON.stringify(result));
	// After a failure Helix may be in any mode, so it is killed through the terminal.
	if (result.error === undefined) await helix.command("qa!");
	await helix.terminal.ended(result.error === undefined ? STEP_MS : 0);
}

async function play(helix, { files, edits, suggestions }, ways) {
	for (const { path: file } of files) await helix.open(file);
	for (const edit of edits) await helix.edit(edit);
	for (const { path: file, text } of suggestions) {
		await helix.showActions();
		await helix.see("the next edit", (screen) => screen.includes("Next edit:"));
		helix.terminal.press("Enter");
		await helix.see("the menu to close", (screen) => !screen.includes("Next edit:"));
		await helix.save(file, text);
		ways.push(file === helix.file ? "code action" : "code action, from the other file");
	}
	if (suggestions.length > 0) return;
	await helix.showActions();
	await helix.see("the message for no code actions", (screen) => screen.includes("No code actions available"));
	if (helix.answer() !== 0) throw new Error("the server suggested something");
}

class Helix {
	constructor(editor, { project, plan, ...trial }) {
		this.project = project;
		this.log = plan.log;
		this.terminal = new Terminal(editor, [], { project, ...trial });
	}

	/** Runs a command in normal mode. */
	async command(text) {
		await this.see("normal mode", (screen) => screen.includes(" NOR "));
		this.terminal.type(`:${text}`);
		this.terminal.press("Enter");
	}

	see(what, isSeen) {
		return this.terminal.wait(what, () => isSeen(this.terminal.screen), STEP_MS);
	}

	async open(file) {
		if (this.file === file) return;
		await this.command(`open ${file}`);
		const opened = `"textDocument/didOpen","uri":"file://${path.join(this.project, file)}"`;
		await this.terminal.wait(`the server for ${file}`, () => read(this.log).includes(opened), STEP_MS);
		this.file = file;
	}

	async edit({ path: file, line, column, remove, insert, text }) {
		await this.open(file);
		await this.command(String(line));
		const isAtEnd = insert.startsWith("\n");
		const move = column > 0 && !isAtEnd ? `gh${column}l` : "gh";
		const select = remove > 1 ? `v${remove - 1}lc` : "c";
		this.terminal.type(`${move}${remove > 0 ? select : isAtEnd ? "A" : "i"}`);
		await this.see("insert mode", (screen) => screen.includes(" INS "));
		for (const [index, typed] of insert.split("\n").entries()) {
			if (index > 0) this.terminal.press("Enter");
			// Helix indents a new line like the one above.
			this.terminal.type(index > 0 ? typed.trimStart() : typed);
		}
		// Wait for normal mode before the next key. A key sent right after Escape would be read as Alt plus that key.
		this.terminal.press("Escape");
		await this.save(file, text);
	}

	/** Saves all files and waits until `file` contains `text`. */
	async save(file, text) {
		await this.command("write-all");
		const saved = path.join(this.project, file);
		await this.terminal.wait(`this text in ${file}:\n${text}\n`, () => read(saved) === text, STEP_MS);
	}

	/** Opens the code action menu and waits for the server's response. */
	async showActions() {
		const count = this.answers().length;
		this.terminal.type(" a");
		await this.terminal.wait("the server's response", () => this.answers().length > count, STEP_MS);
	}

	answer() {
		return this.answers().at(-1);
	}

	/** Returns the number of suggestions in each response so far. */
	answers() {
		return [...read(this.log).matchAll(/"found":(\d+)/g)].map(([, found]) => Number(found));
	}
}

function read(file) {
	return existsSync(file) ? readFileSync(file, "utf8") : "";
}
