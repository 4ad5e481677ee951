import { predict as predictNextEdit, type Suggestion } from "@segue/predict";
import { memoryPair } from "@segue/rpc";
import { type AcpOptions, serveAcp } from "@segue/server";
import { FakeClock } from "@segue/testing/clock";
import { always, edit } from "@segue/testing/editors/acp-editor";
import { settled } from "@segue/testing/rpc/peers";
import { Text } from "@segue/text";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type * as vscode from "vscode";
import { registerCommands } from "./commands.js";
import { fakeVscode as code, Position, Range, Uri } from "./fake-vscode.js";
import { Plugin } from "./plugin.js";
import { relatedSnippets } from "./related-snippets.js";

const FILE = "file:///project/main.ts";
const RENAME = "const cnt = items.length\nlog(cnt)\nlog(cnt + 1)\n";
// Longer than any debounce before a request.
const PAUSE_MS = 3000;
const MISSING = "The agent is missing from the extension. Install the extension again.";

let clock: FakeClock;
let plugin: Plugin;
/** Ends the running agent, as if it had crashed. */
let crash: () => void;
/** The error when the agent is started. */
let problem: string | undefined;
/** Replaces the engine, for suggestions that no rule makes. */
let predict: AcpOptions["predict"];
let kinds: readonly ("jump" | "rename")[];

beforeEach(() => {
	code.reset();
	clock = new FakeClock();
	problem = undefined;
	predict = undefined;
	kinds = ["jump"];
});

afterEach(() => plugin.close());

async function start(): Promise<void> {
	plugin = new Plugin({
		extensionUri: { toString: () => "file:///extension" } as vscode.Uri,
		version: "0.0.0",
		clock,
		kinds: () => kinds,
		files: () => ({ read: async (uri) => code.disk.get(uri)?.toString(), list: async () => [] }),
		connect: () => {
			if (problem !== undefined) throw new Error(problem);
			const [ours, theirs] = memoryPair();
			const engine = predict && { predict };
			const agent = serveAcp(theirs, { version: "0.0.0", sync: "events", now: clock.now, report: () => {}, ...engine });
			crash = () => void agent.close();
			return ours;
		},
	});
	registerCommands(plugin, "segue.segue");
	await pause();
}

async function pause(): Promise<void> {
	await settled();
	clock.advance(PAUSE_MS);
	await settled();
}

/** Opens a file in which the user renames a variable. */
async function rename(text = RENAME): Promise<void> {
	await start();
	code.open(FILE, text);
	await pause();
	code.type(6, 9, "count");
	await pause();
}

function text(): string {
	return code.active?.document.getText() ?? "";
}

async function press(command: string): Promise<void> {
	await code.run(command);
	await pause();
}

describe("the extension", () => {
	test("draws an edit in its line, and Tab accepts one edit after the other", async () => {
		await rename();
		expect(code.drawn).toEqual(["2: count", "2: Tab"]);
		expect(code.contexts.get("segue.suggestionShown")).toBe(true);
		await press("segue.tab");
		expect(text()).toBe("const count = items.length\nlog(count)\nlog(cnt + 1)\n");
		expect(code.drawn).toEqual(["3: count", "3: Tab"]);
		await press("segue.tab");
		expect(text()).toBe("const count = items.length\nlog(count)\nlog(count + 1)\n");
		expect(code.drawn).toEqual([]);
		expect(code.contexts.get("segue.suggestionShown")).toBe(false);
	});

	test("applies a suggestion as one undo step", async () => {
		await rename();
		const before = text();
		await press("segue.tab");
		code.active?.document.undo();
		expect(text()).toBe(before);
	});

	test("dismisses a suggestion with Escape", async () => {
		await rename();
		await press("segue.dismiss");
		expect(code.drawn).toEqual([]);
		expect(plugin.status.sentence).toContain("dismissed");
		await press("segue.tab");
		expect(text()).toContain("log(cnt)");
	});

	test("suggests the next use in the sample file, whose lines fit into a narrow window", async () => {
		await start();
		await press("segue.openSample");
		expect(
			Math.max(
				...text()
					.split("\n")
					.map((line) => line.length),
			),
		).toBeLessThan(40);
		code.type(6, 9, "count");
		await pause();
		expect(code.drawn).toEqual(["4: count", "4: Tab"]);
	});

	test("does not send the status bar item to VS Code again for each key", async () => {
		await start();
		code.open(FILE, RENAME);
		await pause();
		const before = code.statusUpdates;
		code.type(6, 6, "x");
		code.type(7, 7, "y");
		code.select(0);
		expect(code.statusUpdates).toBe(before);
	});

	test("keeps the suggestion while the user types elsewhere", async () => {
		await rename();
		code.type(text().length, text().length, "// note");
		expect(code.drawn).toEqual(["2: count", "2: Tab"]);
	});

	test("goes to an edit out of view before it accepts it", async () => {
		const filler = "step()\n".repeat(60);
		await start();
		const editor = code.open(FILE, `const cnt = items.length\n${filler}log(cnt)\n`);
		editor.scrollTo(0, 20);
		await pause();
		code.type(6, 9, "count");
		await pause();
		expect(code.drawn).toEqual(["20: Tab ↓ line 62"]);
		await press("segue.tab");
		expect(text()).toContain("log(cnt)");
		expect(code.drawn).toEqual(["62: count", "62: Tab"]);
		await press("segue.tab");
		expect(text()).toContain("log(count)");
	});

	test("shows folded code before it accepts an edit there", async () => {
		await start();
		const editor = code.open(FILE, "const cnt = 1\nf(() => {\n\tlog(cnt)\n})\nend()\n");
		editor.fold(2, 3);
		await pause();
		code.type(6, 9, "count");
		await pause();
		expect(code.drawn).toEqual(["2: Tab ↓ line 3"]);
		await press("segue.tab");
		expect(text()).toContain("log(cnt)");
		expect(code.drawn).toEqual(["3: count", "3: Tab"]);
		await press("segue.tab");
		expect(text()).toContain("log(count)");
	});

	test("names the file of a suggestion in another file, and Tab opens it", async () => {
		await start();
		const use = code.open("file:///project/use.ts", 'import { cnt } from "./main.js"\nlog(cnt)\n');
		code.open(FILE, "export const cnt = 1\n");
		await pause();
		code.type(13, 16, "count");
		await pause();
		expect(code.drawn).toEqual(["1: Tab → use.ts"]);
		await press("segue.tab");
		expect(code.active).toBe(use);
		await press("segue.tab");
		expect(text()).toContain("import { count }");
	});

	test("offers text at the cursor as ghost text, and notices when VS Code accepts it", async () => {
		predict = always(edit(FILE, 8, 8, "(1, 2)"));
		await start();
		code.open(FILE, "log(a)\n\n");
		await pause();
		// VS Code would ask a provider after each key.
		expect(code.providers).toEqual([]);
		code.type(7, 7, "x");
		await pause();
		expect([code.ghost, code.providers.length]).toEqual(["(1, 2)", 1]);
		expect(code.executed).toContain("editor.action.inlineSuggest.trigger");
		expect(code.drawn).toEqual([]);
		expect(code.contexts.get("segue.suggestionShown") ?? false).toBe(false);
		expect(code.contexts.get("segue.ghostShown")).toBe(true);
		predict = undefined;
		code.acceptGhost();
		expect(text()).toBe("log(a)\nx(1, 2)\n");
		expect([code.ghost, code.providers]).toEqual([undefined, []]);
		expect(code.contexts.get("segue.ghostShown")).toBe(false);
	});

	test("draws the ghost text itself if VS Code's is off, and accepts it word by word", async () => {
		predict = always(edit(FILE, 8, 8, "(1, 2)"));
		code.settings.set("editor.inlineSuggest.enabled", false);
		await start();
		code.open(FILE, "log(a)\n\n");
		await pause();
		code.type(7, 7, "x");
		await pause();
		expect(code.drawn).toEqual(["2: (1, 2)"]);
		expect(code.contexts.get("segue.ghostDrawn")).toBe(true);
		await code.run("segue.acceptWord");
		expect(text()).toBe("log(a)\nx(\n");
		await code.run("segue.tab");
		expect(text()).toBe("log(a)\nx(1, 2)\n");
	});

	test("shortens ghost text while the user types it", async () => {
		predict = always(edit(FILE, 8, 8, "(1, 2)"));
		await start();
		code.open(FILE, "log(a)\n\n");
		await pause();
		code.type(7, 7, "x");
		await pause();
		code.type(8, 8, "(1");
		expect(code.ghost).toBe(", 2)");
		code.type(10, 10, "0");
		expect(code.ghost).toBeUndefined();
	});

	test("removes a suggestion when the edit that it is derived from is undone", async () => {
		await rename();
		code.active?.document.undo();
		expect(code.drawn).toEqual([]);
		await press("segue.tab");
		expect(text()).toBe(RENAME);
	});

	test("draws in the active one of two editors that show a document", async () => {
		await rename();
		const [first] = code.editors;
		const second = code.split();
		expect(code.drawn).toEqual(["2: count", "2: Tab"]);
		expect(first && code.drawnIn(first)).toEqual([]);
		// The other editor shows the edit, but this one does not.
		second?.scrollTo(0, 0);
		expect(code.drawn).toEqual(["1: Tab ↓ line 2"]);
		code.activate(first);
		await press("segue.tab");
		expect(text()).toContain("log(count)");
		expect(code.active).toBe(first);
	});

	test("says that an edit cannot be applied to a read-only file", async () => {
		await rename();
		for (const document of code.documents) document.isReadOnly = true;
		await press("segue.tab");
		expect(text()).toContain("log(cnt)");
		expect(plugin.status.sentence).toContain("Check that the file can be written.");
	});

	test("does not blame the file if the user types while an edit is applied", async () => {
		await rename();
		Object.assign(code.active ?? {}, {
			edit: async () => {
				code.type(0, 0, " ");
				return false;
			},
		});
		await code.run("segue.tab");
		expect(plugin.status.sentence).toContain("could not apply the edits");
	});

	test("does not report very large files, and says so", async () => {
		let requests = 0;
		predict = () => {
			requests++;
			return { suggestions: [] };
		};
		await start();
		code.open(FILE, `const cnt = 1\n${"log(cnt)\n".repeat(500_000)}`);
		await pause();
		code.type(6, 9, "count");
		await press("segue.suggest");
		expect(requests).toBe(0);
		expect(plugin.status.sentence).toBe("This file is too large for suggestions.");
		code.open("file:///project/other.ts", "x\n");
		await pause();
		await press("segue.suggest");
		expect(requests).toBeGreaterThan(0);
		expect(plugin.status.sentence).not.toContain("too large");
	});

	test("suggests again in a file that is no longer too large", async () => {
		await start();
		code.open(FILE, RENAME);
		await pause();
		code.type(0, 0, "// filler\n".repeat(500_000));
		await pause();
		expect(plugin.status.sentence).toBe("This file is too large for suggestions.");
		code.active?.document.undo();
		code.select(0);
		await pause();
		code.type(6, 9, "count");
		await pause();
		expect(code.drawn).toEqual(["2: count", "2: Tab"]);
	});

	test("shows nothing while there is more than one cursor", async () => {
		await rename();
		code.addCursor(0);
		expect(code.drawn).toEqual([]);
		expect(plugin.status.sentence).toBe("No suggestions while there is more than one cursor.");
		await press("segue.tab");
		expect(text()).toContain("log(cnt)");
		code.select(0);
		expect(code.drawn).toEqual(["2: count", "2: Tab"]);
	});

	test("keeps up with line endings, wide characters and tabs", async () => {
		const before = "const cnt = 1 // é漢😀\r\n\tlog(cnt)\r\n";
		await rename(before);
		await press("segue.tab");
		expect(text()).toBe("const count = 1 // é漢😀\r\n\tlog(count)\r\n");
	});

	test("does not show private files to the agent", async () => {
		await start();
		code.open("file:///project/.env", "cnt=1\ncnt=2\n", "properties");
		await pause();
		code.type(0, 3, "count");
		await pause();
		expect(code.drawn).toEqual([]);
		expect(plugin.status.sentence).toMatch(/secret|private/i);
	});

	test.each([
		["file:///project/main.ts", ["2: count", "2: Tab"]],
		["untitled:Untitled-1", ["2: count", "2: Tab"]],
		["git:/project/main.ts", []],
		["output:tasks", []],
	])("draws suggestions in %s: %j", async (uri, drawn) => {
		const opened: string[] = [];
		predict = (scene, ...others) => {
			opened.push(scene.document.uri);
			return predictNextEdit(scene, ...others);
		};
		await start();
		code.open(uri, RENAME, "typescript");
		await pause();
		code.type(6, 9, "count");
		await pause();
		expect(code.drawn).toEqual(drawn);
		expect(opened.includes(uri)).toBe(drawn.length > 0);
	});

	test("indents with Tab while text is selected", async () => {
		await rename();
		expect(code.contexts.get("segue.tabIndents") ?? false).toBe(false);
		code.select(30, 27);
		expect(code.drawn).toEqual(["2: count", "2: Tab"]);
		expect(code.contexts.get("segue.tabIndents")).toBe(true);
	});

	test("draws nothing in a document that is not reported to the agent, and Tab edits nothing there", async () => {
		await rename();
		expect(code.drawn).not.toEqual([]);
		code.open("vscode-userdata:/user/settings.json", "{}", "json");
		await pause();
		expect(code.drawn).toEqual([]);
		expect(code.contexts.get("segue.suggestionShown")).toBe(false);
		const before = code.documents.map((document) => document.getText());
		await press("segue.tab");
		expect(code.documents.map((document) => document.getText())).toEqual(before);
	});

	test("moves diagnostics with the code over several changes, and drops those whose code has changed", async () => {
		let sent: string[] = [];
		predict = ({ diagnostics }) => {
			sent = diagnostics.map(({ from, to, message }) => `${message} ${from}-${to}`);
			return { suggestions: [] };
		};
		await start();
		code.open(FILE, "one\ntwo\nthree\n");
		await pause();
		code.diagnose(FILE, [
			{ from: 4, to: 7, message: "two" },
			{ from: 8, to: 13, message: "three" },
		]);
		await pause();
		code.type(5, 6, "");
		for (const at of [0, 1, 2]) code.type(at, at, "x");
		await pause();
		expect(sent).toEqual(["three 10-15"]);
	});

	test("drops a diagnostic whose code has changed", async () => {
		await rename("const cnt = items.length\nlog(cnt)\n");
		code.diagnose(FILE, [{ from: 31, to: 34, message: "Cannot find name 'cnt'." }]);
		await pause();
		await press("segue.tab");
		expect(text()).toContain("log(count)");
		await pause();
		expect(code.drawn).toEqual([]);
	});
});

describe("a notebook", () => {
	const NOTEBOOK = "file:///project/report.ipynb";

	async function openCells(...cells: string[]) {
		await start();
		const notebook = code.openNotebook(NOTEBOOK, cells);
		await pause();
		return { notebook, texts: () => notebook.cells.map(({ document }) => document.getText()) };
	}

	async function renameInFirst(): Promise<void> {
		code.type(6, 9, "count");
		await pause();
	}

	test("continues a rename in the next cell", async () => {
		const { texts } = await openCells("const cnt = 1\nshow(cnt)", "// é😀\nlog(cnt)\n");
		await renameInFirst();
		expect(code.drawn).toEqual(["2: count", "2: Tab"]);
		await press("segue.tab");
		expect(texts()).toEqual(["const count = 1\nshow(count)", "// é😀\nlog(cnt)\n"]);
		expect(code.drawn).toEqual([]);
		expect(code.editors.map((editor) => code.drawnIn(editor))).toEqual([[], ["2: count", "2: Tab"]]);
		expect(plugin.status.sentence).toContain("on line 2");
		await press("segue.tab");
		expect(texts()[1]).toBe("// é😀\nlog(count)\n");
		expect(code.active).toBe(code.editors[1]);
	});

	test("names a cell that is out of view, and Tab goes there first", async () => {
		const { notebook, texts } = await openCells("# Title", "const cnt = 1", "log(cnt)");
		code.editors.pop();
		await renameInFirst();
		expect(code.drawn).toEqual(["1: Tab → cell 3"]);
		expect(plugin.status.sentence).toContain("in report.ipynb, cell 3, line 1");
		await press("segue.tab");
		expect(texts()[2]).toBe("log(cnt)");
		expect(code.active?.document).toBe(notebook.cells[2]?.document);
		expect(code.drawn).toEqual(["1: count", "1: Tab"]);
		await press("segue.tab");
		expect(texts()[2]).toBe("log(count)");
	});

	test("keeps up with cells that are added, moved and removed", async () => {
		let seen = "";
		predict = (scene, ...others) => {
			seen = scene.document.text.toString();
			return predictNextEdit(scene, ...others);
		};
		const { notebook } = await openCells("const cnt = 1", "a()\n", "b()", "b()");
		await renameInFirst();
		expect(seen).toBe("const count = 1\na()\n\nb()\nb()\n");
		code.addCell(notebook, "log(cnt)", "typescript", 1);
		code.addCell(notebook, "# A heading", "markdown", 1);
		code.addCell(notebook, "SELECT 1", "sql", 1);
		code.removeCell(notebook, 4);
		code.addCell(notebook, "c()");
		await press("segue.suggest");
		expect(seen).toBe("const count = 1\nlog(cnt)\nb()\nb()\nc()\n");
		code.removeCell(notebook, 0);
		code.removeCell(notebook, 0);
		code.activate(code.editors[0]);
		await press("segue.suggest");
		expect(seen).toBe("log(cnt)\nb()\nb()\nc()\n");
	});

	test("gets the language of its first code cell when that changes", async () => {
		let seen: string | undefined;
		predict = (scene, ...others) => {
			seen = `${scene.document.languageId}: ${scene.document.text}`;
			return predictNextEdit(scene, ...others);
		};
		const { notebook } = await openCells("const cnt = 1", "log(cnt)");
		code.activate(code.addCell(notebook, "x = 1", "python", 0));
		await press("segue.suggest");
		expect(seen).toBe("python: x = 1\n");
	});

	test("is withdrawn from the agent while it is too large", async () => {
		let neighbours: string[] = [];
		predict = (scene, ...others) => {
			neighbours = scene.neighbours.map(({ uri }) => uri);
			return predictNextEdit(scene, ...others);
		};
		await openCells("const cnt = 1\nshow(cnt)", "# A heading");
		const cell = code.active;
		code.type(0, 0, "// filler\n".repeat(500_000));
		code.open(FILE, "x\n");
		await pause();
		await press("segue.suggest");
		expect(neighbours).toEqual([]);
		cell?.document.undo();
		await press("segue.suggest");
		expect(neighbours).toEqual([NOTEBOOK]);
		code.editors[1]?.document.change([{ from: 0, to: 0, insert: "#" }]);
		await press("segue.suggest");
		expect(neighbours).toEqual([NOTEBOOK]);
	});

	test("is a text document again after its view is closed", async () => {
		await start();
		const editor = code.open(NOTEBOOK, RENAME, "typescript");
		const notebook = code.openNotebook(NOTEBOOK, ["const cnt = 1\nshow(cnt)"]);
		await pause();
		editor.document.change([{ from: RENAME.length, to: RENAME.length, insert: "end()\n" }]);
		await renameInFirst();
		expect(code.drawn).toEqual(["2: count", "2: Tab"]);
		code.closeNotebook(notebook);
		code.activate(editor);
		await pause();
		code.type(6, 9, "count");
		await pause();
		expect(code.drawn).toEqual(["2: count", "2: Tab"]);
	});

	test("is private if its file is ignored", async () => {
		code.disk.set("file:///project/.gitignore", "*.ipynb\n");
		await openCells("const cnt = 1\nshow(cnt)");
		await renameInFirst();
		expect(code.drawn).toEqual([]);
		expect(plugin.status.sentence).toContain("ignored");
	});

	test("shows no edit that crosses the end of a cell", async () => {
		predict = always(edit(NOTEBOOK, 2, 7, ")\nb(c"));
		const { texts } = await openCells("a()\n", "b()\n");
		code.type(0, 1, "x");
		await pause();
		expect(code.editors.flatMap((editor) => code.drawnIn(editor))).toEqual([]);
		await press("segue.tab");
		expect(texts()).toEqual(["x()\n", "b()\n"]);
	});

	test("shows the next suggestion if one crosses the end of a cell, and says why", async () => {
		const crossing = edit(NOTEBOOK, 2, 7, ")\nb(c");
		let suggestions = [crossing];
		predict = () => ({ suggestions });
		await openCells("a()\n", "b()\n");
		await press("segue.suggest");
		expect(plugin.status.sentence).toBe("A suggestion cannot be shown: it changes several cells of the notebook.");
		suggestions = [crossing, edit(NOTEBOOK, 1, 1, "bc")];
		await press("segue.suggest");
		expect(code.drawn).toEqual(["1: bc", "1: Tab"]);
	});
});

describe("a workspace with several folders", () => {
	async function renameIn(uri: string): Promise<void> {
		code.open(uri, RENAME);
		await pause();
		code.type(6, 9, "count");
		await pause();
	}

	test("uses the ignore files of each folder", async () => {
		code.addFolder("file:///other");
		code.disk.set("file:///other/.gitignore", "*.ts\n");
		await start();
		await renameIn("file:///other/main.ts");
		expect(code.drawn).toEqual([]);
		expect(plugin.status.sentence).toContain("ignored");
		await renameIn(FILE);
		expect(code.drawn).toEqual(["2: count", "2: Tab"]);
	});

	test("starts a new session with the folders when one is added", async () => {
		const folders: unknown[] = [];
		predict = (scene, ...others) => {
			folders.push(scene.workspace?.folders?.map(({ uri }) => uri));
			return predictNextEdit(scene, ...others);
		};
		await start();
		await renameIn(FILE);
		code.addFolder("file:///other");
		await pause();
		code.select(0);
		await pause();
		expect(folders[0]).toEqual(["file:///project"]);
		expect(folders.at(-1)).toEqual(["file:///project", "file:///other"]);
		expect(code.drawn).toEqual(["2: count", "2: Tab"]);
	});

	test("reports the open documents of a virtual folder that is added", async () => {
		await start();
		const remote = "vscode-vfs://github/owner/repository";
		code.open(`${remote}/main.ts`, RENAME);
		await pause();
		code.addFolder(remote);
		await pause();
		code.type(6, 9, "count");
		await pause();
		expect(code.drawn).toEqual(["2: count", "2: Tab"]);
	});
});

describe("a suggestion to rename a symbol", () => {
	const USES = "const cnt = 1\nlog(cnt, cnts)\nlog(cnt)\n";
	const OTHER = "file:///project/other.ts";

	/** Opens two files and shows the suggestion to rename `cnt` at an offset in the second. */
	async function suggestRename(other = OTHER): Promise<void> {
		kinds = ["jump", "rename"];
		const { edits: _edits, ...details } = edit(FILE, 18, 21, "") as Extract<Suggestion, { kind: "edit" }>;
		predict = always({ ...details, kind: "rename", uri: FILE, at: 18, oldName: "cnt", newName: "count" });
		await start();
		code.open(other, "log(cnt)\n");
		code.open(FILE, USES);
		await pause();
		await press("segue.suggest");
		expect(code.drawn).toEqual(["2: Tab: rename to count"]);
	}

	const textOf = (uri: string) => code.documents.find((one) => one.uri.toString() === uri)?.getText();

	test("uses the language server, and VS Code shows all changes first", async () => {
		code.renamer = () => [
			[FILE, 6, 9],
			[FILE, 18, 21],
			[FILE, 33, 36],
			[OTHER, 4, 7],
		];
		await suggestRename();
		await press("segue.tab");
		expect(code.previewed).toBe(4);
		expect(textOf(FILE)).toBe("const count = 1\nlog(count, cnts)\nlog(count)\n");
		expect(textOf(OTHER)).toBe("log(count)\n");
	});

	test.each([
		[
			"refuses",
			() => {
				throw new Error("You cannot rename this element.");
			},
		],
		["finds nothing", () => []],
	])("changes the equal words in the file if the language server %s", async (_, renamer) => {
		code.renamer = renamer;
		await suggestRename();
		await press("segue.tab");
		expect(code.previewed).toBe(3);
		expect(textOf(FILE)).toBe("const count = 1\nlog(count, cnts)\nlog(count)\n");
		expect(textOf(OTHER)).toBe("log(cnt)\n");
	});

	test("also renames the file that has the name of the symbol, without a preview", async () => {
		const from = "file:///project/cnt.ts";
		const to = "file:///project/count.ts";
		code.disk.set(from, "");
		code.renamedFile = [from, to];
		code.renamer = () => [
			[FILE, 18, 21],
			[from, 4, 7],
		];
		await suggestRename(from);
		await press("segue.tab");
		expect([...code.disk.keys()]).toEqual([to]);
		expect(code.previewed).toBe(0);
		expect(textOf(from)).toBe("log(count)\n");
	});

	test("changes nothing if the user types before a language server refuses", async () => {
		code.renamer = () => {
			code.type(0, 0, "const first = 0\n");
			return [];
		};
		await suggestRename();
		await press("segue.tab");
		expect(textOf(FILE)).toBe(`const first = 0\n${USES}`);
		expect(code.previewed).toBe(0);
	});

	test("changes nothing if the user discards the preview", async () => {
		code.isPreviewApplied = false;
		await suggestRename();
		await press("segue.tab");
		expect(textOf(FILE)).toBe(USES);
		expect(plugin.status.sentence).toContain("dismissed");
	});
});

describe("keys", () => {
	const VIM = { "vim.active": true };
	const NEOVIM = { "neovim.init": true };

	test.each([
		["accepts", {}, "segue.tab"],
		["belongs to the list of completions", { suggestWidgetVisible: true }, undefined],
		["belongs to a snippet", { inSnippetMode: true }, undefined],
		["belongs to ghost text", { inlineSuggestionVisible: true }, undefined],
		["indents selected text", { editorHasSelection: true }, undefined],
		["moves the focus", { editorTabMovesFocus: true }, undefined],
		["does nothing in a read-only file", { editorReadonly: true }, undefined],
		["does nothing outside the text", { editorTextFocus: false }, undefined],
		["accepts in Vim's insert mode", { ...VIM, "vim.mode": "Insert" }, "segue.tab"],
		["is Vim's own key in normal mode", { ...VIM, "vim.mode": "Normal" }, undefined],
		["accepts in Neovim's insert mode", { ...NEOVIM, "neovim.mode": "insert" }, "segue.tab"],
		["is Neovim's own key in normal mode", { ...NEOVIM, "neovim.mode": "normal" }, undefined],
	])("Tab %s", async (_, context, command) => {
		await rename();
		expect(code.commandOf("tab", context)).toBe(command);
	});

	test.each([
		["dismisses", {}, "segue.dismiss"],
		["closes the list of completions", { suggestWidgetVisible: true }, undefined],
		["leaves Vim's insert mode", { ...VIM, "vim.mode": "Insert" }, undefined],
		["closes the suggestion as text", { resourceScheme: "segue-suggestion" }, "workbench.action.closeActiveEditor"],
	])("Escape %s", async (_, context, command) => {
		await rename();
		expect(code.commandOf("escape", context)).toBe(command);
	});

	describe("after the last suggestion was accepted, a surplus Tab", () => {
		/** Presses Tab for both uses. */
		async function acceptAll(): Promise<void> {
			await rename();
			await press("segue.tab");
			await code.run("segue.tab");
			await settled();
			expect(text()).not.toContain("cnt");
		}

		test("has no effect, and indents after 1.5 seconds", async () => {
			await acceptAll();
			const before = text();
			expect(code.commandOf("tab")).toBe("segue.tab");
			for (let presses = 0; presses < 3; presses++) {
				await code.run("segue.tab");
				expect(text()).toBe(before);
				clock.advance(1000);
				expect(code.commandOf("tab")).toBe("segue.tab");
			}
			clock.advance(500);
			expect(code.commandOf("tab")).toBeUndefined();
		});

		test.each([
			["has typed", () => code.type(0, 0, "x")],
			["has moved the cursor", () => code.select(0)],
			["has opened another file", () => code.open("file:///project/other.ts", "")],
		])("indents once the user %s", async (_, act) => {
			await acceptAll();
			act();
			expect(code.commandOf("tab")).toBeUndefined();
		});

		test.each([{ suggestWidgetVisible: true }, { editorHasSelection: true }, { "vim.active": true }])(
			"has its usual effect with %j",
			async (context) => {
				await acceptAll();
				expect(code.commandOf("tab", context)).toBeUndefined();
			},
		);

		test("has no effect after VS Code has accepted ghost text", async () => {
			predict = always(edit(FILE, 8, 8, "(1, 2)"));
			await start();
			code.open(FILE, "log(a)\n\n");
			await pause();
			code.type(7, 7, "x");
			await pause();
			predict = undefined;
			code.acceptGhost();
			expect(code.commandOf("tab")).toBe("segue.tab");
		});
	});

	test("have no effect without a suggestion, except Alt+\\", async () => {
		await start();
		code.open(FILE, RENAME);
		await pause();
		const keys = ["tab", "escape", "ctrl+right", "ctrl+down", "alt+f2", "alt+\\"];
		expect(keys.map((key) => code.commandOf(key))).toEqual([...Array(5), "segue.suggest"]);
	});

	test("accept a word or a line of ghost text", async () => {
		predict = always(edit(FILE, 8, 8, "(1, 2)"));
		await start();
		code.open(FILE, "log(a)\n\n");
		await pause();
		code.type(7, 7, "x");
		await pause();
		const isShown = { inlineSuggestionVisible: true };
		expect(code.commandOf("tab", isShown)).toBeUndefined();
		expect(code.commandOf("ctrl+down", isShown)).toBe("editor.action.inlineSuggest.acceptNextLine");
		expect(code.commandOf("escape", isShown)).toBe("segue.dismiss");
	});
});

describe("related code from the language server", () => {
	const place = (file: string, first: number, last: number) => ({
		uri: Uri.parse(`file:///${file}`),
		range: new Range(new Position(first, 0), new Position(last, 0)),
	});

	/** Requests a suggestion in a line that uses `area`. Resolves to the excerpts that the agent gets. */
	async function excerptsFor(settings: Readonly<Record<string, unknown>>) {
		let excerpts: unknown[] = [];
		predict = (scene, ...others) => {
			excerpts = scene.excerpts.map(({ uri, first, text }) => `${uri} ${first}: ${text}`);
			return predictNextEdit(scene, ...others);
		};
		for (const [key, value] of Object.entries(settings)) code.settings.set(key, value);
		code.disk.set("file:///project/shapes.ts", "// Shapes\nexport function area() {\n\treturn 1\n}\n");
		code.disk.set("file:///project/use.ts", "a()\nb()\narea()\nc()\n");
		code.disk.set("file:///project/.env", "area=1\n");
		code.disk.set("file:///library/area.d.ts", "declare const area: 1\n");
		code.findPlaces = (command, { character }) => {
			if (command === "vscode.executeReferenceProvider")
				return [place("project/use.ts", 2, 2), place("project/.env", 0, 0)];
			const found = [
				place("project/shapes.ts", 1, 3),
				place("library/area.d.ts", 0, 0),
				place("project/main.ts", 0, 0),
			];
			return character === 4 ? found : [];
		};
		await start();
		code.open(FILE, "log(area(1))\n");
		code.select(6);
		await pause();
		await press("segue.suggest");
		return excerpts;
	}

	test("is context for a model: definitions and callers in other files of the workspace", async () => {
		expect(await excerptsFor({ "segue.nextEdit.model": "local/model" })).toEqual([
			"file:///project/shapes.ts 1: export function area() {\n\treturn 1\n}",
			"file:///project/use.ts 0: a()\nb()\narea()\nc()",
		]);
	});

	test("is not collected for the built-in engine", async () => {
		expect(await excerptsFor({})).toEqual([]);
	});

	/** Returns the commands that the language server gets for a cursor, and the related code that is found. */
	async function askedAt(offset: number, isCancelledMeanwhile = false): Promise<string[]> {
		await start();
		code.open(FILE, "log(area (1))\n");
		code.disk.set("file:///project/use.ts", "a()\n");
		const ending = new AbortController();
		const asked: string[] = [];
		code.findPlaces = (command, { character }) => {
			asked.push(`${command.replace(/^vscode.execute|Provider$/g, "")} ${character}`);
			if (isCancelledMeanwhile) ending.abort();
			if (character === 0) throw new Error("The language server has no definition here.");
			return [place("project/use.ts", 0, 0)];
		};
		const document = { uri: FILE, languageId: "typescript", version: 1, text: Text.of(text()) };
		const snippets = await relatedSnippets(document, offset, ending.signal);
		return [...asked.toSorted(), ...snippets.map((snippet) => snippet.text)];
	}

	test.each([
		["in a name", 6, ["Definition 0", "Definition 4", "Reference 6", "a()", "a()\n"]],
		["after a name", 8, ["Definition 0", "Definition 4", "Reference 8", "a()", "a()\n"]],
		["outside names", 9, ["Definition 0", "Definition 4", "a()"]],
	])("includes callers only if the cursor is at a name, and not what fails: %s", async (_, offset, expected) => {
		expect(await askedAt(offset)).toEqual(expected);
	});

	test("is no longer collected after the request is cancelled", async () => {
		expect(await askedAt(6, true)).toEqual(["Reference 6"]);
	});
});

describe("for screen readers", () => {
	test("a command shows the suggestion as text, and the suggestion stays", async () => {
		await rename();
		const editor = code.active;
		await press("segue.showSuggestion");
		expect(code.active?.document.languageId).toBe("diff");
		expect(text()).toBe(
			[
				"Suggestion on line 2: Renaming `cnt` to `count`: 2 more in this file. Tab accepts, Escape dismisses.",
				"",
				"--- main.ts",
				"+++ main.ts",
				"@@ -1,3 +1,3 @@",
				" const count = items.length",
				"-log(cnt)",
				"+log(count)",
				" log(cnt + 1)",
				"",
			].join("\n"),
		);
		code.activate(editor);
		await press("segue.tab");
		expect(text()).toContain("log(count)");
		await press("segue.showSuggestion");
		expect(text()).toContain("+log(count + 1)");
	});

	test("the text of a suggestion in another file is its change there", async () => {
		predict = always(edit("file:///project/use.ts", 9, 12, "count"));
		await start();
		code.read("file:///project/use.ts", 'import { cnt } from "./main.js"\nlog(cnt)\n');
		code.open(FILE, "export const cnt = 1\n");
		await pause();
		await press("segue.suggest");
		await press("segue.showSuggestion");
		expect(text()).toContain("Suggestion in use.ts, line 1");
		expect(text()).toContain('+import { count } from "./main.js"');
	});

	test("a setting announces each suggestion in a message that disappears", async () => {
		code.settings.set("segue.nextEdit.announce", true);
		const filler = "step()\n".repeat(60);
		await start();
		const editor = code.open(FILE, `const cnt = items.length\n${filler}log(cnt)\n`);
		editor.scrollTo(0, 20);
		await pause();
		code.type(6, 9, "count");
		await pause();
		const messages = () => [...code.progress].map((message) => message.replace(/: .*in this file\./, ":"));
		expect(messages()).toEqual(["Suggestion in main.ts, line 62: Tab goes there, Escape dismisses."]);
		await press("segue.tab");
		expect(messages()).toEqual(["Suggestion on line 62: Tab accepts, Escape dismisses."]);
		clock.advance(5_000);
		await settled();
		expect(messages()).toEqual([]);
		await press("segue.tab");
		expect(messages()).toEqual([]);
	});

	test("nothing is announced by default", async () => {
		await rename();
		expect(code.drawn).not.toEqual([]);
		expect([...code.progress]).toEqual([]);
	});
});

describe("settings", () => {
	test.each([
		["segue.nextEdit.enabled", false, "segue.nextEdit.enabled"],
		["segue.nextEdit.offInLanguages", ["typescript"], "this language"],
		["segue.nextEdit.offInFiles", ["*.ts"], "this file"],
	])("%s turns suggestions off, with the reason", async (key, value, reason) => {
		code.settings.set(key, value);
		await rename();
		expect(code.drawn).toEqual([]);
		expect(plugin.status.sentence).toContain(reason);
	});

	test("for one file do not concern the next", async () => {
		code.settings.set("segue.nextEdit.offInFiles", ["*.md"]);
		await start();
		code.open("file:///project/notes.md", "# Notes\n");
		expect(plugin.status.sentence).toContain("off for this file");
		code.open(FILE, RENAME);
		expect(plugin.status.sentence).not.toContain("off");
	});

	test("reach the agent's session", async () => {
		code.settings.set("segue.nextEdit.onlyWhenAsked", true);
		await rename();
		expect(code.drawn).toEqual([]);
		expect(plugin.status.sentence).toContain("Alt+\\");
		await press("segue.suggest");
		expect(code.drawn).toEqual(["2: count", "2: Tab"]);
	});

	test("apply immediately", async () => {
		await rename();
		code.set("segue.nextEdit.enabled", false);
		await pause();
		expect(code.drawn).toEqual([]);
		expect(plugin.status.sentence).toContain("Suggestions are off.");
		code.set("segue.nextEdit.enabled", true);
		await pause();
		code.type(text().length, text().length, "x");
		await pause();
		expect(plugin.status.sentence).not.toContain("off");
	});

	test.each([
		["the user settings", { globalValue: true }],
		["the workspace", { globalValue: false, workspaceValue: true }],
		["a folder of the workspace", { workspaceValue: false, workspaceFolderValue: true }],
		["one language", { workspaceValue: false, globalLanguageValue: true }],
		["one language in the workspace", { globalLanguageValue: false, workspaceLanguageValue: true }],
	])("suggestions are turned off and on where the setting is set: in %s", async (_, values) => {
		await rename();
		code.places.set("segue.nextEdit.enabled", values);
		await press("segue.toggle");
		expect(code.drawn).toEqual([]);
		expect(plugin.status.sentence).toContain("Suggestions are off.");
		await press("segue.toggle");
		expect(code.places.get("segue.nextEdit.enabled")).toEqual(values);
		expect(plugin.status.sentence).not.toContain("off");
	});
});

describe("a snooze", () => {
	const TWO_NAMES = "const cnt = 1\nconst sum = 2\nlog(cnt)\nlog(sum)\n";

	/** Renames the second variable in the file. */
	async function renameSecond(): Promise<void> {
		const from = text().indexOf("sum");
		code.type(from, from + 3, "total");
		await pause();
	}

	async function snooze(): Promise<void> {
		code.choice = "5 minutes";
		await press("segue.snooze");
		code.choice = undefined;
	}

	test("removes the suggestion and ends after the chosen time", async () => {
		await rename(TWO_NAMES);
		expect(code.drawn).not.toEqual([]);
		await snooze();
		expect(code.drawn).toEqual([]);
		expect(plugin.status.sentence).toContain("snoozed");
		clock.advance(5 * 60_000);
		await settled();
		expect(plugin.status.sentence).not.toContain("snoozed");
		await renameSecond();
		expect(code.drawn).not.toEqual([]);
	});

	test("is ended in the menu", async () => {
		await start();
		code.open(FILE, TWO_NAMES);
		await pause();
		await snooze();
		code.choice = "End the snooze";
		await press("segue.showMenu");
		expect(plugin.status.sentence).not.toContain("snoozed");
		await renameSecond();
		expect(code.drawn).not.toEqual([]);
	});

	test("continues when the agent is started again, until its end", async () => {
		await start();
		code.open(FILE, TWO_NAMES);
		await pause();
		await snooze();
		clock.advance(2 * 60_000);
		crash();
		await pause();
		await renameSecond();
		expect(code.drawn).toEqual([]);
		expect(plugin.status.sentence).toContain("snoozed");
		clock.advance(3 * 60_000);
		await pause();
		code.type(6, 9, "count");
		await pause();
		expect(code.drawn).not.toEqual([]);
	});

	test.each([
		["the agent is started again", () => press("segue.restart")],
		[
			"the agent has crashed",
			async () => {
				crash();
				await pause();
			},
		],
		[
			"there was more than one cursor",
			async () => {
				code.addCursor(0);
				expect(plugin.status.sentence).toContain("more than one cursor");
				code.select(0);
			},
		],
	])("stays in the status bar after %s", async (_, disturb) => {
		await start();
		code.open(FILE, TWO_NAMES);
		await snooze();
		await disturb();
		expect(plugin.status.sentence).toContain("snoozed");
		clock.advance(5 * 60_000);
		await settled();
		expect(plugin.status.sentence).not.toContain("snoozed");
	});

	test("applies if it is chosen while the agent starts", async () => {
		problem = MISSING;
		await start();
		await snooze();
		problem = undefined;
		await press("segue.restart");
		code.open(FILE, TWO_NAMES);
		await pause();
		await renameSecond();
		expect(code.drawn).toEqual([]);
		expect(plugin.status.sentence).toContain("snoozed");
	});
});

describe("the agent", () => {
	test("that is missing leads to a message with the next step, and Restart starts it again", async () => {
		problem = MISSING;
		await start();
		expect(code.warnings).toEqual([
			"Segue: The agent is missing from the extension. Install the extension again. Segue tries again.",
		]);
		code.open("file:///project/other.ts", "x\n");
		await pause();
		// Reasons that come and go while there is no agent do not hide its failure.
		code.addCursor(0);
		code.select(0);
		await pause();
		expect(code.status.text).toContain("$(warning)");
		expect(plugin.status.sentence).toContain("missing");
		problem = undefined;
		await press("segue.restart");
		code.open(FILE, RENAME);
		await pause();
		code.type(6, 9, "count");
		await pause();
		expect(code.drawn).toEqual(["2: count", "2: Tab"]);
	});

	test.each([
		["the agent exited with code 1", "The agent exited with code 1. Press Alt+\\ to try again."],
		["gemini was not found: install it", "gemini was not found: install it. Press Alt+\\ to try again."],
	])("that fails leads to a message with one next step: %s", async (text, sentence) => {
		problem = text;
		await start();
		expect(code.warnings).toEqual([`Segue: ${sentence}`]);
		expect(plugin.status.sentence).toBe(sentence);
	});

	test("from the settings that is missing leads to the settings", async () => {
		problem = MISSING;
		code.choice = "Settings";
		await start();
		expect(code.executed).toEqual([]);
		code.set("segue.agent", ["no-such-agent"]);
		await pause();
		expect(code.executed).toContain("workbench.action.openSettings");
	});

	test("that exits again shows why in the status bar, without a second message", async () => {
		await start();
		code.open(FILE, RENAME);
		await pause();
		crash();
		await settled();
		const { sentence } = plugin.status;
		await pause();
		expect(code.status.text).not.toContain("$(warning)");
		crash();
		await settled();
		code.type(6, 9, "count");
		clock.advance(500);
		await settled();
		expect(code.status.text).toContain("$(warning)");
		expect(plugin.status.sentence).toBe(sentence);
		expect(code.warnings).toHaveLength(1);
	});

	test("that exits is started again", async () => {
		await start();
		code.open(FILE, RENAME);
		await pause();
		crash();
		await pause();
		expect(code.warnings).toHaveLength(1);
		code.type(6, 9, "count");
		await pause();
		expect(code.drawn).toEqual(["2: count", "2: Tab"]);
		expect(code.status.text).not.toContain("$(warning)");
	});
});
