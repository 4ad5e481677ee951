import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { WAIT } from "../setup/tier.js";
import { CHROMIUM } from "./chromium.js";

export type { Page, Response } from "playwright-core";

// Disable the GPU, the sandbox, and everything that makes network requests.
const ARGS = [
	"--no-sandbox",
	"--disable-gpu",
	"--disable-dev-shm-usage",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
	"--no-first-run",
];

/** A browser that opens each page in a fresh context and records forbidden behaviour. */
export class TestBrowser implements AsyncDisposable {
	/** Errors and warnings from pages, requests to other origins, and content security policy violations. */
	readonly complaints: string[] = [];

	private constructor(private readonly browser: Browser) {}

	static async start(): Promise<TestBrowser> {
		if (CHROMIUM === undefined) throw new Error("Chromium was not found. Run `npm run setup:browser` to install it.");
		return new TestBrowser(await chromium.launch({ executablePath: CHROMIUM, args: ARGS, timeout: WAIT.timeout }));
	}

	async visit(address: string, options: BrowserContextOptions = {}): Promise<Page> {
		const page = await this.blank(new URL(address).origin, options);
		await page.goto(address);
		return page;
	}

	/** Opens a blank page that may send requests only to this origin. */
	async blank(origin: string, options: BrowserContextOptions = {}): Promise<Page> {
		const context = await this.browser.newContext(options);
		context.setDefaultTimeout(WAIT.timeout);
		this.watch(context, origin);
		return context.newPage();
	}

	private watch(context: BrowserContext, origin: string): void {
		context.on("console", (message) => {
			// Content security policy violations are logged as errors.
			if (message.type() === "error" || message.type() === "warning") {
				this.complaints.push(`${message.type()}: ${message.text()}`);
			}
		});
		context.on("weberror", (error) => this.complaints.push(`thrown: ${error.error().stack}`));
		context.on("request", (request) => this.checkOrigin(request.url(), origin));
		context.on("page", (page) => page.on("websocket", (socket) => this.checkOrigin(socket.url(), origin)));
	}

	private checkOrigin(address: string, origin: string): void {
		const { protocol, host } = new URL(address);
		// URLs that the page creates itself cause no request.
		if (protocol === "data:" || protocol === "blob:" || host === new URL(origin).host) return;
		this.complaints.push(`a request to ${protocol}//${host}`);
	}

	/** Closes all pages. */
	async leave(): Promise<void> {
		await Promise.all(this.browser.contexts().map((context) => context.close()));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.browser.close();
	}
}
