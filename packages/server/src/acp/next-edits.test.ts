import type { Memory, Prediction, Scene, Suggestion } from "@segue/predict";
import * as acp from "@segue/protocol/acp";
import {
	A,
	AcpEditor,
	always,
	B,
	edit,
	errorCodeOf,
	first,
	lineChange,
	noSuggestionReasonOf,
	RENAME_SUGGESTION,
	SUGGESTION_DETAILS,
	sceneRecorder,
	segueMetaOf,
	startRename,
} from "@segue/testing/editors/acp-editor";
import { deferred, settled } from "@segue/testing/rpc/peers";
import type { Edit } from "@segue/text";
import { describe, expect, test } from "vitest";

const EVERY_KIND: Suggestion[] = [
	{ ...SUGGESTION_DETAILS, key: "1", kind: "jump", uri: A, at: 1 },
	{ ...SUGGESTION_DETAILS, key: "2", kind: "rename", uri: A, at: 0, oldName: "ab", newName: "cd" },
	{ ...SUGGESTION_DETAILS, key: "3", kind: "searchAndReplace", uri: A, search: "a", replace: "b", isRegex: false },
];

describe("suggestions", () => {
	test.each<[string, readonly Edit[]]>([
		["has no edits", []],
		["changes nothing", [{ from: 0, to: 2, insert: "ab" }]],
		["inserts nothing", [{ from: 1, to: 1, insert: "" }]],
	])("are not sent for an edit that %s", async (_what, edits) => {
		const predict = always({ ...SUGGESTION_DETAILS, key: "1", kind: "edit", uri: A, edits });
		const editor = await AcpEditor.open({ [A]: "ab" }, { predict });
		expect(noSuggestionReasonOf(await editor.suggest(A, 1))).toBe("unfit");
	});

	test("are an empty list if none is found", async () => {
		const editor = await AcpEditor.open({ [A]: "ab" }, { predict: always() });
		expect(noSuggestionReasonOf(await editor.suggest(A, 1))).toBe("nothing-found");
	});

	test.each<[string, readonly Edit[]]>([
		[
			"overlap",
			[
				{ from: 0, to: 2, insert: "x" },
				{ from: 1, to: 3, insert: "y" },
			],
		],
		["extend past the end", [{ from: 0, to: 99, insert: "x" }]],
		["end before they start", [{ from: 2, to: 1, insert: "x" }]],
		["split a character", [{ from: 4, to: 4, insert: "x" }]],
		["split a line break", [{ from: 6, to: 6, insert: "x" }]],
	])("omit edits that %s and keep the others", async (_what, edits) => {
		const predict = always({ ...SUGGESTION_DETAILS, key: "1", kind: "edit", uri: A, edits }, edit(A, 0, 0, "good"));
		const editor = await AcpEditor.open({ [A]: "abc😀\r\n" }, { predict });
		expect((await editor.suggest(A, 1)).suggestions).toMatchObject([{ edits: [{ newText: "good" }] }]);
	});

	test("have sorted edits, with insertions at the same position merged in order", async () => {
		const edits = [
			{ from: 2, to: 3, insert: "z" },
			{ from: 0, to: 0, insert: "x" },
			{ from: 0, to: 1, insert: "y" },
		];
		const editor = await AcpEditor.open(
			{ [A]: "abc" },
			{ predict: always({ ...SUGGESTION_DETAILS, key: "1", kind: "edit", uri: A, edits }) },
		);
		expect((await editor.suggest(A, 1)).suggestions).toMatchObject([
			{
				edits: [lineChange(0, 0, 1, "xy"), lineChange(0, 2, 3, "z")].map(({ range, text }) => ({
					range,
					newText: text,
				})),
			},
		]);
	});

	test("have the cursor position in the edited document", async () => {
		const editor = await AcpEditor.open({ [A]: "a" }, { predict: always(edit(A, 1, 1, "\nb\ncd")) });
		expect((await editor.suggest(A, 1)).suggestions).toMatchObject([{ cursorPosition: { line: 2, character: 2 } }]);
	});

	test("have a jump's position in its target document", async () => {
		const predict = always({ ...SUGGESTION_DETAILS, key: "1", kind: "jump", uri: B, at: 4 });
		const editor = await AcpEditor.open({ [A]: "", [B]: "b\n😀c" }, { predict, capabilities: { nes: { jump: {} } } });
		expect((await editor.suggest(A, 1)).suggestions).toMatchObject([
			{ kind: "jump", uri: B, position: { line: 1, character: 2 } },
		]);
	});

	test.each([
		["none", {}, []],
		["jump", { jump: {} }, ["jump"]],
		["rename", { rename: {}, jump: null }, ["rename"]],
		["all", { jump: {}, rename: {}, searchAndReplace: {} }, ["jump", "rename", "searchAndReplace"]],
	])("have only kinds that the client supports: %s", async (_what, nes, kinds) => {
		const predict = always(...EVERY_KIND, edit(A, 0, 0, "x"));
		const editor = await AcpEditor.open({ [A]: "ab" }, { predict, capabilities: { nes } });
		const { suggestions } = await editor.suggest(A, 1);
		expect(suggestions.map(({ kind }) => kind)).toEqual([...kinds, "edit"].slice(0, 3));
	});

	test.each([
		["edit", {}],
		["rename", { capabilities: { nes: { rename: {} } } }],
		["rename", { capabilities: { _meta: { segue: { nes: { rename: {} } } } } }],
	])("have the kind %s for a rename with the options %j", async (kind, circumstances) => {
		const editor = await startRename(circumstances);
		expect((await first(editor)).kind).toBe(kind);
	});

	const SEARCHES = { capabilities: { nes: { searchAndReplace: {} } } };

	function search(pattern: string, isRegex: boolean): Suggestion {
		return {
			...SUGGESTION_DETAILS,
			key: "1",
			kind: "searchAndReplace",
			uri: A,
			search: pattern,
			replace: "$1",
			isRegex,
		};
	}

	test.each([
		["(", true, false],
		["a{2,1}", true, false],
		["\\-", true, false], // valid only without the flag `u`
		["\\p{L}+(?=\\s)", true, true],
		["^(a)$", true, true],
		["(", false, true],
		["", true, false],
		["", false, false],
	])("include only valid searches: %j, regex %s, valid %s", async (...row) => {
		const [pattern, isRegex, leaves] = row;
		const editor = await AcpEditor.open({ [A]: "a-(" }, { ...SEARCHES, predict: always(search(pattern, isRegex)) });
		const answer = await editor.suggest(A, 1);
		if (!leaves) expect(noSuggestionReasonOf(answer)).toBe("unfit");
		else expect(answer.suggestions).toMatchObject([{ search: pattern, replace: "$1", isRegex }]);
	});

	test("escape `$` in the replacement of a regular expression, but not of plain text", async () => {
		const uses = "use(total)\n".repeat(4);
		const renaming = await AcpEditor.open({ [A]: `const total = 0\n${uses}` }, SEARCHES);
		renaming.didChange(A, 2, lineChange(0, 6, 11, "$sum"));
		const pattern = (await renaming.suggest(A, 2)).suggestions;
		expect(pattern).toMatchObject([
			{ kind: "searchAndReplace", search: "\\btotal\\b", replace: "$$sum", isRegex: true },
		]);

		const plain = await AcpEditor.open({ [A]: "find(one, two, $3)\n".repeat(5) }, SEARCHES);
		plain.didChange(A, 2, lineChange(0, 15, 17, "$&"));
		plain.didChange(A, 3, lineChange(1, 15, 17, "$&"));
		const { suggestions } = await plain.suggest(A, 3);
		expect(suggestions).toMatchObject([{ kind: "searchAndReplace", isRegex: false }]);
		const { search: old = "", replace } = suggestions[0] as { search?: string; replace?: string };
		expect(replace).toBe(old.replace("$3", () => "$&"));
	});

	test.each<[string, Suggestion]>([
		["a jump past the end", { ...SUGGESTION_DETAILS, key: "1", kind: "jump", uri: A, at: 3 }],
		["a jump to NaN", { ...SUGGESTION_DETAILS, key: "1", kind: "jump", uri: A, at: Number.NaN }],
		[
			"a rename before the start",
			{ ...SUGGESTION_DETAILS, key: "1", kind: "rename", uri: A, at: -1, oldName: "ab", newName: "c" },
		],
		[
			"a rename to nothing",
			{ ...SUGGESTION_DETAILS, key: "1", kind: "rename", uri: A, at: 0, oldName: "ab", newName: "" },
		],
		["an edit with the cursor past the end", { ...edit(A, 0, 2, "x"), cursor: 2 }],
	])("omit %s", async (_what, suggestion) => {
		const capabilities = { nes: { jump: {}, rename: {} } };
		const editor = await AcpEditor.open({ [A]: "ab" }, { predict: always(suggestion), capabilities });
		expect(noSuggestionReasonOf(await editor.suggest(A, 1))).toBe("unfit");
	});

	test("omit edits to documents that are not in the scene", async () => {
		const editor = await AcpEditor.open({ [A]: "ab" }, { predict: always(edit(B, 0, 0, "x")) });
		expect(noSuggestionReasonOf(await editor.suggest(A, 1))).toBe("unfit");
	});

	test("have unique ids within a session", async () => {
		const editor = await startRename();
		const ids = new Set<string>();
		for (let count = 0; count < 40; count++) {
			const { id } = await first(editor);
			ids.add(id);
			if (count % 2 === 0) editor.accept(id);
		}
		expect(ids.size).toBe(40);
	});

	test("are limited to three, best first", async () => {
		const predict = always(...[4, 3, 2, 1].map((at) => edit(A, at, at, `${at}`)));
		const editor = await AcpEditor.open({ [A]: "abcdef" }, { predict });
		const { suggestions } = await editor.suggest(A, 1);
		expect(suggestions).toMatchObject([4, 3, 2].map((at) => ({ edits: [{ newText: `${at}` }] })));
	});

	test("include the predictor and the reason", async () => {
		const editor = await startRename();
		const why = "Renaming `cnt` to `count`: 1 more in this file";
		expect(await first(editor)).toMatchObject({
			...RENAME_SUGGESTION,
			_meta: { segue: { version: 2, predictor: "rename", why } },
		});
	});

	test.each([
		["no-history", A],
		["secret-file", "file:///.env"],
	])("are empty with the reason %s", async (reason, uri) => {
		const editor = await AcpEditor.open({ [uri]: "a" });
		expect(await editor.suggest(uri, 1)).toEqual({ suggestions: [], _meta: { segue: { reason } } });
	});

	test("fail without sending the client details if the predictor throws", async () => {
		const predict = () => {
			throw new Error("secret");
		};
		const editor = await AcpEditor.open({ [A]: "a" }, { predict });
		expect(await errorCodeOf(editor.suggest(A, 1))).toBe(-32603);
		expect(editor.problems).toMatchObject([{ kind: "handler-failed" }]);
		expect(await editor.close()).toEqual({});
	});
});

describe("feedback", () => {
	test("suppresses a suggestion only if it was rejected", async () => {
		const editor = await startRename();
		for (const reason of ["ignored", "replaced", "cancelled", "later", undefined]) {
			editor.reject((await first(editor)).id, reason);
		}
		editor.reject((await first(editor)).id, "rejected");
		expect(noSuggestionReasonOf(await editor.suggest(A, 2))).toBe("rejected-before");
	});

	test.each([
		["rejected", true],
		["ignored", true],
		["replaced", false],
		["cancelled", false],
		["later", false],
		[undefined, false],
	])("lowers the confidence of a suggestion's rule for the reason %s: %s", async (reason, counts) => {
		const shifts: number[] = [];
		const predict = (_scene: Scene, memory: Memory): Prediction => {
			shifts.push(memory.shiftOf(SUGGESTION_DETAILS.rules));
			return { suggestions: [edit(A, 0, 0, "x")] };
		};
		const editor = await AcpEditor.open({ [A]: "a" }, { predict });
		const [suggestion] = (await editor.suggest(A, 1)).suggestions;
		editor.reject(suggestion?.id ?? "", reason);
		await editor.suggest(A, 1);
		expect(shifts.map((shift) => shift < 0)).toEqual([false, counts]);
	});

	test("raises the confidence of an accepted suggestion's rule", async () => {
		const shifts: number[] = [];
		const predict = (_scene: Scene, memory: Memory): Prediction => {
			shifts.push(memory.shiftOf(SUGGESTION_DETAILS.rules));
			return { suggestions: [edit(A, 0, 0, "x")] };
		};
		const editor = await AcpEditor.open({ [A]: "a" }, { predict });
		editor.accept((await first(editor, 1)).id);
		await editor.suggest(A, 1);
		expect(shifts.map((shift) => shift > 0)).toEqual([false, true]);
	});

	test("counts once per suggestion and ignores unknown ids", async () => {
		const editor = await startRename();
		const { id } = await first(editor);
		editor.reject("suggestion_99", "rejected");
		editor.accept("suggestion_99");
		editor.accept(id);
		editor.reject(id, "rejected");
		const again = await first(editor);
		editor.reject(again.id, "rejected");
		editor.accept(again.id);
		expect(noSuggestionReasonOf(await editor.suggest(A, 2))).toBe("rejected-before");
		expect(editor.problems).toEqual([]);
	});

	test("counts partial acceptance as acceptance", async () => {
		const editor = await startRename();
		const { id } = await first(editor);
		editor.client.notify(acp.nesAccept, { sessionId: editor.sessionId, id, _meta: { segue: { partial: true } } });
		editor.reject(id, "rejected");
		expect((await first(editor)).id).not.toBe(id);
	});

	test("accepts ACP version 2's parameter name for the id", async () => {
		const editor = await startRename();
		const { id } = await first(editor);
		const { sessionId } = editor;
		await editor.write("nes/reject", { sessionId, suggestionId: id, reason: "rejected" });
		expect(noSuggestionReasonOf(await editor.suggest(A, 2))).toBe("rejected-before");
	});

	test.each(["before", "after"])("marks an accepted edit whose change arrives %s the acceptance", async (order) => {
		const { predict, scenes } = sceneRecorder();
		const text = "const cnt = 0\nlog(cnt)\n";
		let isFirst = true;
		const twice = (scene: Scene): Prediction => {
			if (!isFirst) return predict(scene);
			isFirst = false;
			return { suggestions: [edit(A, 18, 21, "count")] };
		};
		const editor = await AcpEditor.open({ [A]: text }, { predict: twice });
		const [suggestion] = (await editor.suggest(A, 1)).suggestions;
		if (order === "after") editor.accept(suggestion?.id ?? "");
		editor.didChange(A, 2, lineChange(1, 4, 7, "count"));
		if (order === "before") editor.accept(suggestion?.id ?? "");
		await editor.suggest(A, 2);
		expect(scenes[0]?.history.events).toMatchObject([{ isAccepted: true }]);
	});

	test("marks an accepted edit in the context's history in every later request", async () => {
		const { predict, scenes } = sceneRecorder();
		const editor = await AcpEditor.open({}, { sync: "context", predict: (scene) => answers.shift() ?? predict(scene) });
		const texts = ["a\nb\n", "A\nb\n", "A\nB\n", "A!\nB\n"] as const;
		const answers: Prediction[] = [{ suggestions: [edit(A, 0, 1, "A")] }, { suggestions: [edit(A, 2, 3, "B")] }];
		const diffs = ["@@ -1,2 +1,2 @@\n-a\n+A\n b\n", "@@ -1,2 +1,2 @@\n A\n-b\n+B\n", "@@ -1,2 +1,2 @@\n-A\n+A!\n B\n"];
		for (const [step, text] of texts.entries()) {
			const recentFiles = [{ uri: A, languageId: "typescript", text }];
			const editHistory = diffs.slice(0, step).map((diff) => ({ uri: A, diff }));
			const { suggestions } = await editor.suggest(A, step, { context: { recentFiles, editHistory } });
			if (suggestions[0] !== undefined) editor.accept(suggestions[0].id);
		}
		const marks = scenes.map(({ history }) => history.events.map(({ isAccepted }) => isAccepted));
		expect(marks).toEqual([
			[true, true],
			[true, true, false],
		]);
	});

	test("can be missing when a session or the connection is closed", async () => {
		const editor = await startRename();
		const { id } = await first(editor);
		expect(await editor.close()).toEqual({});
		editor.accept(id);
		await settled();
		expect(editor.problems).toMatchObject([{ method: "nes/accept", text: "unknown session" }]);
		const disconnected = await startRename();
		await first(disconnected);
		disconnected.client.close();
		await settled();
		expect(disconnected.problems).toEqual([]);
	});

	test("affects only its own session", async () => {
		const editor = await startRename();
		editor.reject((await first(editor)).id, "rejected");
		const rejected = editor.sessionId;
		await editor.start();
		editor.didOpen(A, "const cnt = 0\nlog(cnt)\n");
		editor.didChange(A, 2, lineChange(0, 6, 9, "count"));
		expect(await first(editor)).toMatchObject({ ...RENAME_SUGGESTION, id: "suggestion_1" });
		expect(noSuggestionReasonOf(await editor.suggest(A, 2, { sessionId: rejected }))).toBe("rejected-before");
	});
});

describe("requests", () => {
	test("are cancelled and answered before the response to nes/close", async () => {
		const { opened } = deferred<Prediction>();
		const signals: AbortSignal[] = [];
		const predict = (_scene: Scene, _memory: unknown, { signal }: { readonly signal: AbortSignal }) => {
			signals.push(signal);
			return opened;
		};
		const editor = await AcpEditor.open({ [A]: "a" }, { predict });
		await settled();
		const before = editor.transcript.length;
		const [one, two] = [editor.suggest(A, 1), editor.suggest(A, 1)].map(errorCodeOf);
		expect(await editor.close()).toEqual({});
		expect([await one, await two]).toEqual([-32800, -32800]);
		expect(editor.transcript.slice(before)).toEqual(["#2 -32800", "#3 -32800", "#4 result"]);
		expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
		expect(editor.problems).toEqual([]);

		editor.didChange(A, 2, { text: "" });
		expect(await errorCodeOf(editor.close())).toEqual([-32002, { sessionId: editor.sessionId }]);
		expect(editor.problems).toMatchObject([{ kind: "bad-notification", method: "document/didChange" }]);
	});

	test("do not block nes/close if predictions never end", async () => {
		const editor = await AcpEditor.open({ [A]: "a" }, { predict: () => deferred<Prediction>().opened });
		const requests = Array.from({ length: 200 }, () => errorCodeOf(editor.suggest(A, 1)));
		expect(await editor.close()).toEqual({});
		expect(new Set(await Promise.all(requests))).toEqual(new Set([-32800]));
	});

	test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
		"are answered before nes/close if the prediction is ready %i ticks earlier",
		async (ticks) => {
			const { opened, open } = deferred<Prediction>();
			const editor = await AcpEditor.open({ [A]: "a" }, { predict: () => opened });
			await settled();
			const before = editor.transcript.length;
			const answer = editor.suggest(A, 1).catch(() => {});
			await settled();
			open({ silence: "nothing-found" });
			for (let tick = 0; tick < ticks; tick++) await undefined;
			await Promise.all([answer, editor.close()]);
			expect(editor.transcript.slice(before).map((one) => one.slice(0, 2))).toEqual(["#2", "#3"]);
		},
	);

	test("abort their prediction and fail with -32800 when cancelled", async () => {
		const signals: AbortSignal[] = [];
		const predict = (_scene: Scene, _memory: unknown, { signal }: { readonly signal: AbortSignal }) => {
			signals.push(signal);
			return deferred<Prediction>().opened;
		};
		const editor = await AcpEditor.open({ [A]: "a" }, { predict });
		const controller = new AbortController();
		const refused = errorCodeOf(editor.suggest(A, 1, {}, controller.signal));
		await settled();
		controller.abort();
		expect(await refused).toBe(-32800);
		expect(signals[0]?.aborted).toBe(true);
		expect(editor.problems).toEqual([]);
	});

	test("ignore a cancellation after the response", async () => {
		const editor = await startRename();
		await first(editor);
		await editor.write("$/cancel_request", { requestId: 2 });
		expect(editor.problems).toEqual([]);
		await first(editor);
	});

	test("are answered in the order in which their predictions finish", async () => {
		const gates = [deferred<Prediction>(), deferred<Prediction>()];
		let count = 0;
		const predict = () => gates[count++]?.opened as Promise<Prediction>;
		const editor = await AcpEditor.open({ [A]: "a" }, { predict });
		const answers = [editor.suggest(A, 1), editor.suggest(A, 1)];
		await settled();
		gates[1]?.open({ suggestions: [edit(A, 0, 0, "2")] });
		expect(await answers[1]).toMatchObject({ suggestions: [{ id: "suggestion_1" }] });
		gates[0]?.open({ suggestions: [edit(A, 0, 0, "1")] });
		expect(await answers[0]).toMatchObject({ suggestions: [{ id: "suggestion_2" }] });
	});

	test("use the document's version at the time of the request", async () => {
		const { opened, open } = deferred();
		const texts: string[] = [];
		const predict = async ({ document }: Scene): Promise<Prediction> => {
			await opened;
			texts.push(document.text.toString());
			return { suggestions: [edit(A, 0, document.text.length, "x")] };
		};
		const editor = await AcpEditor.open({ [A]: "1" }, { predict });
		const answers = [2, 3].map((version) => {
			editor.didChange(A, version, { text: "1".repeat(version) });
			return editor.suggest(A, version);
		});
		editor.didChange(A, 4, { text: "" });
		await settled();
		open();
		expect((await Promise.all(answers)).map(({ suggestions }) => segueMetaOf(suggestions[0]?._meta))).toMatchObject([
			{ version: 2 },
			{ version: 3 },
		]);
		expect(texts).toEqual(["11", "111"]);
	});
});
