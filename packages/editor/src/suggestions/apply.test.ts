import { EditorFixture, type PrepareFixture, type ScriptedSuggestion } from "@segue/testing/editors/editor-fixture";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";
import type { FileEdits, Host } from "../host.js";

const A = "file:///project/a.ts";
const FILE = "file:///project/lib/c.ts";
const position = { line: 0, character: 0 };

function withRename(rename: NonNullable<Host["rename"]>): PrepareFixture {
	return ({ host }) => {
		host.rename = rename;
	};
}

function withPreview(preview: NonNullable<Host["preview"]>): PrepareFixture {
	return ({ host }) => {
		host.canSearch(preview);
	};
}

/** Blocks the editor's changes until the returned function is called. */
function slowDown({ host }: EditorFixture): () => void {
	const { opened, open } = deferred();
	const apply = host.apply.bind(host);
	host.apply = async (files) => {
		await opened;
		return apply(files);
	};
	return open;
}

describe("Tab", () => {
	test("returns false if nothing is shown", async () => {
		const stage = await EditorFixture.offering(A, "a", () => []);
		expect([await stage.editor.tab(), await stage.editor.accept("word"), stage.editor.reject()]).toEqual([
			false,
			false,
			false,
		]);
		expect(stage.verdicts).toEqual([]);
	});

	test("accepts a visible suggestion and sends the change before the acceptance", async () => {
		const stage = await EditorFixture.offering(A, "a", (one) => [one.edit(A, 1, 1, "b")]);
		expect(await stage.editor.tab()).toBe(true);
		await settled();
		expect([stage.host.text(A), stage.host.shown]).toEqual(["ab", undefined]);
		const methods = stage.agent.received.map(({ method }) => method);
		expect(methods.slice(0, 2)).toEqual(["document/didChange", "nes/accept"]);
		expect(stage.verdicts).toEqual(["1 accept"]);
	});

	test("sends its change, and records it in the history, separately from what the user typed", async () => {
		const stage = await EditorFixture.offering(A, "a", (one) => [one.edit(A, 1, 1, "bc")]);
		stage.host.type("b");
		await stage.editor.tab();
		await stage.editor.suggest();
		expect(stage.agent.paramsOf("document/didChange")).toMatchObject([
			{ contentChanges: [{ text: "b" }] },
			{ contentChanges: [{ text: "c" }] },
		]);
		const diffs = stage.requests.at(-1)?.context?.editHistory?.map(({ diff }) => diff);
		expect(diffs).toEqual([expect.stringContaining("+ab\n"), expect.stringContaining("+abc\n")]);
	});

	test("moves the cursor to the suggested position", async () => {
		const stage = await EditorFixture.offering(A, "a", (one) => [
			{ ...one.edit(A, 1, 1, "(\n\t\n)"), cursorPosition: { line: 1, character: 1 } },
		]);
		await stage.editor.tab();
		expect([stage.host.text(A), stage.host.view(A)?.head]).toEqual(["a(\n\t\n)", 4]);
	});

	test("uses the line endings of the document", async () => {
		const stage = await EditorFixture.offering(A, "a\r\nb\r\n", (one) => [
			{ ...one.edit(A, 3, 4, "x\ny\nz"), cursorPosition: { line: 2, character: 1 } },
		]);
		await stage.editor.tab();
		expect([stage.host.text(A), stage.host.view(A)?.head]).toEqual(["a\r\nx\r\ny\r\nz\r\n", 7]);
	});

	test("first reveals an off-screen location, then accepts", async () => {
		const stage = await EditorFixture.offering(A, "a\n".repeat(50), (one) => [one.edit(A, 0, 1, "b")]);
		stage.host.scroll(A, { from: 60, to: 100 });
		await stage.editor.tab();
		expect([stage.host.view(A)?.head, stage.host.shown?.as, stage.verdicts]).toEqual([0, "diff", []]);
		expect(stage.editor.ignoresTab).toBe(false);
		await stage.editor.tab();
		await settled();
		expect([stage.host.text(A).slice(0, 3), stage.verdicts]).toEqual(["b\na", ["1 accept"]]);
	});

	test("first opens a closed file, however its URI is spelled, then accepts", async () => {
		const spelled = "file:///project/lib/%63.ts";
		const stage = await EditorFixture.offering(
			A,
			"a",
			(one) => [one.edit(spelled, 1, 1, "!")],
			({ host }) => host.disk.set(spelled, "c"),
		);
		stage.host.reveal = (_uri, offset) => {
			if (stage.host.activeUri !== FILE) {
				stage.host.open(FILE, "c");
				stage.host.focus(FILE);
			}
			stage.host.move(offset);
		};
		await stage.editor.tab();
		expect(stage.host.shown).toMatchObject({ uri: FILE, as: "ghost" });
		await stage.editor.tab();
		await settled();
		expect([stage.host.text(FILE), stage.verdicts]).toEqual(["c!", ["1 accept"]]);
	});

	describe("right after an accepted edit", () => {
		/** Accepts an edit at the end of the first line, and returns the values that the host received. */
		async function accepted(): Promise<{ stage: EditorFixture; reported: boolean[] }> {
			const reported: boolean[] = [];
			const stage = await EditorFixture.offering(
				A,
				"a",
				(one) => [one.edit(A, 1, 1, "b")],
				({ host }) => {
					host.ignoreTab = (isIgnored) => reported.push(isIgnored);
				},
			);
			expect(stage.editor.ignoresTab).toBe(false);
			await stage.editor.tab();
			return { stage, reported };
		}

		test("has no effect for 1.5 seconds", async () => {
			const { stage, reported } = await accepted();
			stage.clock.advance(1499);
			expect([stage.editor.ignoresTab, reported]).toEqual([true, [true]]);
			stage.clock.advance(1);
			expect([stage.editor.ignoresTab, reported]).toEqual([false, [true, false]]);
		});

		test("has no effect for another 1.5 seconds after each press", async () => {
			const { stage, reported } = await accepted();
			for (let presses = 0; presses < 3; presses++) {
				stage.clock.advance(1000);
				expect(await stage.editor.tab()).toBe(false);
			}
			stage.clock.advance(1499);
			expect([stage.editor.ignoresTab, reported]).toEqual([true, [true]]);
			stage.clock.advance(1);
			await stage.editor.tab();
			expect([stage.editor.ignoresTab, reported]).toEqual([false, [true, false]]);
		});

		test.for<[string, (stage: EditorFixture) => unknown]>([
			["types", ({ host }) => host.type("x")],
			["undoes the edit", ({ host }) => host.undo(A)],
			["moves the cursor", ({ host }) => host.move(0)],
			["selects text", ({ host }) => host.move(2, 0)],
			["switches to another file", (stage) => stage.open("file:///project/b.ts", "b")],
		])("has its usual effect once the user %s", async ([, act]) => {
			const { stage, reported } = await accepted();
			await act(stage);
			expect([stage.editor.ignoresTab, reported]).toEqual([false, [true, false]]);
		});

		test("still has no effect after the user scrolls", async () => {
			const { stage } = await accepted();
			stage.host.scroll(A, { from: 0, to: 1 });
			expect(stage.editor.ignoresTab).toBe(true);
		});

		test("has no effect after the editor itself has applied the edit", async () => {
			const stage = await EditorFixture.offering(A, "a", (one) => [one.edit(A, 1, 1, "bc")]);
			stage.host.edit(A, [{ from: 1, to: 1, insert: "bc" }]);
			expect(stage.editor.ignoresTab).toBe(false);
			stage.editor.didAccept();
			expect(stage.editor.ignoresTab).toBe(true);
		});
	});

	test("has no effect while an edit is being applied, and its usual effect if that failed", async () => {
		const stage = await EditorFixture.offering(A, "a", (one) => [one.edit(A, 1, 1, "b")]);
		const go = slowDown(stage);
		stage.host.isWritable = false;
		const done = stage.editor.tab();
		await settled();
		expect([stage.host.shown, stage.editor.ignoresTab]).toEqual([undefined, true]);
		go();
		await done;
		expect(stage.editor.ignoresTab).toBe(false);
	});

	test("accepts a jump by moving to its target", async () => {
		const stage = await EditorFixture.offering(A, "a\nb", () => [{ kind: "jump", uri: A, position }]);
		await stage.editor.tab();
		await settled();
		expect([stage.host.view(A)?.head, stage.verdicts, stage.host.shown]).toEqual([0, ["1 accept"], undefined]);
		// Users press Tab once too often after a jump, too.
		expect(stage.editor.ignoresTab).toBe(true);
	});

	test("pressed twice accepts a suggestion once, even if the editor is slow", async () => {
		const stage = await EditorFixture.offering(A, "a", (one) => [one.edit(A, 1, 1, "b"), one.edit(A, 0, 0, "0")]);
		const open = slowDown(stage);
		const first = stage.editor.tab();
		const second = stage.editor.accept("whole");
		stage.editor.reject();
		open();
		expect(await Promise.all([first, second])).toEqual([true, false]);
		await settled();
		expect([stage.host.text(A), stage.verdicts, stage.host.shown?.id]).toEqual(["ab", ["1 accept"], "2"]);
	});

	test("accepts one word per key press, even if the editor is slow", async () => {
		const stage = await EditorFixture.offering(A, "a", (one) => [one.edit(A, 1, 1, " b c d")]);
		const open = slowDown(stage);
		const both = [stage.editor.accept("word"), stage.editor.accept("word")];
		open();
		await Promise.all(both);
		await settled();
		expect([stage.host.text(A), stage.verdicts]).toEqual(["a b c", []]);
		expect(stage.host.shown).toMatchObject({ edits: [{ insert: " d" }] });
	});

	test("shows the next suggestion in the response, rebased", async () => {
		const stage = await EditorFixture.offering(A, "a\na\na", (one) => [
			one.edit(A, 4, 5, "xyz"),
			one.edit(A, 0, 1, "long"),
			one.edit(A, 2, 3, "x"),
		]);
		await stage.editor.tab();
		expect(stage.host.shown?.id).toBe("2");
		await stage.editor.tab();
		expect(stage.host.shown).toMatchObject({ id: "3", edits: [{ from: 5, to: 6, insert: "x" }] });
		await stage.editor.tab();
		await settled();
		expect([stage.host.text(A), stage.verdicts]).toEqual(["long\nx\nxyz", ["1 accept", "2 accept", "3 accept"]]);
	});

	test.for<[string, (stage: EditorFixture) => void]>([
		["agent dies", ({ agent }) => agent.die()],
		[
			"session ends",
			({ host, editor }) => {
				host.folders = [];
				editor.didChangeWorkspace();
			},
		],
	])("applies the change without reporting an outcome if the %s during it", async ([, end]) => {
		const stage = await EditorFixture.offering(A, "a", (one) => [one.edit(A, 1, 1, "b")]);
		const open = slowDown(stage);
		const taken = stage.editor.tab();
		end(stage);
		await settled();
		open();
		await taken;
		await settled();
		expect([stage.host.text(A), stage.verdicts, stage.host.shown]).toEqual(["ab", [], undefined]);
	});
});

describe("a suggestion that cannot be applied", () => {
	test.for<[string, (stage: EditorFixture) => void]>([
		[
			"because the editor refuses",
			({ host }) => {
				host.isWritable = false;
			},
		],
		[
			"because the editor fails",
			({ host }) => {
				host.apply = () => {
					throw new Error("read-only");
				};
			},
		],
		[
			"because the editor fails asynchronously",
			({ host }) => {
				host.apply = () => Promise.reject(new Error("read-only"));
			},
		],
	])("%s ends without a reason, and the cursor stays", async ([, spoil]) => {
		for (const how of ["whole", "word", "line"] as const) {
			const stage = await EditorFixture.offering(A, "a", (one) => [one.edit(A, 1, 1, "b c"), one.edit(A, 0, 0, "0")]);
			const before = stage.host.view(A);
			spoil(stage);
			expect(await stage.editor.accept(how)).toBe(false);
			await settled();
			expect([stage.host.text(A), stage.host.shown, stage.host.view(A)]).toEqual(["a", undefined, before]);
			expect(stage.verdicts).toEqual(["1 reject", "2 reject"]);
			expect(stage.host.notes).toMatchObject([{ kind: "failed" }]);
		}
	});

	test.for<[string, ScriptedSuggestion]>([
		["an edit", { kind: "edit", uri: FILE, edits: [{ range: { start: position, end: position }, newText: "x" }] }],
		["a jump", { kind: "jump", uri: FILE, position }],
		["a rename", { kind: "rename", uri: FILE, position, newName: "x" }],
	])("because its file has changed: %s", async ([, raw]) => {
		let renamed = 0;
		const stage = await EditorFixture.offering(
			A,
			"a",
			() => [raw],
			({ host }) => {
				host.disk.set(FILE, "c");
				host.rename = async () => ++renamed > 0;
			},
		);
		stage.host.disk.set(FILE, "changed");
		await stage.editor.accept("whole");
		await settled();
		expect([stage.host.disk.get(FILE), renamed, stage.host.activeUri]).toEqual(["changed", 0, A]);
		expect([stage.verdicts, stage.host.shown]).toEqual([["1 reject"], undefined]);
	});

	test("because its file is opened with different text", async () => {
		const stage = await EditorFixture.offering(
			A,
			"a",
			(one) => [one.edit(FILE, 1, 1, "!")],
			({ host }) => host.disk.set(FILE, "c"),
		);
		stage.host.disk.set(FILE, "changed");
		await stage.editor.tab();
		await settled();
		expect([stage.host.activeUri, stage.host.text(FILE), stage.verdicts]).toEqual([
			FILE,
			"changed",
			["1 reject ignored"],
		]);
	});

	test("does not block the next one", async () => {
		const stage = await EditorFixture.offering(A, "a", (one) => [one.edit(A, 1, 1, "b")]);
		stage.host.isWritable = false;
		await stage.editor.tab();
		stage.host.isWritable = true;
		stage.script({ id: "next", ...stage.edit(A, 1, 1, "c") });
		await stage.editor.suggest();
		await stage.editor.tab();
		await settled();
		expect([stage.host.text(A), stage.verdicts]).toEqual(["ac", ["1 reject", "next accept"]]);
	});
});

test("an accepted suggestion counts as accepted even if the editor cannot reveal it", async () => {
	for (const how of ["whole", "word"] as const) {
		const stage = await EditorFixture.offering(A, "a", (one) => [one.edit(A, 1, 1, "b")]);
		stage.host.reveal = () => {
			throw new Error("no window");
		};
		expect([await stage.editor.accept(how), stage.host.text(A)]).toEqual([true, "ab"]);
		expect(stage.host.notes).toMatchObject([{ kind: "failed", text: expect.stringMatching(/no window/) }]);
	}
});

test("accepting a suggestion for a closed file writes to it, even if the user is in another file", async () => {
	const stage = await EditorFixture.offering(
		A,
		"a",
		(one) => [one.edit(FILE, 1, 1, "!")],
		({ host }) => host.disk.set(FILE, "c"),
	);
	await stage.editor.accept("whole");
	await settled();
	expect([stage.host.disk.get(FILE), stage.verdicts]).toEqual(["c!", ["1 accept"]]);
});

describe("accepting in parts", () => {
	test.for<[string, from: number, to: number, text: string, word: boolean, line: boolean]>([
		["several words on one line", 3, 3, " total = 0", true, false],
		["several lines", 3, 3, "\na\nb", true, true],
		["a single word", 3, 3, " x", false, false],
		["a word that replaces another", 0, 3, "const", false, false],
		["words that replace others", 0, 7, "var b", true, false],
		["a deletion", 0, 3, "", false, false],
	])("is possible by word or line if that leaves a rest: %s", async ([, from, to, text, word, line]) => {
		const stage = await EditorFixture.offering(A, "let abc", (one) => [one.edit(A, from, to, text)]);
		expect([stage.editor.isDivisible("word"), stage.editor.isDivisible("line")]).toEqual([word, line]);
		stage.editor.reject();
		expect(stage.editor.isDivisible("word")).toBe(false);
	});

	test("is not possible while the suggestion is not visible", async () => {
		const stage = await EditorFixture.offering(A, "let abc", (one) => [one.edit(A, 3, 3, " total = 0")]);
		stage.host.scroll(A, { from: 5, to: 7 });
		expect([stage.host.shown?.as, stage.editor.isDivisible("word")]).toEqual(["chip", false]);
	});

	test("moves the cursor along; Esc then reports a partial acceptance", async () => {
		const stage = await EditorFixture.offering(A, "let", (one) => [one.edit(A, 3, 3, " total = 0")]);
		await stage.editor.accept("word");
		expect([stage.host.text(A), stage.host.view(A)?.head, stage.host.shown?.as]).toEqual(["let total", 9, "ghost"]);
		await stage.editor.accept("word");
		expect(stage.host.text(A)).toBe("let total =");
		stage.editor.reject();
		await settled();
		expect(stage.verdicts).toEqual(['1 accept {"segue":{"partial":true}}']);
	});

	test("reports one acceptance if all lines are accepted", async () => {
		const stage = await EditorFixture.offering(A, "a\r\n", (one) => [one.edit(A, 3, 3, "b\nc\n")]);
		await stage.editor.accept("line");
		expect(stage.host.text(A)).toBe("a\r\nb");
		await stage.editor.accept("line");
		await stage.editor.accept("line");
		await settled();
		expect([stage.host.text(A), stage.host.shown, stage.verdicts]).toEqual([
			"a\r\nb\r\nc\r\n",
			undefined,
			["1 accept"],
		]);
	});

	test("lets the user type on after a part, even if that contradicts the rest", async () => {
		const stage = await EditorFixture.offering(A, "let", (one) => [one.edit(A, 3, 3, " total = 0")]);
		await stage.editor.accept("word");
		stage.host.type(" =");
		expect(stage.host.shown).toMatchObject({ edits: [{ insert: " 0" }] });
		stage.host.type("=");
		await settled();
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, ['1 accept {"segue":{"partial":true}}']]);
	});

	test("reports an acceptance if the user types the rest", async () => {
		const stage = await EditorFixture.offering(A, "let", (one) => [one.edit(A, 3, 3, " x")]);
		stage.host.type(" x");
		await settled();
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, ['1 accept {"segue":{"typed":true}}']]);
	});

	test("accepts an indivisible suggestion as a whole", async () => {
		const rename = { kind: "rename", uri: A, position, newName: "b" };
		const renamed: string[] = [];
		const stage = await EditorFixture.offering(
			A,
			"a",
			() => [rename],
			withRename(async (_uri, _at, newName) => renamed.push(newName) > 0),
		);
		expect(await stage.editor.accept("word")).toBe(true);
		await settled();
		expect([renamed, stage.verdicts]).toEqual([["b"], ["1 accept"]]);
	});

	test.for<[string, (stage: EditorFixture) => ScriptedSuggestion]>([
		["off-screen", (stage) => stage.edit(A, 0, 1, "b")],
		["in another file", (stage) => stage.edit(FILE, 0, 0, "x y")],
		["a jump", () => ({ kind: "jump", uri: A, position })],
	])("accepts no part of an unseen suggestion: %s", async ([, suggestion]) => {
		const stage = await EditorFixture.offering(
			A,
			"a\n".repeat(50),
			(one) => [suggestion(one)],
			({ host }) => host.disk.set(FILE, "c"),
		);
		stage.host.scroll(A, { from: 60, to: 100 });
		const before = [stage.host.view(A), stage.host.shown];
		expect([await stage.editor.accept("word"), await stage.editor.accept("line")]).toEqual([false, false]);
		await settled();
		expect([stage.host.view(A), stage.host.shown]).toEqual(before);
		expect([stage.host.text(A), stage.host.disk.get(FILE), stage.host.activeUri]).toEqual(["a\n".repeat(50), "c", A]);
		expect(stage.verdicts).toEqual([]);
	});

	test("accepts no part of the next suggestion if it is unseen", async () => {
		const stage = await EditorFixture.offering(A, "a\n".repeat(50), (one) => [
			one.edit(A, 100, 100, "b"),
			one.edit(A, 0, 1, "c"),
		]);
		stage.host.scroll(A, { from: 60, to: 101 });
		const open = slowDown(stage);
		const both = [stage.editor.accept("word"), stage.editor.accept("word")];
		open();
		expect(await Promise.all(both)).toEqual([true, false]);
		await settled();
		expect([stage.host.text(A), stage.verdicts]).toEqual([`${"a\n".repeat(50)}b`, ["1 accept"]]);
		expect(stage.host.shown).toMatchObject({ id: "2", as: "chip" });
	});
});

describe("a rename", () => {
	const rename = { kind: "rename", uri: A, position: { line: 0, character: 4 }, newName: "total" };

	test.for<[string, NonNullable<Host["rename"]>, string]>([
		["is performed by the host", async () => true, "1 accept"],
		["that the host cannot perform ends", async () => false, "1 reject"],
		["that the user declines is rejected", async () => "declined", "1 reject rejected"],
		["that fails ends", () => Promise.reject(new Error("no server")), "1 reject"],
	])("%s, and the library never replaces text itself", async ([, perform, verdict]) => {
		const calls: unknown[] = [];
		const spy: typeof perform = (...all) => {
			calls.push(all);
			return perform(...all);
		};
		const stage = await EditorFixture.offering(A, "let sum = sum2", () => [rename], withRename(spy));
		await stage.editor.tab();
		await settled();
		expect([calls, stage.host.text(A), stage.verdicts]).toEqual([[[A, 4, "total"]], "let sum = sum2", [verdict]]);
	});

	test.for(["whole", "word"] as const)(
		"accepted with %s does not block other suggestions during its preview",
		async (how) => {
			const { opened, open } = deferred<boolean>();
			let count = 0;
			const stage = await EditorFixture.offering(
				A,
				"let sum = sum2",
				() => [rename],
				withRename(() => {
					count++;
					return opened;
				}),
			);
			const renamed = stage.editor.accept(how);
			await settled();
			stage.script({ id: "whole", ...stage.edit(A, 14, 14, "!") });
			await stage.editor.suggest();
			await stage.editor.tab();
			stage.script({ id: "parts", ...stage.edit(A, 15, 15, " a b") });
			await stage.editor.suggest();
			void stage.editor.accept("word");
			await settled();
			expect([stage.host.text(A), count]).toEqual(["let sum = sum2! a", 1]);
			open(true);
			expect(await renamed).toBe(true);
		},
	);
});

describe("a search", () => {
	const search = { kind: "searchAndReplace", uri: "file:///project", search: "sum", replace: "$1" };

	test("is previewed with open documents and other files, except private ones", async () => {
		const seen: (readonly FileEdits[])[] = [];
		const stage = await EditorFixture.offering(
			A,
			"sum",
			() => [search],
			(one) => {
				one.host.disk.set(FILE, "a sum");
				one.host.disk.set("file:///project/.env", "sum");
				withPreview(async (files) => {
					seen.push(files);
					return files;
				})(one);
			},
		);
		stage.host.type("!");
		expect(stage.host.shown).toMatchObject({ kind: "searchAndReplace" });
		await stage.editor.tab();
		await settled();
		expect(seen).toHaveLength(1);
		expect([stage.host.text(A), stage.host.disk.get(FILE), stage.verdicts]).toEqual(["$1!", "a $1", ["1 accept"]]);
		expect(stage.host.disk.get("file:///project/.env")).toBe("sum");
	});

	test.for<[string, (files: readonly FileEdits[]) => readonly FileEdits[], string]>([
		[
			"is partly accepted if the user removes some of its edits",
			(files) => files.slice(1),
			'1 accept {"segue":{"partial":true}}',
		],
		["is rejected if the user removes all of its edits", () => [], "1 reject rejected"],
	])("%s", async ([, choose, verdict]) => {
		const stage = await EditorFixture.offering(
			A,
			"sum",
			() => [search],
			(one) => {
				one.host.disk.set(FILE, "sum");
				withPreview(async (files) => choose(files))(one);
			},
		);
		await stage.editor.tab();
		await settled();
		expect(stage.verdicts).toEqual([verdict]);
		const isDeclined = verdict.includes("reject");
		expect(stage.host.notes).toEqual(isDeclined ? [{ kind: "no-suggestion", text: "rejected" }] : []);
	});

	test.for(["file:///etc", "file:///project/.env", "file:///project/../etc"])("in %s is never shown", async (uri) => {
		const stage = await EditorFixture.resting(
			A,
			"sum",
			withPreview(async (files) => files),
		);
		stage.script({ ...search, uri });
		await stage.editor.suggest();
		expect(stage.host.shown).toBeUndefined();
		expect(stage.verdicts).toEqual([
			'1 reject {"segue":{"invalid":"its search is outside the workspace or in a private file"}}',
		]);
	});

	test("does not block other suggestions during its preview", async () => {
		const stage = await EditorFixture.offering(
			A,
			"sum",
			() => [search],
			withPreview(() => new Promise(() => {})),
		);
		void stage.editor.tab();
		await settled();
		stage.script({ id: "other", ...stage.edit(A, 3, 3, "!") });
		await stage.editor.suggest();
		await stage.editor.tab();
		expect(stage.host.text(A)).toBe("sum!");
	});

	test("without matches ends, and the reason is reported", async () => {
		let previews = 0;
		const stage = await EditorFixture.offering(
			A,
			"sum",
			() => [{ ...search, search: "nowhere" }],
			withPreview(async (files) => {
				previews++;
				return files;
			}),
		);
		await stage.editor.tab();
		await settled();
		expect([previews, stage.host.text(A), stage.verdicts]).toEqual([0, "sum", ["1 reject"]]);
		expect(stage.host.notes).toMatchObject([{ kind: "failed" }]);
	});

	test("is not applied if the files have changed since the preview", async () => {
		const { opened, open } = deferred();
		const stage = await EditorFixture.offering(
			A,
			"sum",
			() => [search],
			withPreview(async (files) => {
				await opened;
				return files;
			}),
		);
		const taken = stage.editor.tab();
		await settled();
		stage.host.type("s");
		open();
		await taken;
		await settled();
		expect([stage.host.text(A), stage.verdicts]).toEqual(["sums", ["1 reject"]]);
	});
});
