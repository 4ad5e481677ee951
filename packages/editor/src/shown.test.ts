import { settled } from "@segue/testing/peers";
import { type Scripted, Stage } from "@segue/testing/stage";
import { describe, expect, test } from "vitest";

const A = "file:///project/a.ts";
const FILE = "file:///project/lib/c.ts";
const position = { line: 0, character: 0 };

describe("what is suggested is drawn", () => {
	test.for<[string, (stage: Stage) => Scripted, (stage: Stage) => void, string]>([
		["as ghost text if it inserts at the cursor", (stage) => stage.edit(A, 40, 40, "x"), () => {}, "ghost"],
		["as a diff if it inserts elsewhere", (stage) => stage.edit(A, 10, 10, "x"), () => {}, "diff"],
		["as a diff if it replaces", (stage) => stage.edit(A, 38, 40, "x"), () => {}, "diff"],
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
			"as a chip if the end of its line is out of sight",
			(stage) => stage.edit(A, 8, 8, "x"),
			({ host }) => host.scroll(A, { from: 0, to: 40 }, [{ from: 5, to: 10 }]),
			"chip",
		],
		[
			"as a chip if what it writes would be drawn out of sight",
			(stage) => stage.edit(A, 3, 6, "x"),
			({ host }) => host.scroll(A, { from: 0, to: 40 }, [{ from: 5, to: 10 }]),
			"chip",
		],
		[
			"as a diff if it is before what is out of sight of its line",
			(stage) => stage.edit(A, 2, 4, "x"),
			({ host }) => host.scroll(A, { from: 0, to: 40 }, [{ from: 5, to: 10 }]),
			"diff",
		],
		["as a chip if it is in another file", (stage) => stage.edit(FILE, 0, 0, "x"), () => {}, "chip"],
		["as a chip if it is somewhere to go", () => ({ kind: "jump", uri: A, position }), () => {}, "chip"],
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
		const stage = await Stage.offering(
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

	test("as a chip while one of its places is out of sight, and Tab goes to that one", async () => {
		const edits = [0, 3].map((line) => {
			const start = { line, character: 8 };
			return { range: { start, end: start }, newText: "x" };
		});
		const stage = await Stage.offering(A, "0123456789\n".repeat(4), () => [{ kind: "edit", uri: A, edits }]);
		stage.host.scroll(A, { from: 0, to: 20 });
		expect(stage.host.shown).toMatchObject({ as: "chip", place: 41 });
		await stage.editor.tab();
		expect([stage.host.view(A)?.head, stage.host.shown?.as]).toEqual([41, "diff"]);
	});

	test("no more often than it changes", async () => {
		const stage = await Stage.offering(A, "a\nb", (one) => [one.edit(A, 3, 3, "cd")]);
		const count = stage.host.frames.length;
		stage.host.scroll(A, { from: 0, to: 3 });
		stage.host.save(A);
		stage.host.diagnose(A, []);
		expect(stage.host.frames).toHaveLength(count);
	});

	test.for<[string, (stage: Stage) => unknown, string]>([
		["Esc", ({ editor }) => editor.reject(), "rejected"],
		["what the user types instead", ({ host }) => host.type("?"), "rejected"],
		["an undo of what it came from", ({ host }) => host.undo(A), "ignored"],
		["closing its file", ({ host }) => host.close(A), "ignored"],
	])("no more after %s, and the user is told why nothing is offered", async ([, end, reason]) => {
		const stage = await Stage.resting(A, "a");
		stage.host.type("b");
		stage.script(stage.edit(A, 2, 2, "cd"));
		await stage.editor.suggest();
		stage.script();
		stage.forget();
		end(stage);
		await settled();
		expect([stage.host.shown, stage.host.notes[0]]).toEqual([undefined, { kind: "silence", text: reason }]);
	});

	test("although a host that cannot draw it throws", async () => {
		const stage = await Stage.offering(A, "a", () => []);
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
