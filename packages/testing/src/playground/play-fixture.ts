import type { BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { isAll } from "../setup/tier.js";
import { TestBrowser } from "./browser.js";
import { CHROMIUM } from "./chromium.js";
import { PlayPage } from "./play-page.js";
import { PlayServer } from "./play-server.js";

/** A server and a browser that the tests of a block share. Each test gets a fresh browser context. */
export interface PlaygroundFixture {
	readonly server: PlayServer;
	readonly browser: TestBrowser;
	open(options?: BrowserContextOptions): Promise<PlayPage>;
}

/** Defines playground tests that run only with `--all`. */
export function inBrowser(title: string, tests: (fixture: PlaygroundFixture) => void): void {
	describeInBrowser(isAll, title, tests);
}

/** Defines playground tests that also run in `npm test`. */
export function inBrowserAlways(title: string, tests: (fixture: PlaygroundFixture) => void): void {
	describeInBrowser(true, title, tests);
}

/** A test also fails if a page reports an error. Without Chromium the tests are skipped. */
function describeInBrowser(isWanted: boolean, title: string, tests: (fixture: PlaygroundFixture) => void): void {
	describe.runIf(isWanted && CHROMIUM !== undefined)(title, () => {
		let server: PlayServer | undefined;
		let browser: TestBrowser | undefined;
		const started = <T>(thing: T | undefined): T => {
			if (thing === undefined) throw new Error("the fixture can only be used inside a test");
			return thing;
		};
		beforeAll(async () => {
			[server, browser] = await Promise.all([PlayServer.start(), TestBrowser.start()]);
		});
		afterEach(async () => {
			await browser?.leave();
			expect(browser?.complaints.splice(0)).toEqual([]);
		});
		afterAll(async () => {
			await browser?.[Symbol.asyncDispose]();
			await server?.[Symbol.asyncDispose]();
		});
		tests({
			get server() {
				return started(server);
			},
			get browser() {
				return started(browser);
			},
			open: (options) => PlayPage.open(started(browser), started(server).address, options),
		});
	});
}
