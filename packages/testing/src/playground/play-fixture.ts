import type { BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import type { WebSocket } from "ws";
import { isAll } from "../setup/tier.js";
import { TestBrowser } from "./browser.js";
import { CHROMIUM } from "./chromium.js";
import { PlayPage } from "./play-page.js";
import { PlayRelay } from "./play-relay.js";
import { PlayServer } from "./play-server.js";

/** A server and a browser shared by the tests in a block. Each test gets a fresh browser context. */
export interface PlaygroundFixture {
	readonly server: PlayServer;
	readonly browser: TestBrowser;
	open(options?: BrowserContextOptions): Promise<PlayPage>;
	/**
	 * Starts a relay that runs until the test's pages are closed: a page that loses its connection sends requests, which
	 * would fail without the relay.
	 */
	relay(agent?: (socket: WebSocket) => void): Promise<PlayRelay>;
}

/** Defines playground tests that run only with `--all`. */
export function inBrowser(title: string, tests: (fixture: PlaygroundFixture) => void): void {
	describeInBrowser(isAll, title, tests);
}

/** Defines playground tests that also run in `npm test`. */
export function inBrowserAlways(title: string, tests: (fixture: PlaygroundFixture) => void): void {
	describeInBrowser(true, title, tests);
}

/** Defines tests that also fail if a page reports an error. Without Chromium they are skipped. */
function describeInBrowser(isWanted: boolean, title: string, tests: (fixture: PlaygroundFixture) => void): void {
	describe.runIf(isWanted && CHROMIUM !== undefined)(title, () => {
		let server: PlayServer | undefined;
		let browser: TestBrowser | undefined;
		const relays: PlayRelay[] = [];
		const started = <T>(thing: T | undefined): T => {
			if (thing === undefined) throw new Error("the fixture can only be used inside a test");
			return thing;
		};
		beforeAll(async () => {
			[server, browser] = await Promise.all([PlayServer.start(), TestBrowser.start()]);
		});
		afterEach(async () => {
			await browser?.leave();
			for (const relay of relays.splice(0)) await relay[Symbol.asyncDispose]();
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
			relay: async (agent) => {
				const relay = await PlayRelay.start(started(server), agent);
				relays.push(relay);
				return relay;
			},
		});
	});
}
