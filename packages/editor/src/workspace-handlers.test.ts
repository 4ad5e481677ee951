import * as acp from "@segue/protocol/acp";
import { PeerError } from "@segue/rpc";
import { connectPeers, deferred, settled } from "@segue/testing/rpc/peers";
import { Text } from "@segue/text";
import { Privacy } from "@segue/text/privacy";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DocumentView } from "./document-view.js";
import type { EditorFiles, Host, NamedFile } from "./host.js";
import { workspaceCapabilities, workspaceHandlers } from "./workspace-handlers.js";

const NES = "nes_1";
const CHAT = "chat_1";

interface Circumstances extends Partial<EditorFiles> {
	/** The folders of the next-edit session. */
	readonly folders?: readonly string[];
	readonly chatFolders?: readonly string[];
	/** The text of each open document. All are TypeScript at version 7. */
	readonly texts?: Readonly<Record<string, string>>;
	readonly views?: Readonly<Record<string, DocumentView>>;
	readonly isPrivate?: (uri: string) => boolean | Promise<boolean>;
	readonly encoding?: acp.PositionEncoding;
}

/** An editor with one next-edit session, and an agent that sends requests. */
function connect(circumstances: Circumstances) {
	const { folders = ["file:///p"], chatFolders, texts = {}, views = {} } = circumstances;
	const { encoding = "utf-16", isPrivate, ...state } = circumstances;
	const privacy = new Privacy(undefined, () => folders);
	const host = hostWith(state, {
		view: (uri) => views[uri],
		...(chatFolders && { chatFolders: (sessionId) => (sessionId === CHAT ? chatFolders : undefined) }),
	});
	const handlers = workspaceHandlers({
		host,
		sessionFolders: (sessionId) => (sessionId === NES ? folders : undefined),
		document: (uri) => {
			const text = texts[uri];
			return text === undefined ? undefined : { uri, languageId: "typescript", version: 7, text: Text.of(text) };
		},
		isPrivate: isPrivate ?? ((uri) => privacy.isPrivate(uri)),
		encoding: () => encoding,
	});
	const { agent, client, problems } = connectPeers([], handlers);
	return {
		client,
		problems,
		open: async (sessionId = NES, signal?: AbortSignal) =>
			(await agent.request(acp.openDocuments, { sessionId }, signal)).documents,
		recent: async (limit?: unknown, sessionId = NES) =>
			(await agent.request(acp.recentDocuments, { sessionId, limit: limit as number })).documents,
		active: (sessionId = NES) => agent.request(acp.activeDocument, { sessionId }),
	};
}

function hostWith({ open, recent, active }: EditorFiles, more: Partial<Host> = {}): Host {
	const state = { ...(open && { open }), ...(recent && { recent }), ...(active && { active }) };
	const nothing = () => undefined;
	const workspace = () => ({ folders: [] });
	return {
		workspace,
		view: nothing,
		show: nothing,
		apply: () => false,
		reveal: nothing,
		report: nothing,
		state,
		...more,
	};
}

function files(...uris: readonly string[]): NamedFile[] {
	return uris.map((uri) => ({ uri, languageId: "typescript" }));
}

function numbered(count: number): NamedFile[] {
	return files(...Array.from({ length: count }, (_, i) => `file:///p/${i}.ts`));
}

function urisOf(documents: readonly acp.WorkspaceDocument[]): string[] {
	return documents.map(({ uri }) => uri);
}

/** Returns the files that an agent sees. Checks that all three methods agree. */
async function seenOf(uris: readonly string[], circumstances: Circumstances = {}): Promise<string[]> {
	const open = () => files(...uris);
	const lists = connect({ open, recent: open, ...circumstances });
	const seen = urisOf(await lists.open());
	expect(urisOf(await lists.recent(uris.length))).toEqual(seen);
	const focused: string[] = [];
	for (const uri of uris) {
		const { document } = await connect({ active: () => files(uri)[0], ...circumstances }).active();
		if (document !== null) focused.push(document.uri);
	}
	expect(focused).toEqual(seen);
	return seen;
}

async function errorOf(answer: Promise<unknown>): Promise<{ code: number; message: string; data: unknown }> {
	const error = await answer.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	expect(error).toBeInstanceOf(PeerError);
	const { code, message, data } = error as PeerError;
	return { code, message, data };
}

describe("the capability", () => {
	const open = () => [];
	const recent = () => [];
	const active = () => undefined;
	test.each<[string, EditorFiles, acp.ClientCapabilities["workspace"]]>([
		["everything", { open, recent, active }, { openDocuments: {}, recentDocuments: {}, activeDocument: {} }],
		["the open files", { open }, { openDocuments: {} }],
		["the recent files", { recent }, { recentDocuments: {} }],
		["the focused file", { active }, { activeDocument: {} }],
		["nothing", {}, undefined],
	])("covers only the methods for which the host provides data: %s", async (_, state, capabilities) => {
		expect(workspaceCapabilities(hostWith(state))).toEqual(capabilities);
		const { open: askOpen, recent: askRecent, active: askActive } = connect(state);
		const requests = { openDocuments: askOpen, recentDocuments: askRecent, activeDocument: askActive };
		for (const [name, ask] of Object.entries(requests)) {
			if (name in (capabilities ?? {})) await ask();
			else expect((await errorOf(ask())).code).toBe(-32601);
		}
	});
	test("is missing for a host without `state`", () => {
		const { state: _, ...host } = hostWith({});
		expect(workspaceCapabilities(host)).toBeUndefined();
	});
	test("calls the host's methods with the right `this`", async () => {
		class Tabs {
			private readonly names = files("file:///p/a.ts");
			open = function (this: Tabs) {
				return this.names;
			};
		}
		const host = hostWith({}, { state: new Tabs() });
		const options = { host, sessionFolders: () => ["file:///p"], document: () => undefined };
		const handlers = workspaceHandlers({ ...options, isPrivate: () => false, encoding: () => "utf-16" });
		const { agent } = connectPeers([], handlers);
		expect((await agent.request(acp.openDocuments, { sessionId: NES })).documents).toHaveLength(1);
	});
});

test("returns null if no document is active", async () => {
	expect(await connect({ active: () => undefined }).active()).toEqual({ document: null });
});

describe("uris", () => {
	test.each([
		["untitled:Untitled-1", "untitled:"],
		["git:file:///p/a.ts", "git:file:///p"],
		["vscode-remote://host/p/a.ts", "vscode-remote://host/p"],
		["file://server/p/a.ts", "file://server/p"],
		["file:////server/a.ts", "file:///"],
		["file://localhost/p/a.ts", "file:///p"],
		["FILE:///p/a.ts", "file:///p"],
		["file:a.ts", "file:"],
		["p/a.ts", "p"],
		["/p/a.ts", "/p"],
		["C:\\p\\a.ts", "C:\\p"],
		["", ""],
		["file:///", "file:///"],
	])("must be absolute file URIs: %j in the folder %j is omitted", async (uri, folder) => {
		expect(await seenOf([uri, "file:///q/a.ts"], { folders: [folder, "file:///q"] })).toEqual(["file:///q/a.ts"]);
	});
	test("keep the host's spelling", async () => {
		const uris = [
			"file:///p/%61%20b.ts",
			"file:///p/a c.ts",
			"file:///p/%23.ts",
			"file:///p/100%.ts",
			"file:///p/é.ts",
		];
		expect(await seenOf(uris)).toEqual(uris);
	});
	test("of a focused unsaved document become null", async () => {
		expect(await connect({ active: () => files("untitled:Untitled-1")[0] }).active()).toEqual({ document: null });
	});
});

describe("the order", () => {
	const uris = ["file:///p/c.ts", "file:///p/a.ts", "file:///p/b.ts"];
	test("of open files is the order of the tabs; recent files keep the host's order; duplicates are omitted", async () => {
		const twice = [...uris, "file:///p/%61.ts", "file:///p/c.ts"];
		const { open, recent } = connect({ open: () => files(...twice), recent: () => files(...twice.toReversed()) });
		expect(urisOf(await open())).toEqual(uris);
		expect(urisOf(await recent())).toEqual(["file:///p/c.ts", "file:///p/%61.ts", "file:///p/b.ts"]);
	});
	test("stays the same even if the host's list changes during the request", async () => {
		const list = files(...uris);
		const looked = deferred<boolean>();
		const { open } = connect({ open: () => list, isPrivate: () => looked.opened });
		const answer = open();
		await settled();
		list.splice(0, 2);
		looked.open(false);
		expect(urisOf(await answer)).toEqual(uris);
	});
});

describe("the limit", () => {
	const { recent } = connect({ recent: () => numbered(60) });
	test.each([
		["undefined", undefined, 50],
		["null", null, 50],
		["0", 0, 0],
		["1", 1, 1],
		["more than available", 4_294_967_295, 60],
	])("of %s is accepted", async (_, limit, count) => {
		expect(await recent(limit)).toHaveLength(count);
	});
	test.each([[-1], [1.5], ["5"], [true], [4_294_967_296]])("of %j is refused", async (limit) => {
		const { code, message } = await errorOf(recent(limit));
		expect([code, message]).toEqual([-32602, expect.stringContaining("params.limit")]);
	});
	test("counts only files that are returned", async () => {
		const list = files("untitled:1", "file:///q/a.ts", "file:///p/.env", "file:///p/a.ts", "file:///p/b.ts");
		expect(urisOf(await connect({ recent: () => list }).recent(1))).toEqual(["file:///p/a.ts"]);
	});
	test("bounds the number of files sent", async () => {
		const { open, recent } = connect({ open: () => numbered(5000), recent: () => numbered(5000) });
		expect(await open()).toEqual(numbered(1000));
		expect(await recent(5000)).toEqual(numbered(1000));
	});
	test("bounds the number of files checked", async () => {
		let count = 0;
		const isPrivate = () => ++count > 0;
		expect(await connect({ open: () => numbered(100_000), isPrivate }).open()).toEqual([]);
		expect(count).toBe(10_000);
	});
});

test("treats an unknown language as plain text", async () => {
	const uris = ["file:///p/a", "file:///p/b", "file:///p/c", "file:///p/d"];
	const [a = "", b = "", c = "", d = ""] = uris;
	const open = () => [{ uri: a }, { uri: b, languageId: "" }, { uri: c }, { uri: d, languageId: "rust" }];
	const documents = await connect({ open, texts: { [c]: "", [d]: "" } }).open();
	expect(documents.map(({ languageId }) => languageId)).toEqual(["plaintext", "plaintext", "typescript", "rust"]);
});

describe("the session", () => {
	const known = { open: () => numbered(1), recent: () => numbered(1), active: () => numbered(1)[0] };
	test("may be a next-edit session or a chat, each with its own folders", async () => {
		const uris = ["file:///p/a.ts", "file:///q/a.ts", "file:///r/a.ts"];
		const { open } = connect({ open: () => files(...uris), chatFolders: ["file:///q", "file:///r"] });
		expect(urisOf(await open(NES))).toEqual(["file:///p/a.ts"]);
		expect(urisOf(await open(CHAT))).toEqual(["file:///q/a.ts", "file:///r/a.ts"]);
	});
	test.each([
		["with chats", { chatFolders: ["file:///p"] }],
		["without chats", {}],
	])("that does not exist is an error in an editor %s", async (_, chats) => {
		const { open, recent, active } = connect({ ...known, ...chats });
		const error = { code: -32002, message: "Session not found", data: { sessionId: "other" } };
		expect(await errorOf(open("other"))).toEqual(error);
		expect(await errorOf(recent(0, "other"))).toEqual(error);
		expect(await errorOf(active("other"))).toEqual(error);
	});
});

describe("privacy", () => {
	test("omits files outside the session's folders", async () => {
		const inside = ["file:///p/a.ts", "file:///q/r/b.ts", "file:///q/r/s/t.ts"];
		const outside = [
			"file:///a.ts",
			"file:///q/a.ts",
			"file:///p-evil/a.ts",
			"file:///p",
			"file:///p/a/",
			"file:///P/a",
		];
		expect(await seenOf([...inside, ...outside], { folders: ["file:///p", "file:///q/r"] })).toEqual(inside);
		expect(await seenOf(inside, { folders: [] })).toEqual([]);
	});
	test.each([
		["file:///p/../etc/x"],
		["file:///p/%2e%2e/etc/x"],
		["file:///p/%2E./etc/x"],
		["file:///p/.."],
		["file:///p/./x"],
		["file:///p/..%2Fetc/x"],
		["file:///p/%2e%2e%2fetc%2fx"],
		["file:///p/..\\etc\\x"],
		["file:///p/..%5Cetc%5Cx"],
		["file:///p/a\\id_rsa"],
		["file:///p/a%5Cid_rsa"],
		["file:///p/.\t./etc/x"],
		["file:///p/%00/../etc/x"],
		["file:///p/a.ts?/../../etc/x"],
		["file:///p/a.ts#x"],
	])("omits the misleading URI %j", async (uri) => {
		expect(await seenOf([uri, "file:///p/..a/.b/c..ts"])).toEqual(["file:///p/..a/.b/c..ts"]);
	});
	test("accepts folders in the host's spelling", async () => {
		expect(await seenOf(["file:///a b/c.ts"], { folders: ["file:///a%20b/"] })).toHaveLength(1);
		expect(await seenOf(["file:///c%3A/x/c.ts"], { folders: ["file:///C:/x"] })).toHaveLength(1);
		expect(await seenOf(["file:///c.ts"], { folders: ["file:///"] })).toHaveLength(1);
	});
	test("never shows a file outside the folders, however its path is spelled", async () => {
		const names = [
			"p",
			"p-evil",
			"a",
			"..",
			".",
			"%2e%2e",
			"%2E.",
			".%2e",
			"%70",
			"..%2f..",
			"..\\..",
			"%5C..",
			"",
			"…",
		];
		const somePath = fc.array(fc.constantFrom(...names), { maxLength: 6 });
		const { open, list } = listing();
		await fc.assert(
			fc.asyncProperty(somePath, async (path) => {
				const uri = `file:///${path.join("/")}`;
				list.splice(0, 1, { uri });
				const isShown = (await open()).length > 0;
				const isPlain = path.every((name) => ["p", "p-evil", "a", "%70", "…"].includes(name));
				const isInside = resolved(uri).startsWith("/p/");
				expect([uri, isShown && !isInside]).toEqual([uri, false]);
				if (isPlain) expect([uri, isShown]).toEqual([uri, isInside]);
			}),
		);
	});
	test("omits secret files", async () => {
		expect(await seenOf(["file:///p/.env", "file:///p/a.ts", "file:///p/.env.local", "file:///p/id_rsa"])).toEqual([
			"file:///p/a.ts",
		]);
	});
	test("omits private files, checked synchronously or asynchronously", async () => {
		const uris = ["file:///p/a.ts", "file:///p/dist/a.js"];
		const isPrivate = (uri: string) => uri.includes("/dist/");
		expect(await seenOf(uris, { isPrivate })).toEqual(["file:///p/a.ts"]);
		expect(await seenOf(uris, { isPrivate: async (uri) => isPrivate(uri) })).toEqual(["file:///p/a.ts"]);
	});
	test("does not check files that are omitted anyway", async () => {
		const checked: string[] = [];
		const isPrivate = (uri: string) => checked.push(uri) === 0;
		const open = () => files("file:///q/a.ts", "untitled:1", "file:///p/../a.ts", "file:///p/a.ts", "file:///p/%61.ts");
		await connect({ open, isPrivate }).open();
		expect(checked).toEqual(["file:///p/a.ts"]);
	});
	test("returns nothing if the privacy check fails", async () => {
		const isPrivate = () => Promise.reject(new Error("no such folder"));
		const { open, problems } = connect({ open: () => numbered(1), isPrivate });
		expect(await errorOf(open())).toEqual({ code: -32603, message: "Internal error", data: undefined });
		expect(problems).toMatchObject([{ kind: "handler-failed" }]);
	});
});

/** An editor with exactly one open file. */
function listing() {
	const list: NamedFile[] = [];
	return { ...connect({ open: () => list }), list };
}

/** Resolves a URI leniently: decodes it, treats backslashes as slashes, and resolves all dot segments. */
function resolved(uri: string): string {
	const path: string[] = [];
	for (const name of decodeURIComponent(uri.slice("file://".length)).split(/[\\/]/)) {
		if (name === "..") path.pop();
		else if (name !== "." && name !== "") path.push(name);
	}
	return `/${path.join("/")}`;
}

describe("additional metadata", () => {
	const uri = "file:///p/a.ts";
	const texts = { [uri]: "é\n😀 = 1\n" };
	const views = { [uri]: { anchor: 8, head: 4, visible: { from: 0, to: 9 } } };
	const at = (line: number, character: number) => ({ line, character });
	test.each<[acp.PositionEncoding, number, number]>([
		["utf-16", 2, 6],
		["utf-8", 4, 8],
		["utf-32", 1, 5],
	])("contains the cursor in %s, the version and whether the file is saved", async (encoding, head, anchor) => {
		const file = { uri, languageId: "typescript", isDirty: true };
		const document = {
			uri,
			languageId: "typescript",
			_meta: {
				segue: {
					version: 7,
					dirty: true,
					position: at(1, head),
					selection: { start: at(1, head), end: at(1, anchor) },
					visibleRange: { start: at(0, 0), end: at(2, 0) },
				},
			},
		};
		const lists = { open: () => [file], recent: () => [file], active: () => file };
		const { open, recent, active } = connect({ ...lists, texts, views, encoding });
		expect(await open()).toEqual([document]);
		expect(await recent()).toEqual([document]);
		expect(await active()).toEqual({ document });
	});
	test.each<[string, Circumstances, object | undefined]>([
		["is missing for a file that is not open", { views }, undefined],
		["has only a version if no editor shows the document", { texts }, { version: 7 }],
		[
			"has no selection if nothing is selected",
			{ texts, views: { [uri]: { anchor: 1, head: 1 } } },
			{ version: 7, position: at(0, 1) },
		],
		[
			"is clamped to the document if the host is ahead of it",
			{ texts, views: { [uri]: { anchor: 0, head: 99, visible: { from: -1, to: 100 } } } },
			{
				version: 7,
				position: at(2, 0),
				selection: { start: at(0, 0), end: at(2, 0) },
				visibleRange: { start: at(0, 0), end: at(2, 0) },
			},
		],
	])("%s", async (_, circumstances, segue) => {
		const { document } = await connect({ active: () => ({ uri }), ...circumstances }).active();
		expect(document?._meta).toEqual(segue && { segue });
	});
});

describe("a host that fails", () => {
	test("leads to an internal error, and the next request succeeds", async () => {
		let isBroken = true;
		const open = () => {
			if (isBroken) throw new Error("the window is gone");
			return numbered(1);
		};
		const editor = connect({ open });
		expect(await errorOf(editor.open())).toEqual({ code: -32603, message: "Internal error", data: undefined });
		isBroken = false;
		expect(await editor.open()).toEqual(numbered(1));
	});
});

describe("an abandoned request", () => {
	test("stops when it is cancelled", async () => {
		let count = 0;
		const looked = deferred<boolean>();
		const isPrivate = () => {
			count++;
			return looked.opened;
		};
		const { open, problems } = connect({ open: () => numbered(10), isPrivate });
		const controller = new AbortController();
		const answer = errorOf(open(NES, controller.signal));
		await settled();
		controller.abort();
		await settled();
		looked.open(false);
		expect((await answer).code).toBe(-32800);
		expect([count, problems]).toEqual([1, []]);
	});
	test("stops when the connection closes", async () => {
		let count = 0;
		const looked = deferred<boolean>();
		const isPrivate = () => {
			count++;
			return looked.opened;
		};
		const { open, client, problems } = connect({ open: () => numbered(10), isPrivate });
		const answer = open().catch((error: unknown) => error);
		await settled();
		client.close();
		looked.open(true);
		await answer;
		await settled();
		expect([count, problems]).toEqual([1, []]);
	});
});
