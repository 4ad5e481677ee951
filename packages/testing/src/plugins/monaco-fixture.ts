import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { type Page, TestBrowser } from "../playground/browser.js";
import { CHROMIUM } from "../playground/chromium.js";
import { isAll } from "../setup/tier.js";
import { MonacoTester } from "./monaco-tester.js";

const root = path.join(import.meta.dirname, "..", "..", "..", "..");

const HTML = `<!doctype html>
<meta charset="utf-8"><title>Monaco with Segue</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="monaco-demo.css">
<style>body { margin: 0; display: flex; height: 100vh } body > div { flex: 1; min-width: 0 }</style>
<script type="module" src="monaco-demo.js"></script>`;

/** Serves a page with Monaco and the plugin, and forwards WebSockets to a server. */
class MonacoPageServer implements AsyncDisposable {
	/** The origin of the `segue serve` that WebSockets go to. */
	agent: string | undefined;

	private constructor(private readonly http: Server) {}

	static async start(): Promise<MonacoPageServer> {
		const { outputFiles } = await build({
			...{ absWorkingDir: root, bundle: true, write: false, outdir: "out", format: "esm", platform: "browser" },
			...{ conditions: ["@segue/source"], loader: { ".ttf": "dataurl" }, logLevel: "error" },
			entryPoints: {
				"monaco-demo": path.join(import.meta.dirname, "monaco-demo.ts"),
				"agent-worker": path.join(root, "packages", "server", "src", "acp", "worker.ts"),
				"editor.worker": "monaco-editor/editor/editor.worker.js",
			},
		});
		const files = new Map(outputFiles.map((file) => [`/${path.basename(file.path)}`, file.contents]));
		const http = createServer(({ url = "/" }, response) => {
			const { pathname } = new URL(url, "http://localhost");
			const content = pathname === "/" ? HTML : files.get(pathname);
			const type = pathname === "/" ? "text/html" : pathname.endsWith(".css") ? "text/css" : "text/javascript";
			response.writeHead(content === undefined ? 404 : 200, { "content-type": type }).end(content);
		});
		const server = new MonacoPageServer(http);
		http.on("upgrade", ({ url, headers }, socket) => {
			if (server.agent === undefined) {
				socket.destroy();
				return;
			}
			const { host, hostname, port, origin } = new URL(server.agent);
			const upstream = connect(Number(port), hostname);
			const lines = Object.entries({ ...headers, host, origin }).map(([name, value]) => `${name}: ${value}`);
			upstream.write(`GET ${url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
			for (const [one, other] of [
				[socket, upstream],
				[upstream, socket],
			] as const) {
				one.on("error", () => other.destroy());
				one.pipe(other);
			}
		});
		http.listen(0, "127.0.0.1");
		await once(http, "listening");
		return server;
	}

	get address(): string {
		return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/`;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.http.closeAllConnections();
		this.http.close();
		await once(this.http, "close");
	}
}

/** The demo page's server, and a function that opens the page. */
export interface MonacoFixture {
	readonly server: MonacoPageServer;
	/** Opens the page in a fresh browser context. */
	open(size?: { width: number; height: number }, theme?: string): Promise<MonacoTester>;
	/** Allows the errors and warnings that match in this test. */
	allow(complaint: RegExp): void;
}

/** Defines tests in Chromium that run only with `--all`. They also fail if the page reports an error. */
export function inMonaco(title: string, tests: (fixture: MonacoFixture) => void): void {
	describe.runIf(isAll && CHROMIUM !== undefined)(title, () => {
		let server: MonacoPageServer | undefined;
		let browser: TestBrowser | undefined;
		let allowed: RegExp[] = [];
		// Monaco throws this if ghost text changes soon after it appeared.
		const usual = /^thrown: Canceled: Canceled/;
		const started = <T>(thing: T | undefined): T => {
			if (thing === undefined) throw new Error("the fixture can only be used inside a test");
			return thing;
		};
		beforeAll(async () => {
			[server, browser] = await Promise.all([MonacoPageServer.start(), TestBrowser.start()]);
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
