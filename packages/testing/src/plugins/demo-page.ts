import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { type Page, TestBrowser } from "../playground/browser.js";
import { CHROMIUM } from "../playground/chromium.js";
import { PlayRelay } from "../playground/play-relay.js";
import { PlayServer } from "../playground/play-server.js";
import { isAll } from "../setup/tier.js";
import type { Demo, DemoFile, DemoOptions } from "./codemirror-demo.js";
import { buildPluginPage } from "./plugin-pages.js";

// Step in which the page's clock advances. Shorter than any delay in the library.
const TICK_MS = 50;

/** The demo page in a browser. */
export class DemoPage {
	constructor(readonly page: Page) {}

	/** Calls a function in the page with the demo and a value that can be sent there. */
	call<Value, Result>(run: (demo: Demo, value: Value) => Result, value?: Value): Promise<Result> {
		const source = `(${run})(globalThis.demo, ${JSON.stringify(value)})`;
		return this.page.evaluate(source) as Promise<Result>;
	}

	open(file: DemoFile): Promise<number> {
		return this.call((demo, file) => demo.open(file), file);
	}

	select(view: number, anchor: number, head = anchor): Promise<void> {
		return this.call((demo, [view, anchor, head]) => demo.select(view, anchor, head), [view, anchor, head] as const);
	}

	look(view = 0): Promise<ReturnType<Demo["look"]>> {
		return this.call((demo, view) => demo.look(view), view);
	}

	async text(view = 0): Promise<string> {
		return (await this.look(view)).text;
	}

	/** Selects a range, and types in its place with the keyboard. */
	async replace(view: number, from: number, to: number, insert: string): Promise<void> {
		if (/[\r\n\t]/.test(insert)) {
			await this.paste(view, from, insert, to);
			return;
		}
		await this.select(view, from, to);
		if (from < to) await this.press("Backspace");
		await this.type(insert);
	}

	/** Pastes text at an offset, or in place of a range. */
	async paste(view: number, from: number, insert: string, to = from): Promise<void> {
		await this.select(view, from, to);
		await this.call((demo, [view, from, to, insert]) => demo.paste(view, from, to, insert), [
			view,
			from,
			to,
			insert,
		] as const);
	}

	async press(...keys: readonly string[]): Promise<void> {
		for (const key of keys) await this.page.keyboard.press(key);
	}

	type(text: string): Promise<void> {
		return this.page.keyboard.type(text);
	}

	/** Stops the page's clock. After that only `passTime` advances it. */
	async stopTime(): Promise<void> {
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

	async allAnswered(): Promise<void> {
		await this.page.waitForFunction(() => (globalThis as unknown as { demo: Demo }).demo.unanswered.size === 0);
	}
}

/** A server and a browser shared by the tests in a block. Each test gets a fresh page. */
export interface DemoFixture {
	readonly server: PlayServer;
	readonly browser: TestBrowser;
	open(options: DemoOptions): Promise<DemoPage>;
}

/** Defines tests in Chromium that run only with `--all`. They also fail if a page reports an error. */
export function inDemoPage(title: string, tests: (fixture: DemoFixture) => void): void {
	describe.runIf(isAll && CHROMIUM !== undefined)(title, () => {
		let server: PlayServer | undefined;
		let browser: TestBrowser | undefined;
		let relay: PlayRelay | undefined;
		const started = <T>(thing: T | undefined): T => {
			if (thing === undefined) throw new Error("the fixture can only be used inside a test");
			return thing;
		};
		beforeAll(async () => {
			const [pages, play, chromium] = await Promise.all([
				buildPluginPage("codemirror"),
				PlayServer.start(),
				TestBrowser.start(),
			]);
			server = play;
			browser = chromium;
			relay = await PlayRelay.start(play, undefined, pages);
		});
		afterEach(async () => {
			await browser?.leave();
			expect(browser?.complaints.splice(0)).toEqual([]);
		});
		afterAll(async () => {
			await browser?.[Symbol.asyncDispose]();
			await relay?.[Symbol.asyncDispose]();
			await server?.[Symbol.asyncDispose]();
		});
		tests({
			get server() {
				return started(server);
			},
			get browser() {
				return started(browser);
			},
			open: async (options) => {
				const page = await started(browser).visit(started(relay).address);
				const demo = new DemoPage(page);
				await page.waitForFunction(() => "demo" in globalThis);
				await demo.call((demo, options) => demo.start(options), { token: started(server).token, ...options });
				return demo;
			},
		});
	});
}
