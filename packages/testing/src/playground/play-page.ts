import type { BrowserContextOptions, Locator } from "playwright-core";
import type { Page, TestBrowser } from "./browser.js";

// Step by which the page's clock advances. Shorter than any delay on the page.
const TICK_MS = 50;

/** The panels next to the editor. */
export const PANELS = ["Stories", "Chat", "Statistics", "Settings", "Inspector"] as const;

/** The playground in a browser, as a user sees and uses it. */
export class PlayPage {
	constructor(readonly page: Page) {}

	/** Opens the playground, and waits until the first sample can be edited. */
	static async open(browser: TestBrowser, address: string, options: BrowserContextOptions = {}): Promise<PlayPage> {
		const play = new PlayPage(await browser.visit(address, options));
		await play.ready();
		return play;
	}

	async ready(): Promise<void> {
		await this.page.getByRole("status").getByText("Connected", { exact: true }).waitFor();
		await this.page.locator(".cm-editor.cm-focused .cm-line").nth(1).waitFor();
	}

	/** Newly inserted text in a suggestion, except ghost text. */
	get added() {
		return this.page.locator("[data-segue=added]");
	}

	get ghost() {
		return this.page.locator("[data-segue=ghost]");
	}

	get chip() {
		return this.page.getByTestId("chip");
	}

	/** The key shown at the end of a suggestion's line. */
	get badge() {
		return this.page.locator("[data-segue=badge]");
	}

	/** The reason for a suggestion. */
	get why() {
		return this.page.getByTestId("why");
	}

	/** The part of the status bar that shows the suggestion, or the reason for having none. */
	get line() {
		return this.page.locator(".status-bar .activity");
	}

	/** The message above the editor about a problem with a file. */
	get notice() {
		return this.page.locator(".file-notice");
	}

	/** The current step of the guide. */
	get guide() {
		return this.page.getByRole("region", { name: "Guide" });
	}

	/** The active file's tab. */
	get file() {
		return this.page.locator("nav.tabs [aria-current]");
	}

	async press(...keys: readonly string[]): Promise<void> {
		for (const key of keys) await this.page.keyboard.press(key);
	}

	/** Presses a key during IME composition, and returns whether the page handled it. */
	compose(field: Locator, key: string): Promise<"handled" | "ignored"> {
		return field.evaluate((element, key) => {
			const press = new KeyboardEvent("keydown", { key, isComposing: true, bubbles: true, cancelable: true });
			return element.dispatchEvent(press) ? "ignored" : "handled";
		}, key);
	}

	type(text: string): Promise<void> {
		return this.page.keyboard.type(text);
	}

	/** Stops the page's clock. After that only `passTime` advances it. */
	async stopTime(): Promise<void> {
		await this.page.evaluate(countUnanswered);
		const now = Date.now();
		await this.page.clock.install({ time: now });
		await this.page.clock.pauseAt(now + 10_000);
	}

	/**
	 * Advances the stopped clock, but only while no request is pending, so results do not depend on the machine's load.
	 */
	async passTime(ms: number): Promise<void> {
		for (let passed = 0; passed < ms; passed += TICK_MS) {
			await this.allAnswered();
			await this.page.clock.runFor(Math.min(TICK_MS, ms - passed));
		}
		await this.allAnswered();
	}

	private async allAnswered(): Promise<void> {
		await this.page.waitForFunction(() => (globalThis as { unanswered?: Set<unknown> }).unanswered?.size === 0);
	}

	/** Presses keys while the clock is stopped, and advances it by `keyMs` after each. */
	async pressSlowly(keys: readonly string[], keyMs: number): Promise<void> {
		for (const key of keys) {
			await this.press(key);
			await this.passTime(keyMs);
		}
	}

	/** Replaces the word before the cursor, without pauses. */
	async rename(oldName: string, newName: string): Promise<void> {
		await this.press(...Array.from(oldName, () => "Backspace"));
		await this.type(newName);
	}

	/** Moves the cursor to the end of a line. Lines count from 1. */
	async goToEndOf(line: number): Promise<void> {
		await this.press("Control+Home", ...Array.from({ length: line - 1 }, () => "ArrowDown"), "End");
	}

	/** Opens a folder with the dialog, then one of its files. */
	async openFolder(path: string, file: string): Promise<void> {
		await this.page.getByRole("button", { name: "Open folder" }).click();
		const dialog = this.page.getByRole("dialog");
		await dialog.getByRole("textbox").fill(path);
		await dialog.getByRole("button", { name: "Open", exact: true }).click();
		await this.openFile(file);
		await this.page.locator(".cm-editor.cm-focused .cm-line").nth(1).waitFor();
	}

	/** Opens another file from the opened folder. */
	openFile(file: string): Promise<void> {
		return this.pick("Open a file", file);
	}

	/** Opens a button's menu and clicks an option. */
	async pick(button: string, choice: string): Promise<void> {
		await this.page.getByRole("button", { name: button }).click();
		await this.page.getByRole("option", { name: choice, exact: true }).click();
	}

	/** Switches to a sample or a previously opened folder. */
	chooseProject(title: string): Promise<void> {
		return this.pick("Project", title);
	}

	openPanel(name: (typeof PANELS)[number]): Promise<void> {
		return this.page.getByRole("tab", { name }).click();
	}

	/** Opens the settings and expands the advanced section. */
	async openAdvanced(): Promise<void> {
		await this.openPanel("Settings");
		await this.page.getByRole("heading", { name: "Advanced" }).click();
	}

	/** Returns a row in the Explorer. */
	row(name: string): Locator {
		return this.page.getByRole("tree").getByRole("treeitem", { name, exact: true });
	}

	/** Returns the text of each row in the Explorer. */
	rows(): Promise<string[]> {
		return this.page.getByRole("treeitem").allTextContents();
	}

	/** Returns the suggestion within the file's lines, drawn as in a story: `log(‹cnt→count›)`. */
	async picture(): Promise<string> {
		const lines = await this.page.locator(".cm-line:has([data-segue])").all();
		const drawn = lines.map((line) =>
			line.evaluate((element) => {
				const copy = element.cloneNode(true) as Element;
				for (const badge of copy.querySelectorAll("[data-segue=badge]")) badge.remove();
				for (const mark of copy.querySelectorAll("[data-segue]")) {
					if (mark.getAttribute("data-segue") === "removed") mark.textContent = `‹${mark.textContent}→›`;
					else mark.textContent = `‹→${mark.textContent}›`;
				}
				return copy.textContent.replaceAll("→›‹→", "→").trim();
			}),
		);
		return (await Promise.all(drawn)).join("\n");
	}

	/** Returns the visible lines of the active file, without suggested text. */
	text(): Promise<string> {
		return this.page.locator(".cm-content").evaluate((content) => {
			const lines = Array.from(content.querySelectorAll(".cm-line"), (line) => {
				const copy = line.cloneNode(true) as Element;
				for (const suggested of copy.querySelectorAll("[data-segue]:not([data-segue=removed])")) suggested.remove();
				return copy.textContent;
			});
			return lines.join("\n");
		});
	}
}

/** Runs in the page: tracks the ids of pending requests. */
function countUnanswered(): void {
	const unanswered = new Set<unknown>();
	Object.assign(globalThis, { unanswered });
	const { send } = WebSocket.prototype;
	const watched = new WeakSet<WebSocket>();
	WebSocket.prototype.send = function (this: WebSocket, data: string) {
		if (!watched.has(this)) {
			watched.add(this);
			this.addEventListener("message", (event) => unanswered.delete(JSON.parse(event.data).id));
		}
		const { id, method } = JSON.parse(data);
		if (id !== undefined && method !== undefined) unanswered.add(id);
		send.call(this, data);
	};
}
