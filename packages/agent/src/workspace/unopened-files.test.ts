import { type Prediction, predict } from "@segue/predict";
import { wordQueryOf } from "@segue/predict/words";
import { InlineFolderIndexes, TestFolder } from "@segue/testing/process/indexed-folder";
import { Change, Text } from "@segue/text";
import { expect, test } from "vitest";
import type { Predict } from "../next-edit/models.js";
import { NO_CONTEXT } from "../next-edit/request.js";
import { NextEditSession } from "../next-edit/session.js";

const HOME = "export function getTickets() {\n  return [];\n}\n";
const USER = 'import { getTickets } from "./tickets";\n\ngetTickets();\n';

/** An editor with a session in a folder on disk. */
class Editor {
	readonly indexes = new InlineFolderIndexes();
	readonly session: NextEditSession;
	nowMs = 0;
	private readonly documents = new Map<string, { text: string; version: number }>();

	constructor(
		readonly folder: TestFolder,
		kinds: readonly "jump"[] = ["jump"],
		predictor: Predict = predict,
	) {
		this.session = new NextEditSession({
			kinds: new Set(kinds),
			workspace: { uri: undefined, folders: [{ uri: folder.uri, name: "" }], repository: undefined },
			predict: predictor,
			folders: this.indexes,
			now: () => this.nowMs,
		});
	}

	open(name: string, text: string, languageId = "typescript"): void {
		this.documents.set(name, { text, version: 1 });
		this.session.didOpen({ uri: this.folder.uriOf(name), languageId, version: 1, text: Text.of(text) });
	}

	replace(name: string, old: string, insert: string): void {
		const document = this.documents.get(name) as { text: string; version: number };
		const from = document.text.indexOf(old);
		const change = Change.of([{ from, to: from + old.length, insert }], document.text.length);
		document.version++;
		document.text = change.apply(Text.of(document.text)).toString();
		this.session.didChange({ uri: this.folder.uriOf(name), version: document.version, change, isWhole: false });
	}

	/** Requests a suggestion with the cursor after `at`. Returns the kind, file and line of each suggestion. */
	async ask(name: string, at: string): Promise<string> {
		const { text, version } = this.documents.get(name) as { text: string; version: number };
		const cursor = text.indexOf(at) + at.length;
		const place = { uri: this.folder.uriOf(name), version, cursor, anchor: cursor };
		const signal = new AbortController().signal;
		const answer = await this.session.suggest({ ...place, trigger: "automatic", context: NO_CONTEXT }, { signal });
		if ("silence" in answer) return answer.silence;
		return answer.suggestions
			.map(({ suggestion, document }) => {
				const file = document.uri.slice(this.folder.uri.length + 1);
				const from = suggestion.kind === "edit" ? (suggestion.edits[0]?.from ?? 0) : suggestion.cursor;
				return `${suggestion.kind} ${file}:${document.text.lineAt(from) + 1}`;
			})
			.join(", ");
	}

	/** Renames the exported function of `tickets.ts`. */
	rename(): void {
		this.open("src/tickets.ts", HOME);
		this.replace("src/tickets.ts", "getTickets", "ticketsWith");
	}
}

async function editorIn(files: Readonly<Record<string, string>>, kinds?: readonly "jump"[]): Promise<Editor> {
	const editor = new Editor(new TestFolder({ "src/tickets.ts": HOME, ...files }), kinds);
	await editor.indexes.indexed();
	return editor;
}

test("follows a rename into a file that re-exports the name, and into the files that import it from there", async () => {
	const again = 'export { getTickets } from "./tickets";\n';
	const editor = await editorIn({ "src/index.ts": again, "src/main.ts": USER.replace("./tickets", "./index") });
	editor.rename();
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).toBe("jump src/index.ts:1");
	editor.open("src/index.ts", again);
	expect(await editor.ask("src/index.ts", "export { ")).toMatch(/^edit src\/index\.ts:1/);
	editor.replace("src/index.ts", "getTickets", "ticketsWith");
	expect(await editor.ask("src/index.ts", "ticketsWith")).toBe("jump src/main.ts:1");
});

test("jumps to an unopened file that imports the renamed function, and edits it once it is open", async () => {
	const editor = await editorIn({ "src/main.ts": USER, "test/a.test.ts": USER.replace("./", "../src/") });
	editor.rename();
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).toBe("jump src/main.ts:1");
	editor.open("src/main.ts", USER);
	expect(await editor.ask("src/main.ts", "import {")).toBe("edit src/main.ts:1, edit src/main.ts:3");
	editor.replace("src/main.ts", "getTickets", "ticketsWith");
	editor.replace("src/main.ts", "getTickets", "ticketsWith");
	expect(await editor.ask("src/main.ts", "ticketsWith();")).toBe("jump test/a.test.ts:1");
});

test("uses the editor's text of an open document instead of the file's", async () => {
	const editor = await editorIn({ "src/main.ts": USER });
	editor.open("src/main.ts", "// nothing is imported here any more\n");
	editor.rename();
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).toBe("nothing-found");
	editor.session.didClose(editor.folder.uriOf("src/main.ts"));
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).toBe("jump src/main.ts:1");
});

test("reads a file again before jumping to it", async () => {
	const editor = await editorIn({ "src/main.ts": USER });
	editor.rename();
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).toBe("jump src/main.ts:1");
	editor.folder.write("src/main.ts", `// a line more\n${USER}`);
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).toBe("jump src/main.ts:2");
	editor.folder.write("src/main.ts", "// it is not used any more\n");
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).toBe("nothing-found");
});

test("finds a file that is saved or created by another program", async () => {
	const editor = await editorIn({});
	editor.rename();
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).toBe("nothing-found");
	editor.folder.write("src/main.ts", USER);
	editor.session.didSave(editor.folder.uriOf("src/main.ts"));
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).toBe("jump src/main.ts:1");
});

test.for([
	["imports the name from another file with the same path", "lib/main.ts", USER],
	["imports the name from a package", "src/main.ts", USER.replace("./tickets", "tickets")],
	["declares the name itself", "src/main.ts", "function getTickets() {}\ngetTickets();\n"],
	["contains the name only in a string", "src/main.ts", 'import "./tickets";\nlog("getTickets");\n'],
	["is ignored", "ignored/main.ts", USER.replace("./", "../src/")],
	["is in another language", "src/main.py", "from tickets import getTickets\n"],
] as const)("does not jump to a file that %s", async ([, name, text]) => {
	const editor = await editorIn({ ".gitignore": "ignored", [name]: text });
	editor.rename();
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).toBe("nothing-found");
});

test("reports how many files were searched if nothing is found", async () => {
	const editor = await editorIn({ "src/main.ts": "log();\n", "src/other.ts": "log();\n" });
	editor.open("src/other.ts", "log();\n");
	editor.rename();
	const uri = editor.folder.uriOf("src/tickets.ts");
	const request = { uri, version: 2, cursor: 0, anchor: 0, trigger: "automatic", context: NO_CONTEXT } as const;
	const answer = await editor.session.suggest(request, { signal: new AbortController().signal });
	expect(answer).toEqual({
		silence: "nothing-found",
		detail: "Searched 2 open files and 1 more in the folder.",
	});
});

test("suggests nothing in other files if the editor does not support jumps", async () => {
	const editor = await editorIn({ "src/main.ts": USER }, []);
	editor.rename();
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).toBe("nothing-found");
});

test("does not repeat a jump that the user rejected", async () => {
	const editor = await editorIn({ "src/main.ts": USER });
	editor.rename();
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).toBe("jump src/main.ts:1");
	editor.session.reject("suggestion_1", "rejected");
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).not.toBe("jump src/main.ts:1");
});

test("keeps the index of remaining folders when the workspace changes, and releases it when closed", async () => {
	const editor = await editorIn({ "src/main.ts": USER });
	const other = new TestFolder({});
	const folders = [editor.folder.uri, other.uri].map((uri) => ({ uri, name: "" }));
	editor.session.moveTo({ uri: undefined, folders, repository: undefined });
	await editor.indexes.indexed(2);
	editor.rename();
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).toBe("jump src/main.ts:1");
	editor.session.moveTo({ uri: undefined, folders: folders.slice(1), repository: undefined });
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).toBe("nothing-found");
	await editor.session.close();
	// An index that is still in use would be complete immediately.
	expect(editor.indexes.acquire([{ uri: other.uri }]).state.isComplete).toBe(false);
});

test("resumes indexing after a failed request", () => {
	const fail = () => {
		throw new Error("a rule failed");
	};
	const editor = new Editor(new TestFolder({ "src/tickets.ts": HOME }), ["jump"], fail);
	let pauses = 0;
	const acquire = editor.indexes.acquire.bind(editor.indexes);
	editor.indexes.acquire = (folders) => ({
		...acquire(folders),
		pause: () => {
			pauses++;
			return () => void pauses--;
		},
	});
	editor.session.moveTo({ uri: undefined, folders: [{ uri: editor.folder.uri, name: "" }], repository: undefined });
	editor.rename();
	const uri = editor.folder.uriOf("src/tickets.ts");
	const request = { uri, version: 2, cursor: 0, anchor: 0, trigger: "manual", context: NO_CONTEXT } as const;
	expect(() => editor.session.suggest(request, { signal: new AbortController().signal })).toThrow("a rule failed");
	expect(pauses).toBe(0);
});

test("does not jump to a file that was never reread because rules searched for other files in every round", async () => {
	let rounds = Number.NaN;
	let known: Prediction = { silence: "nothing-found" };
	const restless: Predict = (scene, memory, call) => {
		if (Number.isNaN(rounds)) {
			const prediction = predict(scene, memory, call);
			if (!(prediction instanceof Promise)) known = prediction;
			return prediction;
		}
		scene.folder?.having(wordQueryOf(`word${rounds++}`));
		if (rounds < 6) return { silence: "nothing-found" };
		scene.folder?.having(wordQueryOf("getTickets"));
		return known;
	};
	const others = Array.from({ length: 6 }, (_, i) => [`src/other${i}.ts`, `word${i};\n`]);
	const folder = new TestFolder({ "src/tickets.ts": HOME, "src/main.ts": USER, ...Object.fromEntries(others) });
	const editor = new Editor(folder, ["jump"], restless);
	await editor.indexes.indexed();
	editor.rename();
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).toBe("jump src/main.ts:1");
	rounds = 0;
	expect(await editor.ask("src/tickets.ts", "ticketsWith")).toBe("nothing-found");
	expect(rounds).toBe(6);
});

test("does not search for strings in unopened files", async () => {
	const log = (text: string) => `log("${text}");\n`;
	const editor = await editorIn({ "src/main.ts": log("no ticket was found"), "src/b.ts": log("no ticket was found") });
	editor.open("src/b.ts", log("no ticket was found"));
	editor.replace("src/b.ts", "no ticket was found", "there is no such ticket");
	expect(await editor.ask("src/b.ts", "ticket")).toBe("nothing-found");
});
