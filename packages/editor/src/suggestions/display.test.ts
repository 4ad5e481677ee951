import { EditorFixture, type ScriptedSuggestion } from "@segue/testing/editors/editor-fixture";
import { settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";

const A = "file:///project/a.ts";
const FILE = "file:///project/lib/c.ts";
const position = { line: 0, character: 0 };

/** Creates a suggestion that inserts an x before the end of each given line. All lines have ten characters. */
function insertions(uri: string, lines: readonly number[]): ScriptedSuggestion {
	const edits = lines.map((line) => {
		const start = { line, character: 8 };
		return { range: { start, end: start }, newText: "x" };
	});
	return { kind: "edit", uri, edits };
}

describe("a suggestion is shown", () => {
	test.for<[string, (stage: EditorFixture) => ScriptedSuggestion, (stage: EditorFixture) => void, string]>([
		["as ghost text if it inserts at the cursor", (stage) => stage.edit(A, 40, 40, "x"), () => {}, "ghost"],
		["as a diff if it inserts elsewhere", (stage) => stage.edit(A, 10, 10, "x"), () => {}, "diff"],
		["as a diff if it replaces text", (stage) => stage.edit(A, 38, 40, "x"), () => {}, "diff"],
		["as a diff once the cursor has moved", (stage) => stage.edit(A, 40, 40, "x"), ({ host }) => host.move(3), "diff"],
		[
			"as a diff if something is selected",
			(stage) => stage.edit(A, 40, 40, "x"),
			({ host }) => host.move(40, 3),
			"diff",
		],
		[
			"as a chip if it is off-screen",
			(stage) => stage.edit(A, 2, 2, "x"),
			({ host }) => host.scroll(A, { from: 20, to: 40 }),
			"chip",
		],
		[
			"as a chip if it is at the hidden end of a line",
			(stage) => stage.edit(A, 8, 8, "x"),
			({ host }) => host.scroll(A, { from: 0, to: 40 }, [{ from: 5, to: 10 }]),
			"chip",
		],
		[
			"as a chip if its new text would be drawn in a hidden range",
			(stage) => stage.edit(A, 3, 6, "x"),
			({ host }) => host.scroll(A, { from: 0, to: 40 }, [{ from: 5, to: 10 }]),
			"chip",
		],
		[
			"as a diff if it is before the hidden part of its line",
			(stage) => stage.edit(A, 2, 4, "x"),
			({ host }) => host.scroll(A, { from: 0, to: 40 }, [{ from: 5, to: 10 }]),
			"diff",
		],
		[
			"as a chip if it ends below the visible lines",
			(stage) => stage.edit(A, 2, 40, ""),
			({ host }) => host.scroll(A, { from: 0, to: 21 }),
			"chip",
		],
		[
			"as a diff if it deletes the last visible line",
			(stage) => stage.edit(A, 11, 22, ""),
			({ host }) => host.scroll(A, { from: 0, to: 21 }),
			"diff",
		],
		[
			"as a chip if it replaces folded code",
			(stage) => stage.edit(A, 2, 40, ""),
			({ host }) => host.scroll(A, { from: 0, to: 40 }, [{ from: 10, to: 30 }]),
			"chip",
		],
		[
			"as a diff if only a line inside it has a hidden end",
			(stage) => stage.edit(A, 2, 40, ""),
			({ host }) => host.scroll(A, { from: 0, to: 40 }, [{ from: 18, to: 21 }]),
			"diff",
		],
		["as a chip if it is in another file", (stage) => stage.edit(FILE, 0, 0, "x"), () => {}, "chip"],
		["as a chip if it is a jump", () => ({ kind: "jump", uri: A, position }), () => {}, "chip"],
		["as a diff if it is a rename", () => ({ kind: "rename", uri: A, position, newName: "x" }), () => {}, "diff"],
		[
			"as a chip if it is a rename in another file",
			() => ({ kind: "rename", uri: FILE, position, newName: "x" }),
			() => {},
			"chip",
		],
		[
			"as a diff if it is a search",
			() => ({ kind: "searchAndReplace", uri: FILE, search: "a", replace: "b" }),
			() => {},
			"diff",
		],
	])("%s", async ([, suggestion, look, as]) => {
		const stage = await EditorFixture.offering(
			A,
			"0123456789\n".repeat(4).slice(0, 40),
			(one) => [suggestion(one)],
			({ host }) => {
				host.disk.set(FILE, "aaa");
				host.rename = async () => true;
				host.canSearch(async (files) => files);
			},
		);
		look(stage);
		expect(stage.host.shown?.as).toBe(as);
		expect(stage.editor.current).toBe(stage.host.shown);
	});

	test("as a chip while one of its edits is not visible, and Tab goes there", async () => {
		const stage = await EditorFixture.offering(A, "0123456789\n".repeat(4), () => [insertions(A, [0, 3])]);
		stage.host.scroll(A, { from: 0, to: 20 });
		expect(stage.host.shown).toMatchObject({ as: "chip", place: 41 });
		await stage.editor.tab();
		expect([stage.host.view(A)?.head, stage.host.shown?.as]).toEqual([41, "diff"]);
	});

	test("as a chip until Tab has visited all hidden edits, even if they move", async () => {
		const lines = "0123456789\n".repeat(60);
		const stage = await EditorFixture.offering(A, lines, () => [insertions(A, [0, 20, 50])]);
		stage.host.scroll(A, { from: 0, to: 109 });
		await stage.editor.tab();
		expect([stage.host.view(A)?.head, stage.host.shown?.as]).toEqual([228, "chip"]);
		// The editor scrolls there. Edits that were visible before count as seen.
		stage.host.scroll(A, { from: 110, to: 340 });
		expect(stage.host.shown).toMatchObject({ as: "chip", place: 558 });
		stage.host.edit(A, [{ from: 120, to: 120, insert: "y" }]);
		expect(stage.host.shown).toMatchObject({ as: "chip", place: 559 });
		await stage.editor.tab();
		expect([stage.host.view(A)?.head, stage.host.shown?.as, stage.verdicts]).toEqual([559, "diff", []]);
		await stage.editor.tab();
		expect(stage.host.text(A)).toHaveLength(lines.length + 4);
	});

	test("as a chip for another file, and Tab visits its edits in order", async () => {
		const stage = await EditorFixture.offering(
			A,
			"a",
			() => [insertions(FILE, [0, 3])],
			({ host }) => host.disk.set(FILE, "0123456789\n".repeat(4)),
		);
		await stage.editor.tab();
		stage.host.scroll(FILE, { from: 0, to: 20 });
		expect([stage.host.view(FILE)?.head, stage.host.shown?.as]).toEqual([8, "chip"]);
		await stage.editor.tab();
		expect([stage.host.view(FILE)?.head, stage.host.shown?.as]).toEqual([41, "diff"]);
	});

	test.for<[string, { from: number; to: number }, { from: number; to: number }[], number]>([
		["its end", { from: 0, to: 21 }, [], 40],
		["its start", { from: 22, to: 44 }, [], 2],
		["its folded part", { from: 0, to: 44 }, [{ from: 10, to: 30 }], 10],
	])("as a chip, so that Tab goes to %s and then accepts", async ([, visible, hidden, place]) => {
		const stage = await EditorFixture.offering(A, "0123456789\n".repeat(4), (one) => [one.edit(A, 2, 40, "")]);
		stage.host.scroll(A, visible, hidden);
		expect(stage.host.shown).toMatchObject({ as: "chip", place });
		await stage.editor.tab();
		expect([stage.host.view(A)?.head, stage.host.shown?.as]).toEqual([place, "diff"]);
		await stage.editor.tab();
		expect(stage.host.text(A)).toBe("01789\n");
	});

	test("as a chip, so that Tab goes to its start and, on a small screen, to its end", async () => {
		const stage = await EditorFixture.offering(A, "0123456789\n".repeat(4), (one) => [one.edit(A, 2, 40, "")]);
		stage.host.scroll(A, { from: 22, to: 32 });
		await stage.editor.tab();
		stage.host.scroll(A, { from: 0, to: 21 });
		expect(stage.host.shown).toMatchObject({ as: "chip", place: 40 });
		await stage.editor.tab();
		stage.host.scroll(A, { from: 33, to: 44 });
		expect([stage.host.view(A)?.head, stage.host.shown?.as]).toEqual([40, "diff"]);
	});

	test.for<[string, number, number]>([
		["before it", 15, 42],
		["after it", 43, 41],
	])("as a chip that follows its edit, redrawn at most once, when another program writes %s", async ([, at, place]) => {
		for (const isToldOfCursor of [false, true]) {
			const stage = await EditorFixture.offering(A, "0123456789\n".repeat(4), () => [insertions(A, [0, 3])]);
			stage.host.scroll(A, { from: 0, to: 20 });
			const count = stage.host.frames.length;
			const edits = [{ from: at, to: at, insert: "y" }];
			if (isToldOfCursor) stage.host.edit(A, edits, "other");
			else stage.editor.didChange(A, 2, edits, "other");
			expect(stage.host.shown).toMatchObject({ as: "chip", place });
			expect(stage.host.frames.length - count).toBe(place === 41 ? 0 : 1);
		}
	});

	test("as a chip for another file that stays when the user types in this one", async () => {
		const stage = await EditorFixture.offering(
			A,
			"a",
			(one) => [one.edit(FILE, 2, 2, "x")],
			({ host }) => host.disk.set(FILE, "aaa"),
		);
		stage.editor.didChange(A, 2, [{ from: 0, to: 0, insert: "y" }]);
		expect(stage.host.shown).toMatchObject({ as: "chip", place: 2 });
	});

	test("only when it changes", async () => {
		const stage = await EditorFixture.offering(A, "a\nb", (one) => [one.edit(A, 3, 3, "cd")]);
		const count = stage.host.frames.length;
		stage.host.scroll(A, { from: 0, to: 3 });
		stage.host.save(A);
		stage.host.diagnose(A, []);
		expect(stage.host.frames).toHaveLength(count);
	});

	test.for<[string, (stage: EditorFixture) => unknown, string]>([
		["Esc", ({ editor }) => editor.reject(), "rejected"],
		["typing something else", ({ host }) => host.type("?"), "rejected"],
		["undoing the edit that it is derived from", ({ host }) => host.undo(A), "ignored"],
		["closing its file", ({ host }) => host.close(A), "ignored"],
	])("until %s, and the reason is reported", async ([, end, reason]) => {
		const stage = await EditorFixture.resting(A, "a");
		stage.host.type("b");
		stage.script(stage.edit(A, 2, 2, "cd"));
		await stage.editor.suggest();
		stage.script();
		stage.forget();
		end(stage);
		await settled();
		expect([stage.host.shown, stage.host.notes[0]]).toEqual([undefined, { kind: "no-suggestion", text: reason }]);
	});

	test("even if the host's `show` throws", async () => {
		const stage = await EditorFixture.offering(A, "a", () => []);
		stage.host.show = () => {
			throw new Error("no canvas");
		};
		stage.script(stage.edit(A, 1, 1, "b"));
		await stage.editor.suggest();
		expect(stage.host.notes.at(-1)).toMatchObject({ kind: "failed", text: expect.stringMatching(/no canvas/) });
		await stage.editor.tab();
		expect(stage.host.text(A)).toBe("ab");
	});
});
