import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import path from "node:path";
import { build } from "esbuild";
import type { RelayedPage } from "../playground/play-relay.js";

const root = path.join(import.meta.dirname, "..", "..", "..", "..");

const CODEMIRROR = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>CodeMirror with Segue</title>
<link rel="icon" href="data:,">
<style>body { margin: 12px; background: Canvas; color: CanvasText; font: 14px system-ui }</style>
<div id="views"></div>
<p id="status" role="status"></p>
<script type="module" src="codemirror-demo.js"></script>
</html>`;

const MONACO = `<!doctype html>
<meta charset="utf-8"><title>Monaco with Segue</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="monaco-demo.css">
<style>body { margin: 0; display: flex; height: 100vh } body > div { flex: 1; min-width: 0 }</style>
<script type="module" src="monaco-demo.js"></script>`;

export type PageEditor = "codemirror" | "monaco";

/**
 * Bundles the demo page of a plugin and the agent's worker from their sources, as a page's own build would. `more`
 * contains further scripts: the path of each source by its name in the page. Returns the page's files by path.
 */
export async function buildPluginPage(
	editor: PageEditor,
	more: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, RelayedPage>> {
	const { outputFiles } = await build({
		...{ absWorkingDir: root, bundle: true, write: false, outdir: "out", format: "esm", platform: "browser" },
		...{ target: "es2023", conditions: ["@segue/source"], loader: { ".ttf": "dataurl" }, logLevel: "error" },
		entryPoints: {
			[`${editor}-demo`]: path.join(import.meta.dirname, `${editor}-demo.ts`),
			"agent-worker": path.join(root, "packages", "server", "src", "acp", "worker.ts"),
			...(editor === "monaco" && { "editor.worker": "monaco-editor/editor/editor.worker.js" }),
			...more,
		},
	});
	const files = outputFiles.map(({ path: file, text }): [string, RelayedPage] => {
		return [`/${path.basename(file)}`, { type: file.endsWith(".css") ? "text/css" : "text/javascript", body: text }];
	});
	return new Map([["/", { type: "text/html", body: editor === "monaco" ? MONACO : CODEMIRROR }], ...files]);
}

/** Serves the demo page of a plugin, and forwards WebSockets to a server. */
export class PluginPageServer implements AsyncDisposable {
	/** The origin of the `segue serve` that WebSockets go to. */
	agent: string | undefined;

	private constructor(private readonly http: Server) {}

	static async start(editor: PageEditor, more?: Readonly<Record<string, string>>): Promise<PluginPageServer> {
		const files = await buildPluginPage(editor, more);
		const http = createServer(({ url = "/" }, response) => {
			const file = files.get(new URL(url, "http://localhost").pathname);
			response
				.writeHead(file === undefined ? 404 : 200, { "content-type": file?.type ?? "text/plain" })
				.end(file?.body);
		});
		const server = new PluginPageServer(http);
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
