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

/** A model that suggests what it is given, and notes what it is told. */
class FakeModel implements NextEditPredictor {
	readonly scenes: Scene[] = [];
	readonly told: string[] = [];

	constructor(private readonly answer: Prediction | Promise<Prediction> = { silence: "no-edit" }) {}

	predict(scene: Scene) {
		this.scenes.push(scene);
		return this.answer;
	}

	recordFeedback({ why }: Suggestion, verdict: string) {
		this.told.push(`${verdict}: ${why}`);
	}

	close() {
		this.told.push("closed");
	}
}

const written: Suggestion = {
	...edit(A, 0, 0, "x"),
	predictor: "model",
	source: { model: "ollama/zeta" },
	why: "said",
};

/** The configured models of a test: those that it gives, the first of which is chosen. */
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
	test("are listed behind the answer to start, with the configured one chosen", async () => {
		const editor = await AcpEditor.open({}, { models: choiceOf({ "ollama/zeta": new FakeModel() }) });
		await settled();
		expect(editor.said).toEqual(["#0 result", "#1 result", "session/update"]);
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
		"say what to do where nothing came of an answer: %s",
		async (silence) => {
			const editor = await startRename({ models: choiceOf({ "ollama/zeta": new FakeModel({ silence }) }) });
			expect(segueMetaOf((await editor.suggest(A, 2))._meta)).toEqual({
				reason: silence,
				detail: expect.stringMatching(/\. .*format.*: segue doctor$/),
			});
		},
	);

	test("are not blamed for a reason that may be about what a rule found", async () => {
		const editor = await startRename({
			models: choiceOf({ "ollama/zeta": new FakeModel({ silence: "deletes-most" }) }),
		});
		expect(segueMetaOf((await editor.suggest(A, 2))._meta)).toEqual({ reason: "deletes-most" });
	});

	test("are switched while the session goes on, and the one before is closed", async () => {
		const [zeta, sweep] = [new FakeModel(), new FakeModel({ silence: "too-long" })];
		const editor = await startRename({ models: choiceOf({ "ollama/zeta": zeta, "ollama/sweep": sweep }) });
		expect(noSuggestionReasonOf(await editor.suggest(A, 2))).toBe("no-edit");
		const { configOptions } = await editor.set("nes_model", "ollama/sweep");
		expect(optionIn(configOptions)).toMatchObject({ currentValue: "ollama/sweep" });
		expect(zeta.told).toEqual(["closed"]);
		expect(noSuggestionReasonOf(await editor.suggest(A, 2))).toBe("too-long");
		await editor.set("nes_model", "embedded");
		expect(await first(editor)).toMatchObject(RENAME_SUGGESTION);
		expect(await errorCodeOf(editor.set("nes_model", "ollama/other"))).toBe(-32602);
	});

	test("are waited for by requests and by answers that list them, and not by another setting", async () => {
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

	test("are not waited for by what the rules suggest, and then decide where these are silent", async () => {
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

	test("are made anew where the same one is chosen again, and not for another setting", async () => {
		const made: FakeModel[] = [];
		const predictorOf = () => {
			made.push(new FakeModel());
			return made.at(-1) as FakeModel;
		};
		const models = choiceOf({ "ollama/zeta": new FakeModel() }, { predictorOf });
		const editor = await AcpEditor.open({ [A]: "" }, { models });
		await editor.set("nes_eagerness", "high");
		expect(made).toHaveLength(1);
		await editor.set("nes_model", "ollama/zeta");
		expect(made.map(({ told }) => told)).toEqual([["closed"], []]);
	});

	test("stand behind what predicts for whoever embeds the server, not behind our own engine", async () => {
		const predict = () => ({ suggestions: [written] });
		const editor = await AcpEditor.open({ [A]: "" }, { predict, models: choiceOf({}) });
		await settled();
		expect(segueMetaOf((await first(editor, 1))._meta)).toMatchObject({ why: "said" });
		const later = await AcpEditor.open({ [A]: "" }, { predict: async () => predict(), models: choiceOf({}) });
		expect(segueMetaOf((await first(later, 1))._meta)).toMatchObject({ why: "said" });
	});

	test.for<[string, Partial<ModelChoice>, RegExp]>([
		["is not among them", { chosen: "ollama/other" }, /no such model|params\.value/],
		[
			"cannot be made",
			{
				predictorOf: () => {
					throw new Error("a bug");
				},
			},
			/a bug/,
		],
	])("leave the embedded engine where the one that is chosen beforehand %s", async ([, choice, why]) => {
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

	test("hear what became of a suggestion, and its name goes with it", async () => {
		const zeta = new FakeModel({ suggestions: [written] });
		const editor = await AcpEditor.open({ [A]: "" }, { models: choiceOf({ "ollama/zeta": zeta }) });
		const offer = async () => (await first(editor, 1)).id;
		expect(segueMetaOf((await first(editor, 1))._meta)).toMatchObject({ model: "ollama/zeta", predictor: "model" });
		editor.accept(await offer());
		for (const reason of ["rejected", "ignored", "replaced", "cancelled", undefined])
			editor.reject(await offer(), reason);
		await settled();
		expect(zeta.told).toEqual(["accepted: said", "rejected: said", "ignored: said"]);
	});

	test("say in words why they are silent", async () => {
		const zeta = new FakeModel({ silence: "model-failed", detail: "There is no key. Run: segue login ollama" });
		const editor = await AcpEditor.open({ [A]: "" }, { models: choiceOf({ "ollama/zeta": zeta }) });
		const { _meta } = await editor.suggest(A, 1);
		expect(segueMetaOf(_meta)).toEqual({ reason: "model-failed", detail: "There is no key. Run: segue login ollama" });
	});

	test("are closed with their session, and with the connection", async () => {
		const zeta = new FakeModel();
		const editor = await AcpEditor.open({}, { models: choiceOf({ "ollama/zeta": zeta }) });
		await settled();
		await editor.close();
		expect(zeta.told).toEqual(["closed"]);
		await editor.start();
		await settled();
		editor.client.close();
		await settled();
		expect(zeta.told).toEqual(["closed", "closed"]);
	});

	test("are none where they are known too late", async () => {
		const known = deferred();
		const made: string[] = [];
		const { in: choose } = choiceOf(
			{ "ollama/zeta": new FakeModel() },
			{
				predictorOf: (name) => {
					made.push(name);
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
		expect(made).toEqual([]);
		expect(editor.updates).toEqual([]);
	});

	test("are none where they cannot be found out, which is reported and told", async () => {
		const models = { in: () => Promise.reject(new Error("a bug")) };
		const editor = await AcpEditor.open({ [A]: "" }, { models });
		expect(segueMetaOf((await editor.suggest(A, 1))._meta)).toEqual({
			reason: "no-history",
			detail: "The models for next edits are not known. To see why, run: segue doctor",
		});
		expect(editor.problems).toEqual([
			expect.objectContaining({ kind: "handler-failed", method: acp.nesStart.method, error: new Error("a bug") }),
		]);
		expect(await first(await startRename({ models }))).toMatchObject(RENAME_SUGGESTION);
	});

	test("tell what is wrong with the configuration where nothing is suggested", async () => {
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

describe("what a model is shown", () => {
	const C = "file:///c.ts";

	/** Asks with three documents open, and says which of them the model must not see. */
	async function ignoredWith(isPrivate: ModelChoice["isPrivate"]) {
		const zeta = new FakeModel();
		const models = choiceOf({ "ollama/zeta": zeta }, { isPrivate });
		const editor = await AcpEditor.open({ [A]: "a", [B]: "b", [C]: "c" }, { models });
		await editor.suggest(A, 1);
		return [...(zeta.scenes[0]?.ignored ?? [])];
	}

	test("is without what is ignored", async () => {
		expect(await ignoredWith((uri) => uri === B)).toEqual([B]);
	});

	test("is without other files of which it is not known in time, and waits for them once", async () => {
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

	test("waits until it is known of other files", async () => {
		const looked = deferred();
		let isKnown = false;
		const answer = ignoredWith((uri) => (uri !== C || isKnown ? false : looked.opened.then(() => false)));
		await settled();
		isKnown = true;
		looked.open();
		expect(await answer).toEqual([]);
	});

	test("waits until it is known of the document itself", async () => {
		const looked = deferred();
		let isKnown = false;
		const answer = ignoredWith((uri) => {
			if (uri !== A || isKnown) return false;
			return looked.opened.then(() => false);
		});
		await settled();
		isKnown = true;
		looked.open();
		expect(await answer).toEqual([]);
	});

	test("is not found out again for each request, until a file is opened, saved or closed", async () => {
		const asked: string[] = [];
		const isPrivate = (uri: string) => {
			asked.push(uri);
			return false;
		};
		const models = choiceOf({ "ollama/zeta": new FakeModel() }, { isPrivate });
		const editor = await AcpEditor.open({ [A]: "a", [B]: "b", [C]: "c" }, { models });
		await settled();
		const askedOfC = async () => {
			await editor.suggest(A, 1);
			return asked.splice(0).filter((uri) => uri === C).length;
		};
		// Besides, each request asks of the few files that the history names.
		const [before, kept] = [await askedOfC(), await askedOfC()];
		expect(before - kept).toBe(1);
		editor.client.notify(acp.didSave, { sessionId: editor.sessionId, uri: B });
		expect([await askedOfC(), await askedOfC()]).toEqual([before, kept]);
	});

	test("is found out again where it was not known of a file, when that is saved", async () => {
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

	test("follows the ignore files that are opened, saved and closed", async () => {
		const told: string[] = [];
		const models = choiceOf({}, { changed: (uri) => void told.push(uri) });
		const editor = await AcpEditor.open({}, { models });
		await settled();
		const { sessionId } = editor;
		editor.didOpen(A, "");
		editor.client.notify(acp.didSave, { sessionId, uri: B });
		editor.didClose(A);
		await settled();
		expect(told).toEqual([A, B, A]);
	});
});
