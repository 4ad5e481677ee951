import type { Scene } from "@segue/predict";
import type * as acp from "@segue/protocol/acp";
import {
	A,
	AcpEditor,
	B,
	lineChange,
	lineRange,
	noSuggestionReasonOf,
	RENAME_SUGGESTION,
	sceneRecorder,
	startRename,
} from "@segue/testing/editors/acp-editor";
import { describe, expect, test } from "vitest";
import type { AcpSync } from "./acp-server.js";

const C = "file:///c.ts";

function file(uri: string, text: string) {
	return { uri, languageId: "typescript", text };
}

/** Returns the scene for a request in A with the given context, in a session where A and B are open. */
async function sceneWith(context: acp.SuggestContext, act: (editor: AcpEditor) => void = () => {}): Promise<Scene> {
	const { predict, scenes } = sceneRecorder();
	const editor = await AcpEditor.open({ [A]: "one\n😀two\n", [B]: "b\nbb\n" }, { predict });
	act(editor);
	await editor.suggest(A, 1, { context });
	return scenes[0] as Scene;
}

describe("the context of a request", () => {
	const recentFiles = [
		{ uri: B, languageId: "typescript", text: "b" },
		{ uri: A, languageId: "typescript", text: "const count = 0\nlog(cnt)\n" },
	];
	const editHistory = [{ uri: A, diff: "@@ -1,1 +1,1 @@\n-const cnt = 0\n+const count = 0\n" }];

	test.each<AcpSync>(["events", "context", "both"])(
		"provides the text of a file that was not opened, with --sync %s",
		async (sync) => {
			const editor = await AcpEditor.open({}, { sync });
			const { suggestions } = await editor.suggest(A, 2, { context: { recentFiles, editHistory } });
			expect(suggestions).toMatchObject([RENAME_SUGGESTION]);
			expect(noSuggestionReasonOf(await editor.suggest("file:///c.ts", 2, { context: { recentFiles } }))).toBe(
				"no-text",
			);
		},
	);

	test("does not override text from events", async () => {
		const { predict, seen } = sceneRecorder();
		const editor = await AcpEditor.open({ [A]: "opened" }, { predict, sync: "both" });
		await editor.suggest(A, 1, { context: { recentFiles } });
		expect(seen()).toBe("▮opened");
	});

	describe("combined with events", () => {
		const renamed = [{ uri: B, diff: "@@ -1,1 +1,1 @@\n-const cnt = 0\n+const count = 0\n" }];
		const files = [file(B, "const count = 0\nlog(cnt)\n")];
		const context = { recentFiles: files, editHistory: renamed };

		test("provides the history of documents that have no events", async () => {
			const editor = await AcpEditor.open({ [A]: "one\n" }, { sync: "both" });
			editor.didChange(A, 2, lineChange(0, 0, 3, "two"));
			const { suggestions } = await editor.suggest(B, 1, { context });
			expect(suggestions).toMatchObject([{ ...RENAME_SUGGESTION, uri: B }]);
		});

		test("does not override the history of documents that have events", async () => {
			const { predict, scenes } = sceneRecorder();
			const editor = await AcpEditor.open({ [A]: "one\n" }, { sync: "both", predict });
			editor.didChange(A, 2, lineChange(0, 0, 3, "two"));
			const editHistory = [{ uri: A, diff: "@@ -1,1 +1,1 @@\n-three\n+two\n" }, ...renamed];
			await editor.suggest(A, 2, { context: { ...context, editHistory } });
			const events = scenes[0]?.history.events.map(({ uri, before }) => [uri, `${before}`]);
			expect(events).toEqual([
				[A, "one\n"],
				[B, "const cnt = 0\nlog(cnt)\n"],
			]);
		});

		test("precedes the events in the history if its last edit is also an event", async () => {
			const { predict, scenes } = sceneRecorder();
			const editor = await AcpEditor.open({ [A]: "one\n" }, { sync: "both", predict });
			editor.didChange(A, 2, lineChange(0, 0, 3, "two"));
			const editHistory = [...renamed, { uri: A, diff: "@@ -1,1 +1,1 @@\n-one\n+two\n" }];
			await editor.suggest(A, 2, { context: { ...context, editHistory } });
			expect(scenes[0]?.history.events.map(({ uri }) => uri)).toEqual([B, A]);
		});

		test("provides the current text and history of a closed file", async () => {
			const editor = await AcpEditor.open({ [B]: "const total = 0\n" }, { sync: "both" });
			editor.didChange(B, 2, lineChange(0, 6, 11, "sum"));
			editor.didClose(B);
			const { suggestions } = await editor.suggest(B, 1, { context });
			expect(suggestions).toMatchObject([{ ...RENAME_SUGGESTION, uri: B }]);
			const alone = await editor.suggest(B, 1, { context: { recentFiles: files } });
			expect(noSuggestionReasonOf(alone)).toBe("no-history");
		});

		test("continues the history of a closed file that is unchanged", async () => {
			const editor = await startRename({ sync: "both" });
			editor.didClose(A);
			const recentFiles = [file(A, "const count = 0\nlog(cnt)\n")];
			expect((await editor.suggest(A, 1, { context: { recentFiles } })).suggestions).toMatchObject([RENAME_SUGGESTION]);
		});
	});

	test.each([
		["an inclusive end and no final line break", { startLine: 3, endLine: 4, text: "one\ntwo" }],
		["an inclusive end and a final line break", { startLine: 3, endLine: 4, text: "one\ntwo\n" }],
		["an exclusive end and a final line break", { startLine: 3, endLine: 5, text: "one\ntwo\n" }],
		["an exclusive end and no final line break", { startLine: 3, endLine: 5, text: "one\ntwo" }],
	])("reads excerpts with %s", async (_what, excerpt) => {
		const { excerpts } = await sceneWith({ relatedSnippets: [{ uri: C, excerpts: [excerpt] }] });
		expect(excerpts).toEqual([{ uri: C, first: 3, last: 4, text: "one\ntwo" }]);
	});

	test("keeps the order of excerpts and limits their number and size", async () => {
		const excerpt = (startLine: number, text: string) => ({ startLine, endLine: startLine, text });
		const many = Array.from({ length: 50 }, (_, line) => excerpt(line, `${line}`));
		const relatedSnippets = [
			{ uri: C, excerpts: [excerpt(7, "x".repeat(100_000)), excerpt(8, "c")] },
			{ uri: B, excerpts: many },
		];
		const { excerpts } = await sceneWith({ relatedSnippets });
		expect(excerpts.map(({ uri, text }) => [uri, text]).slice(0, 2)).toEqual([
			[C, "c"],
			[B, "0"],
		]);
		expect(excerpts).toHaveLength(32);
	});

	test("provides the latest user actions, with offsets if the text is known", async () => {
		const userActions = Array.from({ length: 20 }, (_, i) => {
			return { action: `act ${i}`, uri: i === 19 ? C : A, position: { line: 1, character: 2 }, timestampMs: i };
		});
		const { actions } = await sceneWith({ userActions });
		expect(actions.map(({ what }) => what)).toEqual(userActions.slice(4).map(({ action }) => action));
		expect(actions.slice(-2)).toEqual([
			{ what: "act 18", uri: A, at: 6, atMs: 18 },
			{ what: "act 19", uri: C, at: undefined, atMs: 19 },
		]);
	});

	test("puts diagnostics for the requested document first and limits their number", async () => {
		const diagnostics = [...Array.from({ length: 300 }, () => B), A].map((uri) => {
			return { uri, range: lineRange(0, 0, 1), severity: "error", message: uri };
		});
		const scene = await sceneWith({ diagnostics });
		expect(scene.diagnostics).toHaveLength(200);
		expect(scene.diagnostics[0]?.uri).toBe(A);
	});

	test("has the newest edit last and the most recent file first", async () => {
		const { predict, scenes } = sceneRecorder();
		const editor = await AcpEditor.open({}, { predict, sync: "context" });
		const steps = ["b", "c", "d"].map((letter, index) => {
			return { uri: A, diff: `@@ -1,1 +1,1 @@\n-${"abc"[index]}\n+${letter}\n` };
		});
		const files = [A, B, "file:///c.ts"].map((uri) => ({ uri, languageId: "plaintext", text: "d\n" }));
		await editor.suggest(A, 1, { context: { recentFiles: files, editHistory: steps } });
		expect(scenes[0]?.history.events.map(({ after }) => after.toString())).toEqual(["b\n", "c\n", "d\n"]);
		expect(scenes[0]?.neighbours.map(({ uri }) => uri)).toEqual([B, "file:///c.ts"]);
	});

	test("skips invalid items and keeps the rest", async () => {
		const { predict, scenes } = sceneRecorder();
		const editor = await AcpEditor.open({ [A]: "abc" }, { predict });
		const range = { start: { line: 0, character: 1 }, end: { line: 0, character: 2 } };
		const diagnostics = ["error", "later", "constructor"].map((severity) => {
			return { uri: A, range, severity, message: severity };
		});
		const excerpts = [5, { startLine: -1, endLine: 0, text: "" }, { startLine: 0, endLine: 0, text: "good" }];
		const context = {
			diagnostics: [5, ...diagnostics, { uri: A }],
			relatedSnippets: [5, { uri: B, excerpts }, { uri: B }],
			openFiles: "none",
			userActions: [{}],
		};
		await editor.suggest(A, 1, { triggerKind: "later", context: context as never });
		expect(scenes[0]?.trigger).toBe("automatic");
		expect(scenes[0]).toMatchObject({ actions: [], views: [], excerpts: [{ text: "good" }] });
		expect(scenes[0]?.diagnostics.map(({ from, to, severity }) => [from, to, severity])).toEqual([
			[1, 2, "error"],
			[1, 2, "info"],
			[1, 2, "info"],
		]);
	});
});

describe("open files", () => {
	const openFile = (uri: string, more: { visibleRange?: acp.Range; lastFocusedMs?: number } = {}) => {
		return { uri, languageId: "typescript", ...more };
	};
	const UNKNOWN = { cursor: undefined, visible: undefined, focusedAtMs: undefined };

	test("are ordered by focus, with the visible range if their text is known", async () => {
		const shown = lineRange(1, 2, 5);
		const { views } = await sceneWith({
			openFiles: [
				openFile(C, { visibleRange: shown }),
				openFile(B, { lastFocusedMs: 1 }),
				openFile(A, { lastFocusedMs: 2, visibleRange: shown }),
			],
		});
		expect(views).toEqual([
			{ uri: A, languageId: "typescript", cursor: undefined, visible: { from: 6, to: 9 }, focusedAtMs: 2 },
			{ uri: B, languageId: "typescript", cursor: undefined, visible: undefined, focusedAtMs: 1 },
			{ uri: C, languageId: "typescript", ...UNKNOWN },
		]);
	});

	test("determine the order of the attached files by last use", async () => {
		const { predict, scenes } = sceneRecorder();
		const editor = await AcpEditor.open({}, { predict, sync: "context" });
		const recentFiles = ["file:///d.ts", C, B, A].map((uri) => file(uri, uri));
		const openFiles = [openFile(B, { lastFocusedMs: 1 }), openFile(C, { lastFocusedMs: 5 })];
		await editor.suggest(A, 1, { context: { recentFiles, openFiles } });
		expect(scenes[0]?.neighbours.map(({ uri }) => uri)).toEqual([C, B, "file:///d.ts"]);
	});

	test("do not override the order from events", async () => {
		const openFiles = [openFile(B, { lastFocusedMs: 1 }), openFile(C, { lastFocusedMs: 5 })];
		const scene = await sceneWith({ recentFiles: [file(C, "c")], openFiles });
		expect(scene.neighbours.map(({ uri }) => uri)).toEqual([B, C]);
	});

	test("include a focused file that was never opened, with offsets once its text is known", async () => {
		const focus = (editor: AcpEditor) => editor.didFocus(C, { line: 1, character: 1 }, lineRange(0, 1, 9));
		const withoutText = { uri: C, languageId: undefined, ...UNKNOWN };
		expect((await sceneWith({}, focus)).views).toEqual([withoutText]);

		const withText = { ...withoutText, languageId: "typescript", cursor: 4, visible: { from: 1, to: 2 } };
		expect((await sceneWith({ recentFiles: [file(C, "cc\ncc")] }, focus)).views).toEqual([withText]);
		const opened = await sceneWith({}, (editor) => {
			focus(editor);
			editor.didOpen(C, "cc\ncc");
		});
		expect(opened.views).toEqual([withText]);
	});

	test("have their cursor and visible range mapped through changes and clipped to the text", async () => {
		const focus = (editor: AcpEditor) => editor.didFocus(B, { line: 1, character: 1 }, lineRange(1, 0, 2));
		const moved = await sceneWith({}, (editor) => {
			focus(editor);
			editor.didChange(B, 2, lineChange(0, 0, 0, "new\n"));
		});
		expect(moved.views).toMatchObject([{ uri: B, cursor: 7, visible: { from: 6, to: 8 } }]);
		const reopened = await sceneWith({}, (editor) => {
			focus(editor);
			editor.didOpen(B, "b", 2);
			editor.didChange(B, 3, lineChange(0, 1, 1, "!"));
		});
		expect(reopened.views).toMatchObject([{ uri: B, cursor: 2, visible: { from: 1, to: 2 } }]);
	});

	test("list focused files first, with the visible range from the request", async () => {
		const openFiles = [openFile(A, { lastFocusedMs: 9 }), openFile(B, { visibleRange: lineRange(0, 0, 1) })];
		const { views } = await sceneWith({ openFiles }, (editor) => {
			editor.didFocus(B, { line: 1, character: 1 }, lineRange(1, 0, 2));
		});
		expect(views).toMatchObject([
			{ uri: B, cursor: 3, visible: { from: 0, to: 1 } },
			{ uri: A, cursor: undefined, focusedAtMs: 9 },
		]);
	});

	test("are limited to the 100 most recent", async () => {
		const { views } = await sceneWith({}, (editor) => {
			for (let i = 0; i < 150; i++) editor.didFocus(`file:///${i}.ts`, { line: 0, character: 0 }, lineRange(0, 0, 0));
		});
		expect(views).toHaveLength(100);
		expect(views[0]?.uri).toBe("file:///149.ts");
	});
});

describe("the workspace", () => {
	async function workspaceFrom(start: acp.NesStart) {
		const { predict, scenes } = sceneRecorder();
		const editor = await AcpEditor.open({}, { predict });
		await editor.start(start);
		editor.didOpen(A, "");
		await editor.suggest(A, 1);
		return scenes[0]?.workspace;
	}

	test("is taken from nes/start and is empty by default", async () => {
		const repository = { name: "my-app", owner: "alice", remoteUrl: "https://github.com/alice/my-app.git" };
		const folders = [{ uri: "file:///my-app", name: "my-app" }];
		const start = { workspaceUri: "file:///my-app", workspaceFolders: folders, repository };
		expect(await workspaceFrom(start)).toEqual({ uri: "file:///my-app", folders, repository });
		expect(await workspaceFrom({})).toEqual({ uri: undefined, folders: [], repository: undefined });
		expect(await workspaceFrom(null)).toEqual({ uri: undefined, folders: [], repository: undefined });
		const many = Array.from({ length: 200 }, (_, i) => ({ uri: `file:///${i}`, name: `${i}` }));
		expect((await workspaceFrom({ workspaceFolders: many }))?.folders).toHaveLength(100);
	});

	test.each([
		["https://github.com/alice/my-app.git", "https://github.com/alice/my-app.git"],
		["https://alice:ghp_secret@github.com/alice/my-app.git", "https://github.com/alice/my-app.git"],
		["https://ghp_secret@github.com/alice/my-app.git", "https://github.com/alice/my-app.git"],
		["HTTPS://alice:s@cret@github.com:8443/alice/my-app", "HTTPS://github.com:8443/alice/my-app"],
		["https://alice:sec/ret@example.com/my-app.git", undefined],
		["https://example.com/my-app.git?private_token=secret#secret", "https://example.com/my-app.git"],
		["https://alice:secret@example.com?token=secret", "https://example.com"],
		["ssh://git@github.com/alice/my-app.git", "ssh://github.com/alice/my-app.git"],
		["git+ssh://git:secret@github.com/alice/my-app.git", "git+ssh://github.com/alice/my-app.git"],
		["git@github.com:alice/my-app.git", "git@github.com:alice/my-app.git"],
		["alice:secret@github.com:alice/my-app.git", undefined],
		["/srv/git/app.git", "/srv/git/app.git"],
		["file:///srv/git/app.git", "file:///srv/git/app.git"],
		["", ""],
	])("has no credentials in the repository URL %s", async (remoteUrl, expected) => {
		const workspace = await workspaceFrom({ repository: { name: "my-app", owner: "alice", remoteUrl } });
		expect(workspace?.repository?.remoteUrl).toBe(expected);
	});
});
