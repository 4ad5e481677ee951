import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { WAIT } from "../setup/tier.js";
import { CHROMIUM } from "./chromium.js";

export type { Page, Response } from "playwright-core";

// Without a screen, a sandbox of its own, and everything that talks to the outside.
const ARGS = [
	"--no-sandbox",
	"--disable-gpu",
	"--disable-dev-shm-usage",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
	"--no-first-run",
];

/** A browser in which each visit is a person's first. Whatever a page does that it must not is kept as a complaint. */
export class TestBrowser implements AsyncDisposable {
	/** What pages said that must not be: errors, requests to elsewhere, and what their policy stopped. */
	readonly complaints: string[] = [];

	private constructor(private readonly browser: Browser) {}

	static async start(): Promise<TestBrowser> {
		if (CHROMIUM === undefined) throw new Error("there is no Chromium: npm run setup:browser installs it");
		return new TestBrowser(await chromium.launch({ executablePath: CHROMIUM, args: ARGS, timeout: WAIT.timeout }));
	}

	async visit(address: string, options: BrowserContextOptions = {}): Promise<Page> {
		const page = await this.blank(new URL(address).origin, options);
		await page.goto(address);
		return page;
	}

	/** A page that is nowhere yet, and may go only to this origin. */
	async blank(origin: string, options: BrowserContextOptions = {}): Promise<Page> {
		const context = await this.browser.newContext(options);
		context.setDefaultTimeout(WAIT.timeout);
		this.watch(context, origin);
		return context.newPage();
	}

	private watch(context: BrowserContext, origin: string): void {
		context.on("console", (message) => {
			// A policy that stops something says so here, as an error.
			if (message.type() === "error" || message.type() === "warning") {
				this.complaints.push(`${message.type()}: ${message.text()}`);
			}
		});
		context.on("weberror", (error) => this.complaints.push(`thrown: ${error.error().stack}`));
		context.on("request", (request) => this.judge(request.url(), origin));
		context.on("page", (page) => page.on("websocket", (socket) => this.judge(socket.url(), origin)));
	}

	private judge(address: string, origin: string): void {
		const { protocol, host } = new URL(address);
		// What the page made itself goes nowhere.
		if (protocol === "data:" || protocol === "blob:" || host === new URL(origin).host) return;
		this.complaints.push(`a request to ${protocol}//${host}`);
	}

	/** Ends all visits. */
	async leave(): Promise<void> {
		await Promise.all(this.browser.contexts().map((context) => context.close()));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.browser.close();
	}
}
