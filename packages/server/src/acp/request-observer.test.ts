import type {
	ObservedResponse,
	OfferOutcome,
	RequestObservation,
	RequestObserver,
} from "@segue/agent/next-edit/observer";
import type { Prediction, Workspace } from "@segue/predict";
import { A, AcpEditor, always, edit, first, startRename } from "@segue/testing/editors/acp-editor";
import { expect, test } from "vitest";

/** An observer that records everything. */
class Notebook implements RequestObserver {
	readonly considered: (readonly string[])[] = [];
	readonly answers: ObservedResponse[] = [];
	readonly verdicts: OfferOutcome[] = [];
	readonly workspaces: (string | undefined)[] = [];
	begin({ uri }: Workspace): RequestObservation {
		this.workspaces.push(uri);
		return {
			watch: (all) => this.considered.push(all.map(({ objection, suggestion }) => objection ?? `${suggestion?.kind}`)),
			recordResponse: (answer) => this.answers.push(answer),
			recordOutcome: (_suggestion, verdict) => this.verdicts.push(verdict),
		};
	}
}

test("an observer sees what was considered for a request, and the response", async () => {
	const observer = new Notebook();
	const editor = await startRename({ observer });
	const suggestion = await first(editor);
	expect(suggestion.kind).toBe("edit");
	expect(observer.considered).toHaveLength(1);
	expect(observer.considered[0]).toContain("edit");
	expect(observer.answers).toMatchObject([{ scene: { document: { uri: A } }, silence: undefined }]);
	expect(observer.answers[0]?.offers.map((offer) => offer.suggestion.kind)).toContain("edit");
});

test("an observer sees in which session's workspace a request was made", async () => {
	const observer = new Notebook();
	const editor = await AcpEditor.open({}, { observer });
	for (const workspaceUri of ["file:///meadow", "file:///hill"]) {
		await editor.start({ workspaceUri });
		editor.didOpen(A, "a\n");
		await editor.suggest(A, 1);
	}
	expect(observer.workspaces).toEqual(["file:///meadow", "file:///hill"]);
});

test.for<[what: string, prediction: Prediction, silence: string, detail?: string]>([
	["what predicts has nothing", { suggestions: [] }, "nothing-found"],
	["what predicts is silent", { silence: "model-failed", detail: "It is down." }, "model-failed", "It is down."],
	["what predicts makes no sense", { suggestions: [edit(A, 90, 99, "x")] }, "unfit"],
])("an observer sees why nothing is suggested where %s", async ([, prediction, silence, detail]) => {
	const observer = new Notebook();
	const editor = await AcpEditor.open({ [A]: "a\n" }, { observer, predict: async () => prediction });
	expect((await editor.suggest(A, 1)).suggestions).toEqual([]);
	expect(observer.answers).toMatchObject([{ offers: [], silence, ...(detail && { detail }) }]);
});

test("an observer sees obstacles, and no request that was cancelled", async () => {
	const observer = new Notebook();
	const editor = await AcpEditor.open({ [A]: "a\n" }, { observer, predict: () => new Promise(() => {}) });
	await editor.suggest(A, 7);
	expect(observer.answers).toEqual([{ scene: undefined, offers: [], silence: "stale" }]);
	const controller = new AbortController();
	const asked = editor.suggest(A, 1, {}, controller.signal);
	controller.abort();
	await expect(asked).rejects.toThrow();
	await editor.close();
	expect(observer.answers).toHaveLength(1);
});

test.for<[tell: (editor: AcpEditor, id: string) => unknown, verdict: OfferOutcome]>([
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
])("an observer sees feedback once: %#", async ([tell, verdict]) => {
	const observer = new Notebook();
	const editor = await AcpEditor.open({ [A]: "abc\n" }, { observer, predict: always(edit(A, 0, 1, "x")) });
	const { id } = await first(editor, 1);
	await tell(editor, id);
	await tell(editor, id);
	await editor.close();
	expect(observer.verdicts).toEqual([verdict]);
});
