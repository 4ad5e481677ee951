import type {
	ObservedResponse,
	OfferOutcome,
	RequestObservation,
	RequestObserver,
} from "@segue/agent/next-edit/observer";
import type { Prediction, Workspace } from "@segue/predict";
import { A, AcpEditor, always, edit, first, startRename } from "@segue/testing/editors/acp-editor";
import { expect, test } from "vitest";

class RecordingObserver implements RequestObserver {
	readonly considered: (readonly string[])[] = [];
	readonly responses: ObservedResponse[] = [];
	readonly outcomes: OfferOutcome[] = [];
	readonly workspaces: (string | undefined)[] = [];
	begin({ uri }: Workspace): RequestObservation {
		this.workspaces.push(uri);
		return {
			watch: (all) => this.considered.push(all.map(({ objection, suggestion }) => objection ?? `${suggestion?.kind}`)),
			recordResponse: (response) => this.responses.push(response),
			recordOutcome: (_suggestion, outcome) => this.outcomes.push(outcome),
		};
	}
}

test("an observer receives each request's candidates and response", async () => {
	const observer = new RecordingObserver();
	const editor = await startRename({ observer });
	const suggestion = await first(editor);
	expect(suggestion.kind).toBe("edit");
	expect(observer.considered).toHaveLength(1);
	expect(observer.considered[0]).toContain("edit");
	expect(observer.responses).toMatchObject([{ scene: { document: { uri: A } }, silence: undefined }]);
	expect(observer.responses[0]?.offers.map((offer) => offer.suggestion.kind)).toContain("edit");
});

test("an observer receives each request's workspace", async () => {
	const observer = new RecordingObserver();
	const editor = await AcpEditor.open({}, { observer });
	for (const workspaceUri of ["file:///meadow", "file:///hill"]) {
		await editor.start({ workspaceUri });
		editor.didOpen(A, "a\n");
		await editor.suggest(A, 1);
	}
	expect(observer.workspaces).toEqual(["file:///meadow", "file:///hill"]);
});

test("an observer receives no requests from a demonstration", async () => {
	const observer = new RecordingObserver();
	const editor = await AcpEditor.open({}, { observer });
	for (const demonstration of [true, "yes", undefined]) {
		await editor.start({ workspaceUri: `file:///${demonstration}`, _meta: { segue: { demonstration } } });
		editor.didOpen(A, "a\n");
		await editor.suggest(A, 1);
	}
	expect(observer.workspaces).toEqual(["file:///yes", "file:///undefined"]);
});

test.for<[what: string, prediction: Prediction, silence: string, detail?: string]>([
	["the predictor finds nothing", { suggestions: [] }, "nothing-found"],
	["the predictor gives a reason", { silence: "model-failed", detail: "It is down." }, "model-failed", "It is down."],
	["the prediction is invalid", { suggestions: [edit(A, 90, 99, "x")] }, "unfit"],
])("an observer receives the reason for no suggestion if %s", async ([, prediction, silence, detail]) => {
	const observer = new RecordingObserver();
	const editor = await AcpEditor.open({ [A]: "a\n" }, { observer, predict: async () => prediction });
	expect((await editor.suggest(A, 1)).suggestions).toEqual([]);
	expect(observer.responses).toMatchObject([{ offers: [], silence, ...(detail && { detail }) }]);
});

test("an observer receives stale requests, but not cancelled ones", async () => {
	const observer = new RecordingObserver();
	const editor = await AcpEditor.open({ [A]: "a\n" }, { observer, predict: () => new Promise(() => {}) });
	await editor.suggest(A, 7);
	expect(observer.responses).toEqual([{ scene: undefined, offers: [], silence: "stale" }]);
	const controller = new AbortController();
	const cancelled = editor.suggest(A, 1, {}, controller.signal);
	controller.abort();
	await expect(cancelled).rejects.toThrow();
	await editor.close();
	expect(observer.responses).toHaveLength(1);
});

test.for<[send: (editor: AcpEditor, id: string) => unknown, outcome: OfferOutcome]>([
	[(editor, id) => editor.accept(id), { kind: "accepted", isPartial: false, isTyped: false }],
	[
		(editor, id) =>
			editor.write("nes/accept", { sessionId: editor.sessionId, id, _meta: { segue: { partial: true } } }),
		{ kind: "accepted", isPartial: true, isTyped: false },
	],
	[
		(editor, id) => editor.write("nes/accept", { sessionId: editor.sessionId, id, _meta: { segue: { typed: true } } }),
		{ kind: "accepted", isPartial: false, isTyped: true },
	],
	[
		(editor, id) => editor.write("nes/accept", { sessionId: editor.sessionId, id, _meta: { segue: "partial" } }),
		{ kind: "accepted", isPartial: false, isTyped: false },
	],
	[(editor, id) => editor.reject(id, "ignored"), { kind: "rejected", reason: "ignored" }],
	[(editor, id) => editor.reject(id, "later"), { kind: "rejected", reason: undefined }],
])("an observer receives the outcome once: %#", async ([send, outcome]) => {
	const observer = new RecordingObserver();
	const editor = await AcpEditor.open({ [A]: "abc\n" }, { observer, predict: always(edit(A, 0, 1, "x")) });
	const { id } = await first(editor, 1);
	await send(editor, id);
	await send(editor, id);
	await editor.close();
	expect(observer.outcomes).toEqual([outcome]);
});
