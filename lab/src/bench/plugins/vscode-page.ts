import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestBrowser } from "@segue/testing/playground/browser";
import { CodeServer, codeServerFolder, isInstalled, packageExtension } from "@segue/testing/vscode/code-server";
import { VsCodeWindow } from "@segue/testing/vscode/vscode-window";
import type { EditorPage, MeasuredEditor, PageKind } from "./editor-pages.js";

// Only extensions draw with such classes, and no other extension draws in these files.
const ADDED = ".view-line [class*='TextEditorDecorationType']";
const CLOSE_FILE = "F7";

/**
 * VS Code: code-server, in which the extension is installed, and for each page a server of its own. Undefined if
 * code-server is not installed.
 */
export function vscode(): MeasuredEditor | undefined {
	const folder = codeServerFolder();
	if (!isInstalled(folder)) return undefined;
	const vsix = packageExtension();
	const works: string[] = [];
	const servers: CodeServer[] = [];
	return {
		name: "VS Code",
		added: ADDED,
		open: async (browser, kind) => {
			const work = mkdtempSync(path.join(tmpdir(), "segue-bench-"));
			works.push(work);
			const server = await CodeServer.start({
				folder,
				work,
				...(kind !== "bare" && { vsix }),
				...(kind === "instant" && { machine: { "segue.agent": INSTANT_AGENT } }),
				keys: [{ key: CLOSE_FILE, command: "workbench.action.revertAndCloseActiveEditor" }],
			});
			servers.push(server);
			return open(browser, kind, server);
		},
		[Symbol.asyncDispose]: async () => {
			for (const server of servers) server.stop();
			for (const work of works) rmSync(work, { recursive: true, force: true, maxRetries: 10 });
		},
	};
}

const INSTANT_AGENT = [
	process.execPath,
	...["--import", import.meta.resolve("tsx")],
	path.join(import.meta.dirname, "instant-agent.ts"),
];

async function open(browser: TestBrowser, kind: PageKind, server: CodeServer): Promise<EditorPage> {
	const folder = path.join(server.work, "project");
	mkdirSync(folder);
	const page = await browser.blank(server.origin, { viewport: { width: 1200, height: 700 } });
	const window = new VsCodeWindow(page, server, folder);
	const address = server.addressOf(folder, []);
	if (kind === "bare") await page.goto(address);
	else await window.start(address);
	let extensionHost: number | undefined;
	let shown: string | undefined;
	return {
		page,
		show: async (uri, text, cursor) => {
			if (shown !== undefined) {
				await page.keyboard.press(CLOSE_FILE);
				rmSync(path.join(folder, shown));
			}
			shown = path.basename(uri);
			writeFileSync(path.join(folder, shown), text);
			await window.openFile(shown);
			const lines = text.slice(0, cursor).split("\n");
			await window.goTo(lines.length, (lines.at(-1)?.length ?? 0) + 1);
		},
		extensionMs: () => {
			extensionHost ??= descendantsOf(server.child.pid ?? 0).findLast((pid) => {
				return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=extensionHost");
			});
			if (extensionHost === undefined) throw new Error("the process that runs extensions was not found");
			const [nanoseconds = ""] = readFileSync(`/proc/${extensionHost}/schedstat`, "utf8").split(" ");
			return Number(nanoseconds) / 1e6;
		},
	};
}

/** Returns the processes that a process has started, and those that these have started. */
function descendantsOf(pid: number): number[] {
	const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
	return children.flatMap((child) => [child, ...descendantsOf(child)]);
}
