import * as acp from "@segue/protocol/acp";
import { ErrorCode, RpcError } from "@segue/rpc";
import { ALL_NES_CAPABILITIES } from "@segue/testing/agents/scripted-agent";
import { EditorFixture } from "@segue/testing/editors/editor-fixture";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";
import type { DocumentDiagnostic } from "../host.js";

const A = "file:///project/a.ts";
const B = "file:///project/b.ts";

function problem(
	from: number,
	message: string,
	severity: DocumentDiagnostic["severity"] = "error",
): DocumentDiagnostic {
	return { from, to: from + 1, severity, message };
}

describe("suggestions are requested", () => {
	test("once after a pause, at the cursor", async () => {
		const stage = await EditorFixture.resting(A, "a\n");
		stage.host.type("b");
		stage.clock.advance(99);
		expect(stage.requests).toEqual([]);
		stage.clock.advance(1);
		await stage.pause();
		expect(stage.requests).toMatchObject([
			{ uri: A, version: 2, position: { line: 1, character: 1 }, triggerKind: "automatic" },
		]);
	});

	test("only after a pause, however long the user types", async () => {
		const stage = await EditorFixture.resting(A, "");
		for (let i = 0; i < 20; i++) {
			stage.host.type("x");
			stage.clock.advance(99);
		}
		await settled();
		expect(stage.requests).toEqual([]);
	});

	test.for([
		["later after a rejection", (stage: EditorFixture) => stage.editor.reject(), 150],
		["sooner after an acceptance", (stage: EditorFixture) => stage.editor.tab(), 80],
	] as const)("%s", async ([, decide, delayMs]) => {
		const stage = await EditorFixture.resting(A, "a\n\nb");
		stage.script(stage.edit(A, 4, 4, "c"));
		stage.host.type("!");
		await stage.pause();
		await decide(stage);
		stage.host.move(0);
		stage.forget();
		stage.clock.advance(delayMs - 1);
		await settled();
		expect(stage.requests).toEqual([]);
		stage.clock.advance(1);
		await settled();
		expect(stage.requests).toHaveLength(1);
	});

	test("on a line with a recent rejection only manually or after five seconds", async () => {
		const stage = await EditorFixture.resting(A, "a\nb");
		stage.script(stage.edit(A, 3, 3, "c"));
		await stage.editor.suggest();
		stage.editor.reject();
		stage.script();
		stage.forget();
		stage.host.type("x");
		await stage.pause();
		expect(stage.requests).toEqual([]);
		expect(stage.host.notes.at(-1)).toEqual({ kind: "no-suggestion", text: "quiet" });
		stage.host.move(0);
		await stage.pause(200);
		expect(stage.requests).toHaveLength(1);
		stage.host.move(3);
		await stage.editor.suggest();
		expect(stage.requests.at(-1)).toMatchObject({ triggerKind: "manual" });
		await stage.pause(5000);
		stage.host.type("y");
		await stage.pause();
		expect(stage.requests).toHaveLength(3);
	});

	test("not for a pause that began before the user dismissed a suggestion", async () => {
		const stage = await EditorFixture.offering(A, "a\nb", (one) => [one.edit(A, 3, 3, "c")]);
		stage.forget();
		stage.host.move(0);
		stage.editor.reject();
		await stage.pause(200);
		expect(stage.requests).toEqual([]);
	});

	test("not on a line with a recent rejection, even after it has moved", async () => {
		const stage = await EditorFixture.offering(A, "a\nb", (one) => [one.edit(A, 3, 3, "c")]);
		stage.editor.reject();
		stage.host.edit(A, [{ from: 0, to: 0, insert: "\n\n\n" }]);
		await stage.pause(200);
		stage.forget();
		stage.host.move(6);
		await stage.pause(200);
		expect(stage.requests).toEqual([]);
		stage.host.move(3);
		await stage.pause(200);
		expect(stage.requests).toHaveLength(1);
	});

	test("immediately on a manual request, and not again after the pause", async () => {
		const stage = await EditorFixture.resting(A, "a");
		stage.host.type("b");
		await stage.editor.suggest();
		expect(stage.requests).toMatchObject([{ triggerKind: "manual", version: 2 }]);
		await stage.pause();
		expect(stage.requests).toHaveLength(1);
	});

	test.for<[string, DocumentDiagnostic, number]>([
		["an error near the cursor", problem(0, "new"), 1],
		["a warning near the cursor", problem(0, "new", "warning"), 1],
		["a hint near the cursor", problem(0, "new", "hint"), 0],
		["an old error", problem(0, "old"), 0],
		["an error far from the cursor", problem(50, "new"), 0],
		["an error past the end of the known text", problem(5000, "new"), 0],
	])("only for new errors and warnings near the cursor: %s", async ([, found, count]) => {
		const stage = await EditorFixture.resting(A, "\n".repeat(60));
		stage.host.move(0);
		stage.host.diagnose(A, [problem(0, "old")]);
		await stage.pause();
		stage.forget();
		stage.host.diagnose(A, [found]);
		stage.host.diagnose(B, [problem(0, "elsewhere")]);
		await stage.pause();
		expect(stage.requests).toHaveLength(count);
		if (count > 0) expect(stage.requests[0]).toMatchObject({ triggerKind: "diagnostic" });
	});

	test("with the diagnostic trigger even if the user continues typing", async () => {
		const stage = await EditorFixture.resting(A, "a");
		stage.host.diagnose(A, [problem(0, "new")]);
		stage.host.type("b");
		await stage.pause();
		expect(stage.requests).toMatchObject([{ triggerKind: "diagnostic" }]);
	});

	test("again when the user undoes the edit that a suggestion is derived from, which removes the suggestion immediately", async () => {
		const stage = await EditorFixture.resting(A, "a\n\nb");
		stage.script(stage.edit(A, 0, 1, "c"));
		stage.host.type("!");
		await stage.pause();
		expect(stage.editor.current).toMatchObject({ id: "1" });
		stage.script();
		stage.forget();
		stage.host.undo(A);
		expect(stage.editor.current).toBeUndefined();
		await stage.pause();
		expect(stage.requests).toHaveLength(1);
		expect(stage.verdicts).toEqual(["1 reject ignored"]);
	});

	test("and the response is too late if the user has undone the edit it is derived from", async () => {
		const stage = await EditorFixture.resting(A, "a\n\nb");
		const answers = stage.answerLater();
		stage.host.type("!");
		await stage.pause();
		stage.host.undo(A);
		answers[0]?.({ suggestions: [{ id: "1", ...stage.edit(A, 0, 1, "c") }] });
		await settled();
		expect(stage.editor.current).toBeUndefined();
		expect(stage.verdicts).toEqual(["1 reject cancelled"]);
	});

	test("with the selection when the cursor moves", async () => {
		const stage = await EditorFixture.resting(A, "ab\ncd");
		stage.host.move(1, 4);
		await stage.pause();
		expect(stage.requests).toMatchObject([
			{
				position: { line: 0, character: 1 },
				selection: { start: { line: 0, character: 1 }, end: { line: 1, character: 1 } },
			},
		]);
	});

	test("not while a suggestion is shown, unless the user has edited something else", async () => {
		const stage = await EditorFixture.resting(A, "a\nb");
		stage.script(stage.edit(A, 3, 3, "cd"));
		await stage.editor.suggest();
		stage.host.type("c");
		stage.host.move(0);
		await stage.pause();
		expect(stage.requests).toHaveLength(1);
		stage.host.type("x");
		await stage.pause();
		expect(stage.requests).toHaveLength(2);
	});

	test("only for the focused document", async () => {
		const stage = await EditorFixture.resting(A, "a");
		stage.host.open(B, "b");
		await settled();
		stage.host.edit(B, [{ from: 0, to: 0, insert: "x" }]);
		await stage.pause();
		expect(stage.requests).toEqual([]);
		stage.host.close(A);
		await stage.editor.suggest();
		expect(stage.requests).toEqual([]);
	});

	test("at a clamped position if the host is ahead of its reports", async () => {
		const stage = await EditorFixture.resting(A, "ab");
		stage.host.move(0);
		await stage.pause();
		stage.forget();
		stage.host.scroll(A, { from: 400, to: 3 });
		stage.host.move(100, 200);
		stage.host.focus(A);
		await stage.pause();
		expect(stage.requests).toMatchObject([{ position: { line: 0, character: 2 } }]);
	});
});

describe("a request", () => {
	test("is sent after all changes, with the current version", async () => {
		const stage = await EditorFixture.resting(A, "a");
		stage.host.open(B, "b");
		await settled();
		stage.host.edit(B, [{ from: 1, to: 1, insert: "c" }]);
		stage.host.type("xyz");
		await stage.pause();
		const methods = stage.agent.received.map(({ method, params }) => `${method} ${params["version"]}`);
		expect(methods.at(-1)).toBe("nes/suggest 4");
		expect(methods.slice(-3, -1).toSorted()).toEqual(["document/didChange 2", "document/didChange 4"]);
	});

	test("is cancelled by the next request for its document", async () => {
		const stage = await EditorFixture.resting(A, "a");
		const answers = stage.answerLater();
		await Promise.race([stage.editor.suggest(), settled()]);
		stage.host.type("b");
		await stage.pause();
		const methods = stage.agent.received
			.map(({ method }) => method)
			.filter((method) => !method.startsWith("document/"));
		expect(methods).toEqual(["nes/suggest", "$/cancel_request", "nes/suggest"]);
		expect(answers).toHaveLength(2);
	});

	test.for<[string, (stage: EditorFixture) => void]>([
		["switches to another document", (stage) => stage.host.focus(B)],
		["closes the document", (stage) => stage.host.close(A)],
	])("is cancelled when the user %s", async ([, happen]) => {
		const stage = await EditorFixture.resting(A, "a");
		stage.host.open(B, "b");
		stage.answerLater();
		void stage.editor.suggest();
		await settled();
		happen(stage);
		await settled();
		expect(stage.agent.paramsOf("$/cancel_request")).toHaveLength(1);
	});

	test("that gets a response after being cancelled rejects the suggestions as cancelled", async () => {
		const stage = await EditorFixture.resting(A, "a");
		const answers = stage.answerLater();
		void stage.editor.suggest();
		await settled();
		void stage.editor.suggest();
		await settled();
		answers[0]?.({ suggestions: [{ id: "old", ...stage.edit(A, 1, 1, "b") }] });
		await settled();
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, ["old reject cancelled"]]);
		answers[1]?.({ suggestions: [{ id: "new", ...stage.edit(A, 1, 1, "c") }] });
		await settled();
		expect([stage.host.shown?.id, stage.verdicts]).toEqual(["new", ["old reject cancelled"]]);
	});

	test("sent before a rejection is discarded", async () => {
		const stage = await EditorFixture.resting(A, "a");
		const answers = stage.answerLater();
		void stage.editor.suggest();
		await settled();
		answers[0]?.({ suggestions: [{ id: "first", ...stage.edit(A, 1, 1, "b") }] });
		await settled();
		expect(stage.host.shown?.id).toBe("first");
		void stage.editor.suggest();
		await settled();
		stage.editor.reject();
		answers[1]?.({ suggestions: [{ id: "second", ...stage.edit(A, 1, 1, "c") }] });
		await settled();
		expect([stage.host.shown, stage.verdicts]).toEqual([
			undefined,
			["first reject rejected", "second reject cancelled"],
		]);
	});

	test("that was cancelled and gets no response reports nothing", async () => {
		const stage = await EditorFixture.resting(A, "a");
		stage.agent.suggest = (_request, { signal }) =>
			new Promise((_resolve, reject) => {
				signal.addEventListener("abort", () => reject(new RpcError(ErrorCode.cancelled, "cancelled")));
			});
		const ask = async () => {
			void stage.editor.suggest();
			await settled();
			stage.host.focus(stage.host.activeUri === A ? B : A);
			await settled();
		};
		stage.host.open(B, "b");
		await ask();
		stage.agent.suggest = () => new Promise(() => {});
		await ask();
		stage.host.close(B);
		stage.host.close(A);
		await stage.pause(31_000);
		expect(stage.requests).toHaveLength(2);
		expect(stage.verdicts).toEqual([]);
		expect(stage.host.notes.filter(({ kind }) => kind === "agent")).toEqual([]);
	});

	test("is not cancelled when the window regains focus", async () => {
		const stage = await EditorFixture.resting(A, "a");
		stage.answerLater();
		void stage.editor.suggest();
		await settled();
		stage.host.focus(A);
		await settled();
		expect(stage.agent.paramsOf("$/cancel_request")).toEqual([]);
	});

	test("times out after 30 seconds, and the next one does not", async () => {
		const stage = await EditorFixture.resting(A, "a");
		stage.answerLater();
		void stage.editor.suggest();
		await settled();
		stage.clock.advance(30_000);
		await settled();
		expect(stage.host.notes).toMatchObject([
			{ kind: "agent", text: "the agent did not answer nes/suggest within 30 s" },
		]);
		expect(stage.agent.paramsOf("$/cancel_request")).toHaveLength(1);
		stage.script(stage.edit(A, 1, 1, "b"));
		await stage.editor.suggest();
		expect(stage.host.shown).toBeDefined();
	});

	test("that waits for the host is not sent if its document or session is gone", async () => {
		const { opened, open } = deferred<[]>();
		const stage = await EditorFixture.resting(A, "a", ({ host }) => {
			host.relatedSnippets = () => opened;
		});
		stage.forget();
		void stage.editor.suggest();
		stage.host.close(A);
		await stage.open(B, "b");
		stage.forget();
		void stage.editor.suggest();
		stage.host.folders = [];
		stage.editor.didChangeWorkspace();
		await settled();
		open([]);
		await settled();
		expect(stage.requests).toEqual([]);
	});

	test.for([acp.ErrorCode.notFound, ErrorCode.invalidParams])(
		"in a session unknown to the agent (%i) starts another session, once",
		async (code) => {
			const stage = await EditorFixture.resting(A, "a");
			stage.agent.suggest = () => {
				throw new RpcError(code, "no such session");
			};
			await stage.editor.suggest();
			await settled();
			const methods = stage.agent.received.map(({ method }) => method);
			expect(methods.filter((method) => method === "nes/start")).toHaveLength(1);
			expect(methods).toContain("document/didOpen");
			await stage.editor.suggest();
			await settled();
			expect(stage.agent.paramsOf("nes/start")).toHaveLength(1);
			expect(stage.host.notes.at(-1)?.text).toMatch(/does not know its own session/);
		},
	);

	test("that fails for another reason is reported, and the next one is sent", async () => {
		const stage = await EditorFixture.resting(A, "a");
		stage.agent.suggest = () => {
			throw new RpcError(-32603, "out of memory");
		};
		await stage.editor.suggest();
		expect(stage.host.notes.at(-1)).toMatchObject({ kind: "agent", text: expect.stringMatching(/out of memory/) });
		stage.script(stage.edit(A, 1, 1, "b"));
		await stage.editor.suggest();
		expect(stage.host.shown).toBeDefined();
	});

	test("contains the text and the document's own version if the agent receives no events", async () => {
		const stage = await EditorFixture.resting(A, "a", ({ agent }) => {
			agent.nes = { context: ALL_NES_CAPABILITIES.context };
		});
		stage.host.type("b");
		await stage.pause();
		const { version, context } = stage.requests.at(-1) ?? {};
		expect([version, context?.recentFiles?.[0]]).toMatchObject([2, { uri: A, text: "ab" }]);
		expect(stage.agent.received.filter(({ method }) => method.startsWith("document/"))).toEqual([]);
	});

	test.for([
		["a newer request has no suggestion", "no-text", (stage: EditorFixture) => stage.host.type("?")],
		["the user dismisses it", "rejected", (stage: EditorFixture) => stage.editor.reject()],
	] as const)("reports why a suggestion disappeared only after it was removed: %s", async ([, reason, remove]) => {
		const stage = await EditorFixture.resting(A, "a\n\nb");
		stage.script(stage.edit(A, 4, 4, "c"));
		stage.host.type("!");
		await stage.pause();
		const calls: string[] = [];
		stage.host.show = (shown) => void calls.push(shown === undefined ? "removed" : "shown");
		stage.host.report = ({ text }) => void calls.push(text);
		stage.agent.suggest = () => ({ suggestions: [], _meta: { segue: { reason: "no-text" } } });
		remove(stage);
		await stage.pause();
		expect(calls.filter((call) => call !== "shown").slice(0, 2)).toEqual(["removed", reason]);
	});

	test("that gets no suggestion reports a reason", async () => {
		const stage = await EditorFixture.resting(A, "a");
		await stage.editor.suggest();
		stage.agent.suggest = () => ({ suggestions: [], _meta: { segue: { reason: "no-text" } } });
		await stage.editor.suggest();
		const detail = "The model did not answer: start it.";
		stage.agent.suggest = () => ({ suggestions: [], _meta: { segue: { reason: "model-failed", detail } } });
		await stage.editor.suggest();
		expect(stage.host.notes.at(-1)).toEqual({ kind: "no-suggestion", text: "model-failed", detail });
		stage.agent.suggest = () => ({ suggestions: [], _meta: { segue: 5 } });
		await stage.editor.suggest();
		const texts = stage.host.notes.filter(({ kind }) => kind === "no-suggestion").map(({ text }) => text);
		expect(texts).toEqual(["no-reason", "no-text", "model-failed", "no-reason"]);
	});
});

describe("an outdated suggestion", () => {
	/** Shows a suggestion for the second line, then edits the first. */
	async function outdated(): Promise<EditorFixture> {
		const stage = await EditorFixture.offering(A, "a\nb", (one) => [one.edit(A, 3, 3, "c")]);
		stage.host.move(0);
		stage.host.type("x");
		expect(stage.host.shown?.id).toBe("1");
		return stage;
	}

	test("is withdrawn by an empty response, and the reason is reported", async () => {
		const stage = await outdated();
		stage.agent.suggest = () => ({ suggestions: [], _meta: { segue: { reason: "no-text" } } });
		await stage.pause();
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, ["1 reject"]]);
		expect(stage.host.notes.at(-1)).toEqual({ kind: "no-suggestion", text: "no-text" });
	});

	test("is replaced by another one, even if that one contradicts it", async () => {
		const stage = await outdated();
		stage.script({ id: "2", ...stage.edit(A, 4, 4, "d") });
		await stage.pause();
		expect([stage.host.shown?.id, stage.verdicts]).toEqual(["2", ["1 reject replaced"]]);
	});

	test("is withdrawn when the request fails or times out", async () => {
		const failing = await outdated();
		failing.agent.suggest = () => {
			throw new RpcError(-32603, "out of memory");
		};
		await failing.pause();
		expect([failing.host.shown, failing.verdicts]).toEqual([undefined, ["1 reject"]]);
		const waiting = await outdated();
		waiting.answerLater();
		await waiting.pause(29_000);
		expect(waiting.host.shown?.id).toBe("1");
		await waiting.pause(5000);
		expect([waiting.host.shown, waiting.verdicts]).toEqual([undefined, ["1 reject"]]);
	});

	test("is checked even on a line with a recent rejection", async () => {
		const stage = await EditorFixture.offering(A, "a\nb", (one) => [one.edit(A, 1, 1, "c")]);
		stage.editor.reject();
		stage.script({ id: "2", ...stage.edit(A, 3, 3, "d") });
		await stage.editor.suggest();
		stage.script();
		stage.forget();
		stage.host.move(0);
		stage.host.type("x");
		await stage.pause();
		expect(stage.requests).toHaveLength(1);
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, ["2 reject"]]);
	});

	test("is checked when an unfocused document changes", async () => {
		const stage = await EditorFixture.resting(A, "a\nb");
		stage.host.open(B, "b");
		stage.script({ id: "1", ...stage.edit(A, 3, 3, "c") });
		await stage.editor.suggest();
		stage.script();
		stage.host.edit(B, [{ from: 0, to: 0, insert: "x" }]);
		await stage.pause();
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, ["1 reject"]]);
	});

	test("is checked when the document of its origin closes", async () => {
		const stage = await EditorFixture.resting(B, "cnt");
		await stage.open(A, "cnt");
		stage.script({ id: "1", ...stage.edit(B, 0, 3, "tota") });
		stage.host.edit(A, [{ from: 0, to: 3, insert: "tota" }]);
		await stage.pause();
		expect(stage.host.shown?.id).toBe("1");
		stage.script();
		stage.forget();
		stage.host.focus(B);
		stage.host.close(A);
		await stage.pause();
		expect(stage.requests).toHaveLength(1);
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, ["1 reject"]]);
	});

	test("is checked again if the document of its origin closed during the request", async () => {
		const stage = await EditorFixture.resting(B, "cnt");
		await stage.open(A, "cnt");
		stage.host.edit(A, [{ from: 0, to: 3, insert: "tota" }]);
		stage.host.focus(B);
		stage.forget();
		const answers = stage.answerLater();
		void stage.editor.suggest();
		await settled();
		stage.host.close(A);
		answers[0]?.({ suggestions: [{ id: "1", ...stage.edit(B, 0, 3, "tota") }] });
		await settled();
		expect(stage.host.shown?.id).toBe("1");
		await stage.pause();
		expect(stage.requests).toHaveLength(2);
		answers[1]?.({ suggestions: [] });
		await settled();
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, ["1 reject"]]);
	});

	test("is withdrawn when its origin closes and no document is focused", async () => {
		const stage = await EditorFixture.resting(B, "cnt");
		await stage.open(A, "cnt");
		stage.script({ id: "1", ...stage.edit(B, 0, 3, "tota") });
		stage.host.edit(A, [{ from: 0, to: 3, insert: "tota" }]);
		await stage.pause();
		stage.forget();
		stage.host.close(A);
		await stage.pause();
		expect(stage.requests).toEqual([]);
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, ["1 reject"]]);
	});

	test("is checked again if it arrived late on a line with a recent rejection", async () => {
		const stage = await EditorFixture.offering(A, "a\nb", (one) => [one.edit(A, 1, 1, "c")]);
		stage.editor.reject();
		stage.host.move(0);
		stage.forget();
		const answers = stage.answerLater();
		void stage.editor.suggest();
		await settled();
		const late = { id: "2", ...stage.edit(A, 3, 3, "d") };
		stage.host.type("x");
		await stage.pause();
		expect(stage.requests).toHaveLength(1);
		answers[0]?.({ suggestions: [late] });
		await settled();
		expect(stage.host.shown?.id).toBe("2");
		await stage.pause();
		answers[1]?.({ suggestions: [] });
		await settled();
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, ["1 reject rejected", "2 reject"]]);
	});

	test("is not shown if the word it is derived from was changed during the request", async () => {
		const stage = await EditorFixture.resting(A, "cnt\n");
		const answers = stage.answerLater();
		stage.host.type("tota");
		await stage.pause();
		const late = { id: "1", ...stage.edit(A, 0, 3, "tota") };
		stage.host.type("l");
		answers[0]?.({ suggestions: [late] });
		await settled();
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, ["1 reject cancelled"]]);
	});

	test("is shown if the user typed the beginning of it during the request", async () => {
		const stage = await EditorFixture.resting(A, "cnt\n");
		const answers = stage.answerLater();
		stage.host.type("to");
		await stage.pause();
		const late = { id: "1", ...stage.edit(A, 6, 6, "tal = 1") };
		stage.host.type("tal");
		answers[0]?.({ suggestions: [late] });
		await settled();
		expect(stage.host.shown).toMatchObject({ id: "1", edits: [{ from: 9, to: 9, insert: " = 1" }] });
		await stage.pause();
		expect(stage.requests).toHaveLength(1);
	});
});
