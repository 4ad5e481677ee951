// Drives a window of VS Code in a browser like a user, for the trial and the benchmark.
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";

// The first start of VS Code compiles much of its code. A busy machine needs more than a minute.
const START_MS = 180_000;
const TABS_MAX = 3;
const STEP_MS = 30_000;

/** A window of VS Code that shows a folder. */
export class VsCodeWindow {
	constructor(page, server, folder) {
		this.page = page;
		this.server = server;
		this.folder = folder;
		page.setDefaultTimeout(START_MS);
	}

	/** Opens files in tabs. The last one is active. */
	async open(files) {
		const { page, folder, server } = this;
		const paths = files.map((file) => path.join(folder, file));
		await this.start(server.addressOf(folder, paths));
		await page.waitForSelector(".monaco-editor .view-line");
		await this.show(files.at(-1));
	}

	/** Opens VS Code and waits for the agent. */
	async start(address) {
		await this.page.goto(address);
		const item = '.statusbar-item[aria-label^="Segue."]';
		await this.page.waitForSelector(item, { state: "attached" });
		await this.until("the agent to start", async () => !/starting/.test(await this.status()), START_MS);
	}

	/** Opens a file in the folder from the explorer. */
	async openFile(file) {
		await this.page.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: file }).click();
		await this.until(`${file} to be opened`, () => this.isActive(file));
	}

	/** Switches to a file. */
	async show(file) {
		if (!(await this.isActive(file))) {
			await this.page.click(`.tab[data-resource-name="${path.basename(file)}"]`);
			await this.until(`${file} to be shown`, () => this.isActive(file));
		}
		await this.page.evaluate(() =>
			document
				.querySelector(".monaco-editor.focused, .editor-instance .native-edit-context, .editor-instance textarea")
				?.focus(),
		);
		await this.page.click(".editor-instance .view-lines", { position: { x: 400, y: 5 } });
	}

	async isActive(file) {
		return (await this.page.title()).includes(path.basename(file));
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
		const { page } = this;
		await page.keyboard.press("Control+G");
		// On a busy machine, the input field opens later.
		const isOpen = () => document.activeElement?.closest(".quick-input-widget")?.querySelector("input")?.value === ":";
		await page.waitForFunction(isOpen, undefined, { timeout: STEP_MS });
		await page.keyboard.type(`${line}:${column}`);
		await page.keyboard.press("Enter");
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

	async until(what, isDone, timeoutMs = STEP_MS) {
		for (const deadline = Date.now() + timeoutMs; !(await isDone()); await setTimeout(100)) {
			if (Date.now() > deadline) throw new Error(`waited for ${typeof what === "string" ? what : what()}`);
		}
	}
}

/** Whether the status bar item announces a suggestion. */
export function isSuggestion(status) {
	return /^Segue\. Suggestion /.test(status ?? "");
}
