import type * as acp from "@segue/protocol/acp";
import { EditorFixture } from "@segue/testing/editors/editor-fixture";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";

const A = "file:///project/a.ts";
const B = "file:///project/b.ts";

describe("a response", () => {
	test("is rebased over what the user typed during the request", async () => {
		const stage = await EditorFixture.resting(A, "a\nb");
		const answers = stage.answerLater();
		const suggestion = { id: "1", ...stage.edit(A, 3, 3, "cde") };
		void stage.editor.suggest();
		await settled();
		stage.host.edit(A, [
			{ from: 0, to: 0, insert: "// first\n" },
			{ from: 3, to: 3, insert: "cd" },
		]);
		answers[0]?.({ suggestions: [suggestion] });
		await settled();
		expect(stage.host.shown).toMatchObject({ edits: [{ from: 14, to: 14, insert: "e" }], cursor: 15, as: "ghost" });
	});

	test.for<[string, string]>([
		["something else", "x"],
		["the whole suggestion", "cde"],
	])("is too late if the user has typed %s in the meantime", async ([, typed]) => {
		const stage = await EditorFixture.resting(A, "b");
		const answers = stage.answerLater();
		const suggestion = { id: "1", ...stage.edit(A, 1, 1, "cde") };
		void stage.editor.suggest();
		await settled();
		stage.host.type(typed);
		answers[0]?.({ suggestions: [suggestion] });
		await settled();
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, ["1 reject cancelled"]]);
	});

	test("to a manual request replaces the current suggestion", async () => {
		const stage = await EditorFixture.offering(A, "a", (one) => [one.edit(A, 1, 1, "b")]);
		stage.script({ id: "2", ...stage.edit(A, 1, 1, "x") });
		await stage.editor.suggest();
		expect([stage.host.shown?.id, stage.verdicts]).toEqual(["2", ["1 reject replaced"]]);
	});

	test.for<[string, unknown, number]>([
		["has no list", { suggestions: 5 }, 1],
		["is empty", {}, 1],
		["is null", null, 1],
		["has invalid suggestions", { suggestions: [null, 5, "x", [], {}] }, 0],
		[
			"has a suggestion without an id",
			{ suggestions: [{ kind: "jump", uri: A, position: { line: 0, character: 0 } }] },
			0,
		],
		[
			"has a negative position",
			{ suggestions: [{ id: "1", kind: "jump", uri: A, position: { line: -1, character: 0 } }] },
			0,
		],
		["has a kind from a later version", { suggestions: [{ id: "1", kind: "refactor", uri: A }] }, 0],
	])("that %s shows nothing and does no harm", async ([, response, noteCount]) => {
		const stage = await EditorFixture.resting(A, "a");
		stage.agent.suggest = () => response as acp.SuggestResponse;
		await stage.editor.suggest();
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, []]);
		expect(stage.host.notes.filter(({ kind }) => kind === "agent")).toHaveLength(noteCount);
		stage.script(stage.edit(A, 1, 1, "b"));
		await stage.editor.suggest();
		expect(stage.host.shown).toBeDefined();
	});

	test("in the second version of the protocol may use suggestionId", async () => {
		const stage = await EditorFixture.resting(A, "a");
		const { id: _, ...raw } = { id: 0, suggestionId: "7", ...stage.edit(A, 1, 1, "b") };
		stage.agent.suggest = () => ({ suggestions: [raw] }) as unknown as acp.SuggestResponse;
		await stage.editor.suggest();
		stage.editor.reject();
		await settled();
		expect(stage.verdicts).toEqual(["7 reject rejected"]);
	});

	test("has its invalid suggestions rejected without a reason and the others shown", async () => {
		const stage = await EditorFixture.resting(A, "abc");
		const overlapping = [stage.edit(A, 0, 2, "x"), stage.edit(A, 1, 3, "y")].flatMap(({ edits }) => edits);
		stage.script(
			{ kind: "edit", uri: A, edits: overlapping },
			{ kind: "edit", uri: A, edits: [] },
			stage.edit(A, 3, 3, "d"),
		);
		await stage.editor.suggest();
		expect(stage.host.shown?.id).toBe("3");
		expect(stage.verdicts).toEqual([
			'1 reject {"segue":{"invalid":"its edits overlap"}}',
			'2 reject {"segue":{"invalid":"it changes nothing"}}',
		]);
		expect(stage.host.notes).toMatchObject([
			{ kind: "invalid", text: "a suggestion cannot be shown: its edits overlap" },
			{ kind: "invalid" },
		]);
	});

	test("has suggestions outside the document rejected and reported", async () => {
		const stage = await EditorFixture.resting(A, "abc\n");
		const range = { start: { line: 0, character: 0 }, end: { line: 2, character: 0 } };
		stage.script(
			{ kind: "edit", uri: A, edits: [{ range, newText: "x" }] },
			{ kind: "jump", uri: A, position: { line: 0, character: 4 } },
		);
		await stage.editor.suggest();
		expect(await stage.editor.tab()).toBe(false);
		expect([stage.host.shown, stage.host.text(A)]).toEqual([undefined, "abc\n"]);
		expect(stage.verdicts).toEqual([
			'1 reject {"segue":{"invalid":"an edit is outside the document"}}',
			'2 reject {"segue":{"invalid":"its position is outside the document"}}',
		]);
		expect(stage.host.notes.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
			"invalid: a suggestion cannot be shown: an edit is outside the document",
			"invalid: a suggestion cannot be shown: its position is outside the document",
		]);
	});

	test("has edits rejected that the host cannot show, and the others shown", async () => {
		const stage = await EditorFixture.resting(A, "abc");
		stage.host.refusalOf = (uri, edits) => (uri === A && edits.length > 1 ? "it has several edits" : undefined);
		const edits = [stage.edit(A, 0, 1, "x"), stage.edit(A, 2, 3, "y")].flatMap((one) => one["edits"]);
		stage.script({ kind: "edit", uri: A, edits }, stage.edit(A, 3, 3, "d"));
		await stage.editor.suggest();
		expect(stage.host.shown?.id).toBe("2");
		expect(stage.verdicts).toEqual(['1 reject {"segue":{"invalid":"it has several edits"}}']);
		expect(stage.host.notes).toEqual([{ kind: "invalid", text: "a suggestion cannot be shown: it has several edits" }]);
	});

	test("may contain only kinds that the host supports", async () => {
		const stage = await EditorFixture.resting(A, "abc");
		const position = { line: 0, character: 0 };
		stage.script(
			{ kind: "rename", uri: A, position, newName: "x" },
			{ kind: "searchAndReplace", uri: A, search: "a", replace: "b" },
		);
		await stage.editor.suggest();
		expect(stage.host.shown).toBeUndefined();
		expect(stage.verdicts).toEqual([
			'1 reject {"segue":{"invalid":"rename suggestions are not enabled"}}',
			'2 reject {"segue":{"invalid":"searchAndReplace suggestions are not enabled"}}',
		]);
	});

	test("has suggestions with a reused id dropped without a second decision", async () => {
		const stage = await EditorFixture.resting(A, "abc");
		const twice = { id: "same", ...stage.edit(A, 3, 3, "d") };
		stage.script(twice, { ...twice, ...stage.edit(A, 0, 0, "e") });
		await stage.editor.suggest();
		stage.editor.reject();
		await stage.editor.suggest();
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, ["same reject rejected"]]);
	});

	test("is read up to the tenth suggestion, and the rest are rejected", async () => {
		const stage = await EditorFixture.resting(A, "abc");
		stage.script(...Array.from({ length: 50 }, () => stage.edit(A, 3, 3, "d")));
		await stage.editor.suggest();
		stage.editor.reject();
		await settled();
		const refused = stage.verdicts.filter((verdict) => verdict.includes("more than 10 suggestions in one response"));
		expect([stage.verdicts.length, refused.length]).toEqual([50, 40]);
	});

	test("cannot change a private open document", async () => {
		const stage = await EditorFixture.resting(A, "abc");
		stage.host.open("file:///project/.env", "KEY=1");
		stage.script(stage.edit("file:///project/.env", 5, 5, "2"));
		await stage.editor.suggest();
		expect(stage.host.shown).toBeUndefined();
		expect(stage.verdicts).toEqual(['1 reject {"segue":{"invalid":"its file cannot be read"}}']);
	});

	test("may spell a URI differently", async () => {
		const stage = await EditorFixture.resting(A, "abc");
		stage.script({ ...stage.edit(A, 3, 3, "d"), uri: "FILE:///project/%61.ts" });
		await stage.editor.suggest();
		expect(stage.host.shown).toMatchObject({ uri: A, as: "ghost" });
	});

	test.for(["utf-8", "utf-16", "utf-32"] as const)("uses positions in %s", async (encoding) => {
		const stage = await EditorFixture.resting(A, "😀é漢a", ({ agent }) => {
			agent.encoding = encoding;
		});
		stage.script(stage.edit(A, 4, 5, "b"));
		await stage.editor.suggest();
		await stage.editor.tab();
		expect(stage.host.text(A)).toBe("😀é漢b");
		stage.host.type("!");
		await stage.pause();
		const character = { "utf-8": 11, "utf-16": 6, "utf-32": 5 }[encoding];
		expect(stage.requests.at(-1)).toMatchObject({ position: { line: 0, character } });
	});

	test("for an ended session is ignored", async () => {
		const stage = await EditorFixture.resting(A, "a");
		const answers = stage.answerLater();
		void stage.editor.suggest();
		await settled();
		stage.host.folders = [];
		stage.editor.didChangeWorkspace();
		await settled();
		answers[0]?.({ suggestions: [{ id: "1", ...stage.edit(A, 1, 1, "b") }] });
		await settled();
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, []]);
	});

	test("is rejected if its document was closed and reopened since the request", async () => {
		const stage = await EditorFixture.resting(A, "a");
		await stage.open(B, "bbb");
		await stage.pause();
		const answers = stage.answerLater();
		void stage.editor.suggest();
		await settled();
		const suggestion = { id: "1", ...stage.edit(A, 1, 1, "x") };
		stage.host.close(A);
		stage.host.open(A, "other");
		answers[0]?.({ suggestions: [suggestion] });
		await settled();
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, ["1 reject cancelled"]]);
	});
});

describe("a suggestion for a file that is not open", () => {
	const FILE = "file:///project/lib/c.ts";

	test("uses the text of the file", async () => {
		const stage = await EditorFixture.resting(A, "a", ({ host }) => host.disk.set(FILE, "one\r\ntwo\r\n"));
		stage.script(stage.edit(FILE, 5, 8, "2\n3"));
		await stage.editor.suggest();
		expect(stage.host.shown).toMatchObject({ uri: FILE, as: "chip", edits: [{ from: 5, to: 8, insert: "2\r\n3" }] });
	});

	test.for<[string, string, string?]>([
		["is outside the workspace", "file:///etc/passwd"],
		["only appears to be inside the workspace", "file:///project/../etc/passwd"],
		["is secret", "file:///project/.env"],
		["is ignored", "file:///project/dist/out.js"],
		["is in .git", "file:///project/.git/config"],
		["does not exist", "file:///project/none.ts"],
	])("is invalid if the file %s; files that the agent may not see are not read", async ([title, uri]) => {
		const stage = await EditorFixture.resting(A, "a", ({ host }) => {
			host.disk.set("file:///project/.gitignore", "dist/\n");
			if (title !== "does not exist") host.disk.set(uri, "secret");
		});
		const reads: string[] = [];
		const { read } = stage.host.files;
		stage.host.files.read = (wanted) => {
			reads.push(wanted);
			return read(wanted);
		};
		stage.script({ kind: "jump", uri, position: { line: 0, character: 0 } });
		await stage.editor.suggest();
		expect([stage.host.shown, stage.verdicts]).toEqual([
			undefined,
			['1 reject {"segue":{"invalid":"its file cannot be read"}}'],
		]);
		expect(reads.includes(uri)).toBe(title === "does not exist");
	});

	test("is invalid if the host fails to read the file", async () => {
		const stage = await EditorFixture.resting(A, "a");
		stage.host.files.read = async () => {
			throw new Error("no such disk");
		};
		stage.script({ kind: "jump", uri: FILE, position: { line: 0, character: 0 } }, stage.edit(A, 1, 1, "b"));
		await stage.editor.suggest();
		expect(stage.verdicts).toEqual(['1 reject {"segue":{"invalid":"its file cannot be read"}}']);
		expect(stage.host.shown?.id).toBe("2");
	});

	test("applies to the document if the user opens the file while it is being read", async () => {
		const stage = await EditorFixture.resting(A, "a", ({ host }) => host.disk.set(FILE, "one"));
		const { opened, open } = deferred();
		const { read } = stage.host.files;
		stage.host.files.read = async (uri) => {
			if (uri === FILE) await opened;
			return read(uri);
		};
		stage.script(stage.edit(FILE, 3, 3, "!"));
		const suggested = stage.editor.suggest();
		await settled();
		stage.host.open(FILE, "another");
		await settled();
		open();
		await suggested;
		expect(stage.host.shown).toMatchObject({ edits: [{ from: 3, to: 3, insert: "!" }], fileText: undefined });
	});
});
