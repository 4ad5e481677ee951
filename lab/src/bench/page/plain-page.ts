import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@segue/testing/browser";
import { build, type Plugin } from "esbuild";

/** The scripts of the playground with the same editor, but without Segue in it. */
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

	/** Gives a page these scripts in place of the server's. */
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

/** In place of the library there is one that takes everything and does nothing. */
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
