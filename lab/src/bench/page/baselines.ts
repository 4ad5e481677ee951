import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@segue/testing/playground/browser";
import { build, type Plugin } from "esbuild";
import { instantAnswer } from "../instant-answer.js";

/** The playground's scripts with the same editor, but without Segue. */
export class PlainPage implements Disposable {
	private readonly folder = mkdtempSync(path.join(tmpdir(), "segue-bench-page-"));

	private constructor() {}

	static async build(): Promise<PlainPage> {
		const plain = new PlainPage();
		const sources = fileURLToPath(new URL("../../../../playground/src/", import.meta.url));
		await build({
			entryPoints: [path.join(sources, "main.tsx")],
			outdir: plain.folder,
			bundle: true,
			splitting: true,
			format: "esm",
			platform: "browser",
			target: "es2023",
			conditions: ["@segue/source"],
			plugins: [withoutSegue],
			minify: true,
			loader: { ".md": "text", ".txt": "text" },
			jsx: "automatic",
			jsxImportSource: "preact",
			logLevel: "warning",
		});
		return plain;
	}

	/** Makes a page load these scripts instead of the server's. */
	async replace(page: Page): Promise<void> {
		await page.route("**/*.js", (route) => {
			const { pathname } = new URL(route.request().url());
			const body = readFileSync(path.join(this.folder, pathname), "utf8");
			return route.fulfill({ body, contentType: "text/javascript" });
		});
	}

	[Symbol.dispose](): void {
		rmSync(this.folder, { recursive: true });
	}
}

/** Replaces `@segue/editor` with a stub that does nothing. */
const withoutSegue: Plugin = {
	name: "without-segue",
	setup: ({ onResolve, onLoad }) => {
		onResolve({ filter: /^@segue\/editor$/ }, () => ({ path: "nothing", namespace: "without-segue" }));
		onLoad({ filter: /.*/, namespace: "without-segue" }, () => ({
			contents: `export class Editor {
				constructor() {
					return new Proxy(this, { get: (_, name) => (name === "current" ? undefined : () => {}) });
				}
			}`,
		}));
	},
};

/** Runs a minimal ACP agent that always suggests the same edit. */
export function instantAgent(wire: Wire): void {
	wire.on("message", (data) => {
		const { id, method, params } = JSON.parse(data.toString());
		if (id === undefined) return;
		wire.send(JSON.stringify({ jsonrpc: "2.0", id, result: instantAnswer(method, params, EDIT) }));
	});
}

/** The edit that Segue itself suggests after `cnt` became `cnts` at its first occurrence in the sample. */
const EDIT = {
	range: { start: { line: 7, character: 5 }, end: { line: 7, character: 5 } },
	newText: "s",
};

/** The `WebSocket` members used here. */
interface Wire {
	on(event: "message", listener: (data: { toString(): string }) => void): unknown;
	send(text: string): void;
}
