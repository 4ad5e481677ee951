import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { type Page, TestBrowser } from "../playground/browser.js";
import { CHROMIUM } from "../playground/chromium.js";
import { isAll } from "../setup/tier.js";
import { MonacoTester } from "./monaco-tester.js";
import { PluginPageServer } from "./plugin-pages.js";

/** The demo page's server, and a function that opens the page. */
export interface MonacoFixture {
	readonly server: PluginPageServer;
	/** Opens the page in a fresh browser context. */
	open(size?: { width: number; height: number }, theme?: string): Promise<MonacoTester>;
	/** Allows the errors and warnings that match in this test. */
	allow(complaint: RegExp): void;
}

/** Defines tests in Chromium that run only with `--all`. They also fail if the page reports an error. */
export function inMonaco(title: string, tests: (fixture: MonacoFixture) => void): void {
	describe.runIf(isAll && CHROMIUM !== undefined)(title, () => {
		let server: PluginPageServer | undefined;
		let browser: TestBrowser | undefined;
		let allowed: RegExp[] = [];
		// Monaco throws this if ghost text changes soon after it appeared.
		const usual = /^thrown: Canceled: Canceled/;
		const started = <T>(thing: T | undefined): T => {
			if (thing === undefined) throw new Error("the fixture can only be used inside a test");
			return thing;
		};
		beforeAll(async () => {
			[server, browser] = await Promise.all([PluginPageServer.start("monaco"), TestBrowser.start()]);
		});
		afterEach(async () => {
			await browser?.leave();
			const complaints = browser?.complaints.splice(0) ?? [];
			expect(complaints.filter((complaint) => ![usual, ...allowed].some((pattern) => pattern.test(complaint)))).toEqual(
				[],
			);
			allowed = [];
		});
		afterAll(async () => {
			await browser?.[Symbol.asyncDispose]();
			await server?.[Symbol.asyncDispose]();
		});
		tests({
			get server() {
				return started(server);
			},
			open: async (viewport = { width: 900, height: 600 }, theme = "vs") => {
				const page: Page = await started(browser).visit(`${started(server).address}?theme=${theme}`, { viewport });
				await page.waitForFunction(() => window.demo !== undefined);
				return new MonacoTester(page);
			},
			allow: (complaint) => allowed.push(complaint),
		});
	});
}
