import path from "node:path";
import { pathToFileURL } from "node:url";
import { COMMANDS, type OtherAgentSession, ThreadWorkspace } from "@segue/assist";
import * as eca from "@segue/protocol/eca";
import { Connection, memoryPair, type Problem } from "@segue/rpc";
import { type FolderPicture, ToolFixture } from "@segue/testing/chat/tool-fixture";
import { FakeClock } from "@segue/testing/clock";
import type { Clock } from "@segue/text";
import { diskFiles } from "@segue/text/node";
import { Privacy } from "@segue/text/privacy";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EcaSession, OpenChat } from "./eca-session.js";
import { queryHandlers } from "./queries.js";

const NO_SERVERS = { states: () => [], commands: () => [] };

/** An editor that sends queries in a real folder. */
class AskingEditor {
	readonly connection: Connection<"client">;
	folders: readonly [string, ...string[]];
	chat: Pick<OpenChat, "agent"> | undefined;
	/** The error that the next scan fails with. */
	failure: Error | undefined;

	private constructor(
		readonly box: ToolFixture,
		clock: Clock,
	) {
		this.folders = [box.root];
		const [ours, theirs] = memoryPair();
		const session: Partial<EcaSession> = {
			engine: async () => ({ commands: COMMANDS, workspaceOf: this.workspaceOf, assist: { mcp: NO_SERVERS } }) as never,
			chats: { find: async () => this.chat, known: () => [] } as never,
		};
		Object.defineProperty(session, "folders", { get: () => this.folders });
		const report = (problem: Problem) => expect(problem.kind).toBe("handler-failed");
		const handlers = queryHandlers(session as EcaSession, clock);
		const connection = new Connection<"agent">(theirs, { dialect: eca.dialect, handlers, report });
		Object.assign(session, { connection });
		this.connection = new Connection<"client">(ours, { dialect: eca.dialect, handlers: [], report });
	}

	static async open(files: FolderPicture, clock: Clock = new FakeClock()): Promise<AskingEditor> {
		return new AskingEditor(await ToolFixture.draw(files), clock);
	}

	private readonly workspaceOf = (folders: readonly [string, ...string[]]): ThreadWorkspace => {
		const { failure } = this;
		this.failure = undefined;
		if (failure !== undefined) throw failure;
		return workspaceOf(folders);
	};

	async contexts(query: string, contexts: eca.ChatContext[] = []): Promise<string[]> {
		const answer = await this.connection.request(eca.queryContext, { chatId: "c", query, contexts });
		expect(answer.chatId).toBe("c");
		return answer.contexts.map((each) => this.words(each));
	}

	async files(query: string): Promise<string[]> {
		const { files } = await this.connection.request(eca.queryFiles, { query });
		return files.map((each) => this.words(each));
	}

	async commands(query: string) {
		return (await this.connection.request(eca.queryCommands, { chatId: "c", query })).commands;
	}

	/** Folders end with a slash, and the workspace is a dot. */
	private words(context: eca.OfferedContext): string {
		if (context.type === "cursor") return "cursor";
		if (context.type === "web") return context.url;
		if (context.type !== "file" && context.type !== "directory") return context.type;
		const name = path.relative(this.box.root, context.path).replaceAll(path.sep, "/");
		return context.type === "file" ? name : `${name || "."}/`;
	}
}

/** Returns a view of a folder with its actual ignore files. */
function workspaceOf(folders: readonly [string, ...string[]]): ThreadWorkspace {
	const uris = folders.map((folder) => pathToFileURL(folder).href);
	const known = { folders: uris.map((uri) => ({ uri, name: "" })) };
	return new ThreadWorkspace(
		folders,
		new Privacy(
			diskFiles(() => known),
			() => uris,
		),
	);
}

const FILES = {
	"main.ts": "",
	"README.md": "",
	"src/main.ts": "",
	"src/domain/order.ts": "",
	"src/domain/Main.test.ts": "",
	"src/remains/a.ts": "",
	"docs/cursor.md": "",
	".env": "KEY=1",
	".gitignore": "out/\n*.log\n",
	"out/main.js": "",
	"debug.log": "",
	"empty/": "",
} as const;

describe("a context query", () => {
	test.each<[string, string, string[]]>([
		[
			"main",
			"exact names first, then prefixes, then shallow paths",
			[
				"main.ts",
				"src/main.ts",
				"src/domain/Main.test.ts",
				"src/domain/",
				"src/remains/",
				"src/remains/a.ts",
				"src/domain/order.ts",
			],
		],
		["main.ts", "files with the same name in every folder", ["main.ts", "src/main.ts"]],
		["domain/o", "files that match part of a path", ["src/domain/order.ts"]],
		["./src/main.ts", "a path that starts with a dot", ["src/main.ts"]],
		["cur", "the cursor before files", ["cursor", "docs/cursor.md"]],
		["workspace", "the workspace by its name", ["./"]],
		["https://example.com/a?b", "a web page by its URL", ["https://example.com/a?b"]],
		["env", "no secret", []],
		["log", "no ignored files", []],
		["out", "no ignored folders", []],
		["empty", "no empty folders", []],
		["../", "nothing outside", []],
	])("%j offers %s", async (query, _title, expected) => {
		expect(await (await AskingEditor.open(FILES)).contexts(query)).toEqual(expected);
	});

	test("returns everything if it has no text, with shallow paths first", async () => {
		const offered = await (await AskingEditor.open(FILES)).contexts("");
		expect(offered.slice(0, 7)).toEqual(["cursor", "./", "src/", "docs/", "main.ts", "README.md", ".gitignore"]);
		expect(offered).toHaveLength(14);
	});

	test("omits contexts that the prompt already has", async () => {
		const editor = await AskingEditor.open(FILES);
		const at = { line: 1, character: 1 };
		const file = (name: string) => path.join(editor.box.root, name);
		const offered = await editor.contexts("", [
			{ type: "cursor", path: file("main.ts"), position: { start: at, end: at } },
			{ type: "file", path: file("main.ts") },
			{ type: "file", path: file("src/main.ts"), linesRange: { start: 1, end: 2 } },
			{ type: "directory", path: file("src") },
			{ type: "directory", path: editor.box.root },
			{ type: "repoMap" },
		]);
		expect(offered).not.toEqual(expect.arrayContaining(["cursor"]));
		expect(offered.filter((each) => ["main.ts", "src/", "./", "src/main.ts"].includes(each))).toEqual(["src/main.ts"]);
		expect(await editor.contexts("https://a.b", [{ type: "web", url: "https://a.b" }])).toEqual([]);
	});

	test("accepts absolute paths", async () => {
		const editor = await AskingEditor.open(FILES);
		expect(await editor.contexts(path.join(editor.box.root, "src", "main.ts"))).toEqual(["src/main.ts"]);
	});
});

describe("a file query", () => {
	test("returns only files, not folders or other contexts", async () => {
		const editor = await AskingEditor.open(FILES);
		expect(await editor.files("cursor")).toEqual(["docs/cursor.md"]);
		expect((await editor.files("")).filter((name) => name.endsWith("/"))).toEqual([]);
	});

	test("returns the same files in the same order as a naive search", async () => {
		const names = ["a", "b", "ab", "ba.ts", "x/a", "x/ab", "x/y/a.ts", "x/y/b", "A/B.ts", "A/a", "bb/aa/ab"];
		const editor = await AskingEditor.open(Object.fromEntries(names.map((name) => [name, ""])));
		await fc.assert(
			fc.asyncProperty(fc.string({ unit: fc.constantFrom(..."abxy./"), maxLength: 4 }), async (query) => {
				const word = query.replace(/^\.\//, "");
				const ranks = names.flatMap((name) => {
					const lower = name.toLowerCase();
					const base = path.posix.basename(lower);
					const tests = [
						base === word || lower === word,
						base.startsWith(word),
						base.includes(word),
						lower.includes(word),
					];
					const rank = tests.indexOf(true);
					return rank < 0 ? [] : [{ name, key: [rank, name.split("/").length, name.length, name] as const }];
				});
				ranks.sort((a, b) => {
					const i = a.key.findIndex((part, at) => part !== b.key[at]);
					return (a.key[i] as string) < (b.key[i] as string) ? -1 : 1;
				});
				expect(await editor.files(query)).toEqual(ranks.map(({ name }) => name));
			}),
		);
	});

	test("returns the hundred best matches", async () => {
		const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`far/away/it-${i}`, ""]));
		const editor = await AskingEditor.open({ ...many, it: "" });
		const offered = await editor.files("it");
		expect(offered).toHaveLength(100);
		expect(offered[0]).toBe("it");
		expect(await editor.contexts("it")).toHaveLength(100);
	});

	test("follows the editor's folders, ignores missing ones, and returns no duplicates", async () => {
		const editor = await AskingEditor.open({ "a.ts": "", "in/c.ts": "", "../lib/b.ts": "" });
		const at = (name: string) => path.join(editor.box.root, name);
		editor.folders = [at("."), at("../lib"), at("../none"), at("in")];
		expect(await editor.files(".ts")).toEqual(["a.ts", "../lib/b.ts", "in/c.ts"]);
	});

	test("retries after a failed scan", async () => {
		const editor = await AskingEditor.open({ "a.ts": "" });
		editor.failure = new Error("EMFILE");
		await expect(editor.files("")).rejects.toMatchObject({ code: -32603 });
		expect(await editor.files("")).toEqual(["a.ts"]);
	});

	test("finds new files after a few seconds, without a scan for each letter", async () => {
		const clock = new FakeClock();
		const editor = await AskingEditor.open({ "a.ts": "" }, clock);
		expect(await editor.files("")).toEqual(["a.ts"]);
		await editor.box.add({ "b.ts": "" });
		clock.advance(4_999);
		expect(await editor.files("")).toEqual(["a.ts"]);
		clock.advance(1);
		expect(await editor.files("")).toEqual(["a.ts", "b.ts"]);
		expect(clock.isIdle).toBe(true);
	});

	test("returns partial results from a slow scan, or the results of the previous scan", async () => {
		let isPatient = false;
		const clock = new FakeClock();
		const impatient: Clock = {
			now: clock.now,
			after: (_delayMs, run) => {
				if (!isPatient) run();
				return () => {};
			},
		};
		const editor = await AskingEditor.open({ "a.ts": "" }, impatient);
		expect(await editor.files("")).toEqual([]);
		isPatient = true;
		expect(await editor.files("")).toEqual(["a.ts"]);
		clock.advance(10_000);
		isPatient = false;
		await editor.box.add({ "b.ts": "" });
		expect(await editor.files("")).toEqual(["a.ts"]);
		isPatient = true;
		expect(await editor.files("")).toEqual(["a.ts", "b.ts"]);
	});
});

describe("a command query", () => {
	test("returns commands whose names contain the typed text", async () => {
		const editor = await AskingEditor.open({});
		expect((await editor.commands("")).map(({ name }) => name)).toEqual(COMMANDS.map(({ name }) => name));
		expect(await editor.commands("EA")).toMatchObject([
			{ name: "search", type: "native", arguments: [{ name: "text", required: true }] },
		]);
		expect(await editor.commands("versa")).toMatchObject([
			{ name: "conversations", arguments: [{ name: "text", required: false }] },
		]);
		expect(await editor.commands("no such")).toEqual([]);
	});

	test("returns another agent's commands", async () => {
		const editor = await AskingEditor.open({});
		const commands = [
			{ name: "review", description: "Reviews", input: { hint: "what to look at" } },
			{ name: "rest", description: "Rests" },
			{ name: "go", description: "Goes" },
		];
		editor.chat = { agent: async () => ({ commands }) as Partial<OtherAgentSession> as OtherAgentSession };
		expect(await editor.commands("re")).toEqual([
			{
				name: "review",
				description: "Reviews",
				type: "native",
				arguments: [{ name: "what to look at", required: false }],
			},
			{ name: "rest", description: "Rests", type: "native", arguments: [] },
		]);
	});
});
