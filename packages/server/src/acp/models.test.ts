import type { EditModels, ModelChoice, NextEditPredictor } from "@segue/agent/next-edit/models";
import type { Prediction, Scene, Suggestion } from "@segue/predict";
import * as acp from "@segue/protocol/acp";
import {
	A,
	AcpEditor,
	B,
	edit,
	errorCodeOf,
	first,
	noSuggestionReasonOf,
	RENAME_SUGGESTION,
	segueMetaOf,
	startRename,
} from "@segue/testing/editors/acp-editor";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { describe, expect, onTestFinished, test, vi } from "vitest";

/** A model with a fixed prediction that records feedback. */
class FakeModel implements NextEditPredictor {
	readonly scenes: Scene[] = [];
	readonly log: string[] = [];

	constructor(private readonly prediction: Prediction | Promise<Prediction> = { silence: "no-edit" }) {}

	predict(scene: Scene) {
		this.scenes.push(scene);
		return this.prediction;
	}

	recordFeedback({ why }: Suggestion, feedback: string) {
		this.log.push(`${feedback}: ${why}`);
	}

	close() {
		this.log.push("closed");
	}
}

const written: Suggestion = {
	...edit(A, 0, 0, "x"),
	predictor: "model",
	source: { model: "ollama/zeta" },
	why: "said",
};

/** Configures the given models and chooses the first. */
function choiceOf(models: Readonly<Record<string, NextEditPredictor>>, more: Partial<ModelChoice> = {}): EditModels {
	const choice: ModelChoice = {
		chosen: Object.keys(models)[0] ?? "embedded",
		settings: {},
		models: Object.keys(models).map((name) => ({ name, description: `Asked as ${name}` })),
		trouble: undefined,
		predictorOf: (name) => models[name] as NextEditPredictor,
		isPrivate: () => false,
		changed: () => {},
		...more,
	};
	return { in: async () => choice };
}

const optionIn = (options: readonly acp.ConfigOption[]) => options.find(({ id }) => id === "nes_model");

describe("the models of a session", () => {
	test("are listed after the response to nes/start, with the configured model selected", async () => {
		const editor = await AcpEditor.open({}, { models: choiceOf({ "ollama/zeta": new FakeModel() }) });
		await settled();
		expect(editor.transcript).toEqual(["#0 result", "#1 result", "session/update"]);
		const [{ update }] = editor.updates as [{ update: { configOptions: acp.ConfigOption[] } }];
		expect(optionIn(update.configOptions)).toMatchObject({
			currentValue: "ollama/zeta",
			options: [
				{ value: "embedded" },
				{ value: "ollama/zeta", name: "ollama/zeta", description: "Asked as ollama/zeta" },
			],
		});
	});

	test.for(["unreadable-answer", "cut-off", "special-token", "special-token-in-text", "no-edit"] as const)(
		"suggest what to do if the reply was not usable: %s",
		async (silence) => {
			const editor = await startRename({ models: choiceOf({ "ollama/zeta": new FakeModel({ silence }) }) });
			expect(segueMetaOf((await editor.suggest(A, 2))._meta)).toEqual({
				reason: silence,
				detail: expect.stringMatching(
					/set nextEdit\.format to another prompt format\. To test the model, run: segue doctor$/,
				),
			});
		},
	);

	test("add no advice if the reason might come from a rule", async () => {
		const editor = await startRename({
			models: choiceOf({ "ollama/zeta": new FakeModel({ silence: "deletes-most" }) }),
		});
		expect(segueMetaOf((await editor.suggest(A, 2))._meta)).toEqual({ reason: "deletes-most" });
	});

	test("can be switched, which closes the previous model", async () => {
		const [zeta, sweep] = [new FakeModel(), new FakeModel({ silence: "too-long" })];
		const editor = await startRename({ models: choiceOf({ "ollama/zeta": zeta, "ollama/sweep": sweep }) });
		expect(noSuggestionReasonOf(await editor.suggest(A, 2))).toBe("no-edit");
		const { configOptions } = await editor.set("nes_model", "ollama/sweep");
		expect(optionIn(configOptions)).toMatchObject({ currentValue: "ollama/sweep" });
		expect(zeta.log).toEqual(["closed"]);
		expect(noSuggestionReasonOf(await editor.suggest(A, 2))).toBe("too-long");
		await editor.set("nes_model", "embedded");
		expect(await first(editor)).toMatchObject(RENAME_SUGGESTION);
		expect(await errorCodeOf(editor.set("nes_model", "ollama/other"))).toBe(-32602);
	});

	test("delay requests and responses that list them while loading, but not changes to other settings", async () => {
		const known = deferred();
		const { in: choose } = choiceOf({ "ollama/zeta": new FakeModel() });
		const models: EditModels = { in: (workspace) => known.opened.then(() => choose(workspace)) };
		const editor = await AcpEditor.open({ [A]: "" }, { models });
		const chosen = editor.set("nes_model", "ollama/zeta");
		const suggested = editor.suggest(A, 1);
		const disabled = editor.set("nes_enabled", "off");
		expect(noSuggestionReasonOf(await editor.suggest(A, 1))).toBe("disabled");
		known.open();
		expect(noSuggestionReasonOf(await suggested)).toBe("no-edit");
		for (const { configOptions } of await Promise.all([chosen, disabled])) {
			expect(optionIn(configOptions)).toMatchObject({ currentValue: "ollama/zeta" });
		}
	});

	test("do not delay suggestions from rules", async () => {
		const known = deferred();
		const zeta = new FakeModel({ silence: "too-long" });
		const { in: choose } = choiceOf({ "ollama/zeta": zeta });
		const editor = await startRename({ models: { in: (workspace) => known.opened.then(() => choose(workspace)) } });
		expect(await first(editor)).toMatchObject(RENAME_SUGGESTION);
		expect(zeta.scenes).toEqual([]);
		known.open();
		await settled();
		expect(noSuggestionReasonOf(await editor.suggest(A, 2))).toBe("too-long");
	});

	test("are recreated when chosen again, but not when another setting changes", async () => {
		const created: FakeModel[] = [];
		const predictorOf = () => {
			created.push(new FakeModel());
			return created.at(-1) as FakeModel;
		};
		const models = choiceOf({ "ollama/zeta": new FakeModel() }, { predictorOf });
		const editor = await AcpEditor.open({ [A]: "" }, { models });
		await editor.set("nes_eagerness", "high");
		expect(created).toHaveLength(1);
		await editor.set("nes_model", "ollama/zeta");
		expect(created.map(({ log }) => log)).toEqual([["closed"], []]);
	});

	test("fall back to a custom predict function instead of the embedded engine", async () => {
		const predict = () => ({ suggestions: [written] });
		const editor = await AcpEditor.open({ [A]: "" }, { predict, models: choiceOf({}) });
		await settled();
		expect(segueMetaOf((await first(editor, 1))._meta)).toMatchObject({ why: "said" });
		const later = await AcpEditor.open({ [A]: "" }, { predict: async () => predict(), models: choiceOf({}) });
		expect(segueMetaOf((await first(later, 1))._meta)).toMatchObject({ why: "said" });
	});

	test.for<[string, Partial<ModelChoice>, RegExp]>([
		["is unknown", { chosen: "ollama/other" }, /no such model|params\.value/],
		[
			"cannot be created",
			{
				predictorOf: () => {
					throw new Error("a bug");
				},
			},
			/a bug/,
		],
	])("fall back to the embedded engine if the configured one %s", async ([, choice, why]) => {
		const editor = await startRename({ models: choiceOf({ "ollama/zeta": new FakeModel() }, choice) });
		await settled();
		expect(editor.problems).toEqual([
			expect.objectContaining({
				method: acp.nesStart.method,
				error: expect.objectContaining({ message: expect.stringMatching(why) }),
			}),
		]);
		expect(await first(editor)).toMatchObject(RENAME_SUGGESTION);
		const { configOptions } = await editor.set("nes_enabled", "on");
		expect(optionIn(configOptions)).toMatchObject({ currentValue: "embedded" });
	});

	test("receive feedback, and suggestions include their name", async () => {
		const zeta = new FakeModel({ suggestions: [written] });
		const editor = await AcpEditor.open({ [A]: "" }, { models: choiceOf({ "ollama/zeta": zeta }) });
		const offer = async () => (await first(editor, 1)).id;
		expect(segueMetaOf((await first(editor, 1))._meta)).toMatchObject({ model: "ollama/zeta", predictor: "model" });
		editor.accept(await offer());
		for (const reason of ["rejected", "ignored", "replaced", "cancelled", undefined])
			editor.reject(await offer(), reason);
		await settled();
		expect(zeta.log).toEqual(["accepted: said", "rejected: said", "ignored: said"]);
	});

	test("include the details of a failure in the response", async () => {
		const zeta = new FakeModel({ silence: "model-failed", detail: "There is no key. Run: segue login ollama" });
		const editor = await AcpEditor.open({ [A]: "" }, { models: choiceOf({ "ollama/zeta": zeta }) });
		const { _meta } = await editor.suggest(A, 1);
		expect(segueMetaOf(_meta)).toEqual({ reason: "model-failed", detail: "There is no key. Run: segue login ollama" });
	});

	test("are closed with their session and with the connection", async () => {
		const zeta = new FakeModel();
		const editor = await AcpEditor.open({}, { models: choiceOf({ "ollama/zeta": zeta }) });
		await settled();
		await editor.close();
		expect(zeta.log).toEqual(["closed"]);
		await editor.start();
		await settled();
		editor.client.close();
		await settled();
		expect(zeta.log).toEqual(["closed", "closed"]);
	});

	test("are not created if the session is closed before they are loaded", async () => {
		const known = deferred();
		const created: string[] = [];
		const { in: choose } = choiceOf(
			{ "ollama/zeta": new FakeModel() },
			{
				predictorOf: (name) => {
					created.push(name);
					return new FakeModel();
				},
			},
		);
		const editor = await AcpEditor.open(
			{},
			{ models: { in: (workspace) => known.opened.then(() => choose(workspace)) } },
		);
		await editor.close();
		known.open();
		await settled();
		expect(created).toEqual([]);
		expect(editor.updates).toEqual([]);
	});

	test("report a failure to load and include it in the response", async () => {
		const models = { in: () => Promise.reject(new Error("a bug")) };
		const editor = await AcpEditor.open({ [A]: "" }, { models });
		expect(segueMetaOf((await editor.suggest(A, 1))._meta)).toEqual({
			reason: "no-history",
			detail: "The models for next edits could not be loaded. To see why, run: segue doctor",
		});
		expect(editor.problems).toEqual([
			expect.objectContaining({ kind: "handler-failed", method: acp.nesStart.method, error: new Error("a bug") }),
		]);
		expect(await first(await startRename({ models }))).toMatchObject(RENAME_SUGGESTION);
	});

	test("include a configuration error in a response without suggestions", async () => {
		const editor = await AcpEditor.open(
			{ [A]: "" },
			{ models: choiceOf({}, { trouble: "config.json:1:1: it is broken." }) },
		);
		expect(segueMetaOf((await editor.suggest(A, 1))._meta)).toEqual({
			reason: "no-history",
			detail: "config.json:1:1: it is broken.",
		});
	});
});

describe("files hidden from a model", () => {
	const C = "file:///c.ts";

	/** Requests a suggestion with three documents open. Returns the documents hidden from the model. */
	async function ignoredWith(isPrivate: ModelChoice["isPrivate"]) {
		const zeta = new FakeModel();
		const models = choiceOf({ "ollama/zeta": zeta }, { isPrivate });
		const editor = await AcpEditor.open({ [A]: "a", [B]: "b", [C]: "c" }, { models });
		await editor.suggest(A, 1);
		return [...(zeta.scenes[0]?.ignored ?? [])];
	}

	test("include ignored files", async () => {
		expect(await ignoredWith((uri) => uri === B)).toEqual([B]);
	});

	test("include files whose check times out, and only the first request is delayed", async () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		onTestFinished(() => void vi.useRealTimers());
		const zeta = new FakeModel();
		const isPrivate = (uri: string) => (uri === C ? new Promise<boolean>(() => {}) : false);
		const models = choiceOf({ "ollama/zeta": zeta }, { isPrivate });
		const editor = await AcpEditor.open({ [A]: "a", [B]: "b", [C]: "c" }, { models });
		const answer = editor.suggest(A, 1);
		await settled();
		expect(zeta.scenes).toEqual([]);
		await vi.advanceTimersByTimeAsync(1000);
		await answer;
		await editor.suggest(A, 1);
		expect(zeta.scenes.map(({ ignored }) => [...(ignored ?? [])])).toEqual([[C], [C]]);
	});

	test("do not include another file if a slow check finds that it is not ignored", async () => {
		const checked = deferred();
		let isKnown = false;
		const ignored = ignoredWith((uri) => (uri !== C || isKnown ? false : checked.opened.then(() => false)));
		await settled();
		isKnown = true;
		checked.open();
		expect(await ignored).toEqual([]);
	});

	test("do not include the document itself if a slow check finds that it is not ignored", async () => {
		const checked = deferred();
		let isKnown = false;
		const ignored = ignoredWith((uri) => {
			if (uri !== A || isKnown) return false;
			return checked.opened.then(() => false);
		});
		await settled();
		isKnown = true;
		checked.open();
		expect(await ignored).toEqual([]);
	});

	test("are cached until a file is opened, saved or closed", async () => {
		const checked: string[] = [];
		const isPrivate = (uri: string) => {
			checked.push(uri);
			return false;
		};
		const models = choiceOf({ "ollama/zeta": new FakeModel() }, { isPrivate });
		const editor = await AcpEditor.open({ [A]: "a", [B]: "b", [C]: "c" }, { models });
		await settled();
		const checksOfC = async () => {
			await editor.suggest(A, 1);
			return checked.splice(0).filter((uri) => uri === C).length;
		};
		// Each request also checks the few files in the history.
		const [first, cached] = [await checksOfC(), await checksOfC()];
		expect(first - cached).toBe(1);
		editor.client.notify(acp.didSave, { sessionId: editor.sessionId, uri: B });
		expect([await checksOfC(), await checksOfC()]).toEqual([first, cached]);
	});

	test("are checked again after a timeout when the file is saved", async () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		onTestFinished(() => void vi.useRealTimers());
		let isKnown = false;
		const zeta = new FakeModel();
		const isPrivate = (uri: string) => (uri === C && !isKnown ? new Promise<boolean>(() => {}) : false);
		const editor = await AcpEditor.open(
			{ [A]: "a", [C]: "c" },
			{ models: choiceOf({ "ollama/zeta": zeta }, { isPrivate }) },
		);
		const answer = editor.suggest(A, 1);
		await settled();
		await vi.advanceTimersByTimeAsync(1000);
		await answer;
		isKnown = true;
		editor.client.notify(acp.didSave, { sessionId: editor.sessionId, uri: C });
		await editor.suggest(A, 1);
		expect(zeta.scenes.map(({ ignored }) => [...(ignored ?? [])])).toEqual([[C], []]);
	});

	test("are updated when files are opened, saved and closed", async () => {
		const changed: string[] = [];
		const models = choiceOf({}, { changed: (uri) => void changed.push(uri) });
		const editor = await AcpEditor.open({}, { models });
		await settled();
		const { sessionId } = editor;
		editor.didOpen(A, "");
		editor.client.notify(acp.didSave, { sessionId, uri: B });
		editor.didClose(A);
		await settled();
		expect(changed).toEqual([A, B, A]);
	});
});
