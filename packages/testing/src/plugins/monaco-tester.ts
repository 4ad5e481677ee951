import type { Edit } from "@segue/text";
import { expect } from "vitest";
import type { Page } from "../playground/browser.js";
import { WAIT } from "../setup/tier.js";
import type {} from "./monaco-demo.js";

/** The suggestion that the plugin shows, and the text that the page draws for it, without white space. */
export interface ShownSuggestion {
	readonly kind: string;
	readonly path: string;
	readonly edits: readonly Edit[];
	/** The target of a jump. */
	readonly at: number | undefined;
	readonly drawnAs: "ghost" | "inline" | "beside" | "below" | "target" | "chip" | "nothing";
	readonly removed: string;
	readonly added: string;
}

/** Drives the demo page like a user. */
export class MonacoTester {
	constructor(readonly page: Page) {}

	async open(path: string, text: string): Promise<void> {
		await this.page.evaluate(([path, text]) => window.demo.open(path, text), [path, text] as const);
	}

	/** Waits until the agent answers. It does not know how edits were made before that. */
	async connected(): Promise<void> {
		await this.open("empty.txt", "");
		const answer = async () => {
			await this.page.evaluate(() => window.demo.segue.suggest());
			return (await this.page.evaluate(() => window.demo.notices.at(-1))) ?? "The agent is starting.";
		};
		await expect.poll(answer, POLL).not.toMatch(/^(?:The agent is starting|Checking)/);
		await this.page.evaluate(() => window.demo.editor.getModel()?.dispose());
	}

	/** Lets time pass for the page, so that the next change is an edit of its own. */
	async pause(): Promise<void> {
		await this.page.evaluate(() => {
			const [now, elapsed] = [Date.now.bind(Date), performance.now.bind(performance)];
			Date.now = () => now() + 3000;
			performance.now = () => elapsed() + 3000;
		});
	}

	text(): Promise<string> {
		return this.page.evaluate(() => window.demo.editor.getValue());
	}

	/** Returns the anchor and the head of the selection. */
	selection(): Promise<readonly [number, number]> {
		return this.page.evaluate(() => {
			const { editor } = window.demo;
			const [model, selection] = [editor.getModel(), editor.getSelection()];
			if (model === null || selection === null) return [0, 0] as const;
			const { selectionStartLineNumber: lineNumber, selectionStartColumn: column } = selection;
			return [model.getOffsetAt({ lineNumber, column }), model.getOffsetAt(selection.getPosition())] as const;
		});
	}

	async select(anchor: number, head = anchor): Promise<void> {
		await this.page.evaluate(
			([anchor, head]) => {
				const { editor, monaco } = window.demo;
				const model = editor.getModel();
				if (model === null) return;
				const [from, to] = [model.getPositionAt(anchor), model.getPositionAt(head)];
				editor.setSelection(new monaco.Selection(from.lineNumber, from.column, to.lineNumber, to.column));
				editor.focus();
			},
			[anchor, head] as const,
		);
	}

	/** Replaces a range by typing. Several lines are pasted. */
	async replace(from: number, to: number, insert: string): Promise<void> {
		await this.select(from, to);
		if (insert === "") await this.page.keyboard.press("Delete");
		else if (/[\r\n]/.test(insert)) await this.paste(insert);
		else await this.page.keyboard.type(insert);
	}

	/** Marks an error. */
	async mark(from: number, to: number, message: string): Promise<void> {
		await this.page.evaluate(
			([from, to, message]) => {
				const { editor, monaco } = window.demo;
				const model = editor.getModel();
				if (model === null) return;
				const range = monaco.Range.fromPositions(model.getPositionAt(from), model.getPositionAt(to));
				monaco.editor.setModelMarkers(model, "demo", [{ ...range, severity: monaco.MarkerSeverity.Error, message }]);
			},
			[from, to, message] as const,
		);
	}

	/** Pastes text. */
	async paste(text: string): Promise<void> {
		await this.page.evaluate((text) => {
			const clipboardData = new DataTransfer();
			clipboardData.setData("text/plain", text);
			const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
			document.activeElement?.dispatchEvent(event);
		}, text);
	}

	async press(...keys: readonly string[]): Promise<void> {
		for (const key of keys) await this.page.keyboard.press(key);
	}

	/** Undefined while no suggestion is shown. */
	shown(): Promise<ShownSuggestion | undefined> {
		return this.page.evaluate(() => {
			const { current } = window.demo.segue;
			if (current === undefined) return undefined;
			const textOf = (selector: string) => {
				const found = [...document.querySelectorAll(selector)];
				return found
					.map((node) => node.textContent ?? "")
					.join("")
					.replace(/[\s\u00a0\u00b7\u200c]/g, "");
			};
			const has = (selector: string) => document.querySelector(selector) !== null;
			const ghost = textOf(".ghost-text-decoration, .ghost-text-decoration-preview, .suggest-preview-text");
			const added = textOf(".segue-added");
			const drawnAs = has(".segue-chip")
				? "chip"
				: has(".segue-target")
					? "target"
					: has(".segue-box")
						? "beside"
						: has(".segue-zone")
							? "below"
							: added !== "" || has(".segue-removed")
								? "inline"
								: ghost !== ""
									? "ghost"
									: "nothing";
			return {
				kind: current.kind,
				path: current.uri.replace("file:///project/", ""),
				edits: current.kind === "edit" ? current.edits : [],
				at: current.kind === "jump" ? current.at : undefined,
				...{ drawnAs, removed: textOf(".segue-removed"), added: added + ghost },
			} as const;
		});
	}

	/** Waits until the editor shows this suggestion, and returns how it is drawn. */
	async expectShown(path: string, edits: readonly Edit[], before: string): Promise<ShownSuggestion["drawnAs"]> {
		const pack = (texts: readonly string[]) => texts.join("").replace(/[\s\u00b7]/g, "");
		const removed = pack(edits.map(({ from, to }) => before.slice(from, to)));
		const added = pack(edits.map(({ insert }) => insert));
		let drawnAs: ShownSuggestion["drawnAs"] = "nothing";
		await expect
			.poll(async () => {
				const shown = await this.shown();
				drawnAs = shown?.drawnAs ?? "nothing";
				return shown && { path: shown.path, edits: shown.edits, removed: shown.removed, added: shown.added };
			}, POLL)
			.toEqual({ path, edits, removed, added });
		return drawnAs;
	}

	/** Waits until a suggestion is drawn, and returns it. */
	async suggestion(): Promise<ShownSuggestion> {
		const found = await this.page.waitForFunction(
			() => window.demo.segue.current !== undefined && document.querySelector(".segue-arrow, .segue-chip") !== null,
			undefined,
			POLL,
		);
		await found.dispose();
		const shown = await this.shown();
		if (shown === undefined) throw new Error("the suggestion was withdrawn");
		return shown;
	}

	/** Waits until nothing is shown or drawn. */
	async expectNothing(): Promise<void> {
		await expect.poll(() => this.isShown(), POLL).toBe(false);
	}

	isShown(): Promise<boolean> {
		return this.page.evaluate(
			() =>
				window.demo.segue.current !== undefined ||
				document.querySelector(".segue-arrow, .segue-chip, .segue-added, .segue-removed, .segue-box, .segue-zone") !==
					null,
		);
	}

	/** Waits for the text of the editor. */
	async expectText(text: string): Promise<void> {
		await expect.poll(() => this.text(), POLL).toBe(text);
	}

	/** Forgets the notices so far, and returns a function that waits for one that matches. */
	async noticesFromNow(): Promise<(text: RegExp) => Promise<void>> {
		const seen = await this.page.evaluate(() => window.demo.notices.length);
		return async (text) => {
			const texts = () => this.page.evaluate((seen) => window.demo.notices.slice(seen), seen);
			await expect.poll(async () => (await texts()).join("\n"), POLL).toMatch(text);
		};
	}
}

/** How long to wait for the page. Only a hang should reach it. */
export const POLL = { timeout: WAIT.timeout, interval: 20, polling: 20 };
