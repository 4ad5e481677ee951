import path from "node:path";
import type { Page, TestBrowser } from "@segue/testing/playground/browser";
import type { Demo } from "@segue/testing/plugins/codemirror-demo";
import type {} from "@segue/testing/plugins/monaco-demo";
import { type PageEditor, PluginPageServer } from "@segue/testing/plugins/plugin-pages";

const INSTANT = "instant-agent.js";

/** "segue" with the agent, "instant" with an agent that answers immediately, "bare" without the plugin. */
export type PageKind = "segue" | "instant" | "bare";

/** The operations that the benchmark needs in an editor's page. */
export interface EditorPage {
	readonly page: Page;
	/** Shows another file, and moves the cursor to an offset in it. */
	show(uri: string, text: string, cursor: number): Promise<void>;
	/** For an editor that runs extensions in another process: returns the CPU time of its main thread so far. */
	extensionMs?(): number;
}

/** An editor to measure. */
export interface MeasuredEditor {
	readonly name: string;
	/** Matches the text that a suggestion adds to the page. */
	readonly added: string;
	open(browser: TestBrowser, kind: PageKind): Promise<EditorPage>;
	[Symbol.asyncDispose](): Promise<void>;
}

export async function codemirror(): Promise<MeasuredEditor> {
	const server = await serve("codemirror");
	return {
		name: "CodeMirror",
		added: "[data-segue=added]",
		open: async (browser, kind) => {
			const page = await browser.visit(server.address);
			await page.waitForFunction(() => "demo" in globalThis);
			await page.evaluate(KEPT_NAMES);
			if (kind !== "bare") {
				const agent = kind === "segue" ? ("worker" as const) : { worker: INSTANT };
				await page.evaluate((agent) => (globalThis as unknown as CodeMirrorPage).demo.start({ agent }), agent);
			}
			return {
				page,
				show: (uri, text, cursor) => {
					return page.evaluate(
						async ([uri, text, cursor]) => {
							const { demo } = globalThis as unknown as CodeMirrorPage;
							for (const view of demo.views.splice(0)) {
								view.destroy();
								view.dom.parentElement?.remove();
							}
							const view = demo.open({ uri, languageId: "typescript", text, height: "500px" });
							demo.select(view, cursor);
						},
						[uri, text, cursor] as const,
					);
				},
			};
		},
		[Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
	};
}

export async function monaco(): Promise<MeasuredEditor> {
	const server = await serve("monaco");
	return {
		name: "Monaco",
		added: ".segue-added",
		open: async (browser, kind) => {
			const page = await browser.visit(server.address);
			await page.waitForFunction(() => window.demo !== undefined);
			await page.evaluate(KEPT_NAMES);
			await page.evaluate(
				([kind, script]) => {
					const { demo } = window;
					if (kind === "bare") demo.segue.dispose();
					else if (kind === "instant") {
						const connect = demo.workerAgent(() => new Worker(script, { type: "module" }));
						demo.restart({ connect });
					}
				},
				[kind, INSTANT] as const,
			);
			return {
				page,
				show: (uri, text, cursor) => {
					return page.evaluate(
						async ([uri, text, cursor]) => {
							const { editor, monaco } = window.demo;
							const before = editor.getModel();
							const model = monaco.editor.createModel(text, "typescript", monaco.Uri.parse(uri));
							editor.setModel(model);
							before?.dispose();
							editor.setPosition(model.getPositionAt(cursor));
							editor.revealLineInCenter(model.getPositionAt(cursor).lineNumber);
							editor.focus();
						},
						[uri, text, cursor] as const,
					);
				},
			};
		},
		[Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
	};
}

function serve(editor: PageEditor): Promise<PluginPageServer> {
	return PluginPageServer.start(editor, { "instant-agent": path.join(import.meta.dirname, "instant-agent.ts") });
}

interface CodeMirrorPage {
	readonly demo: Demo;
}

// esbuild wraps functions in calls to `__name`, even in functions that are evaluated in a page.
const KEPT_NAMES = "globalThis.__name = (value) => value; undefined";
