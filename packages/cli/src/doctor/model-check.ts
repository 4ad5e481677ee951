import { maskAddress } from "@segue/agent/config/masking";
import { NO_SUGGESTION_REASONS } from "@segue/agent/next-edit/no-suggestion";
import type { UnavailableModel } from "@segue/assist";
import { nearest } from "@segue/assist/nearest";
import {
	chatModel,
	type EditModelSettings,
	editModel,
	listModels,
	ModelPredictor,
	type ModelSettings,
	promptInputOf,
} from "@segue/models";
import { chooseFormat } from "@segue/models/choice";
import { History, Memory, type Scene, type Suggestion, sceneOf } from "@segue/predict";
import { Change, type Document, printUnified, sanitizeName, Text } from "@segue/text";
import type { CheckList, CheckResult } from "./check-list.js";

/** A connection that is too slow to list models in this time is too slow for suggestions. */
const LIST_MS_MAX = 10_000;

/** A local server may have to load many gigabytes first. Must exceed the model's own timeout of a minute. */
const ANSWER_MS_MAX = 90_000;

/** By then most users have continued typing, so the suggestion is outdated. */
const SLOW_MS = 1_500;

/** Number of similar names to list if the configured model is not available. */
const NAMES_MAX = 5;

/** Checks the next-edit model with a sample file. */
export async function checkEditModel(checks: CheckList, settings: EditModelSettings | UnavailableModel): Promise<void> {
	if ("why" in settings) return checks.found({ status: "failure", text: settings.why });
	if (!(await isReachable(checks, settings))) return;
	const { name, format } = settings;
	const isGuessed = format === chooseFormat(settings);
	checks.found({
		status: "ok",
		text: `The prompt format is ${format}, ${isGuessed ? "guessed from its name and address" : "as configured"}.`,
		...(isGuessed && {
			next: `If that is wrong, set nextEdit.format, or the format of this model in provider ${providerIn(name)}.`,
		}),
	});
	const model = editModel(settings);
	const scene = sampleScene();
	const answered = await checks.check(`waiting for ${name}`, ANSWER_MS_MAX, async (signal, tookMs) => {
		const input = promptInputOf(scene);
		if (typeof input === "string") throw new Error(`no prompt for the sample: ${input}`);
		for await (const { isWhole } of model.ask(input, signal)) if (isWhole) break;
		return speedOf(tookMs());
	});
	if (answered.status === "failure") return;
	const predictor = new ModelPredictor(model, { clock: Date, speculates: false });
	try {
		await checks.check(`waiting for a suggestion from ${name}`, ANSWER_MS_MAX, async (signal) => {
			const prediction = await predictor.predict(scene, Memory.empty, { signal });
			const [suggestion] = "suggestions" in prediction ? prediction.suggestions : [];
			if (suggestion !== undefined) return suggested(suggestion, scene.document.text.toString());
			const why = NO_SUGGESTION_REASONS["silence" in prediction ? prediction.silence : "no-edit"];
			const detail = "silence" in prediction ? prediction.detail : undefined;
			return {
				status: "warning",
				text: `The model has no suggestion for the sample file: ${why}.${detail === undefined ? "" : ` ${detail}`}`,
				next: "It may still have suggestions for your files. To try another prompt format, set nextEdit.format.",
			};
		});
	} finally {
		predictor.close();
	}
}

/** Checks the chat model with a short question. */
export async function checkChatModel(checks: CheckList, settings: ModelSettings | UnavailableModel): Promise<void> {
	if ("why" in settings) return checks.found({ status: "failure", text: settings.why });
	if (!(await isReachable(checks, settings))) return;
	await checks.check(`waiting for ${settings.name}`, ANSWER_MS_MAX, async (signal, tookMs) => {
		const parts = [{ type: "text", text: "Answer with the word yes." }] as const;
		const request = { system: "", messages: [{ role: "user", parts }], tools: [], effort: "low" } as const;
		for await (const { type } of chatModel(settings).stream(request, signal)) {
			if (type === "text") return { status: "ok", text: `The model answered in ${seconds(tookMs())}.` };
		}
		return { status: "warning", text: "The model's answer is empty.", next: "Try it: segue chat" };
	});
}

/** Returns false if the server cannot be reached. A server may offer models that it does not list. */
async function isReachable(checks: CheckList, settings: EditModelSettings | ModelSettings): Promise<boolean> {
	const { name, model, baseUrl } = settings;
	const place = maskAddress(baseUrl ?? "");
	const found = await checks.check(`listing the models of ${place}`, LIST_MS_MAX, async (signal) => {
		const names = await listModels(settings, signal);
		if (names === undefined) return { status: "ok", text: `${place} answers, but lists no models.` };
		if (names.some((one) => isSame(one, model))) return { status: "ok", text: `${place} answers and lists ${model}.` };
		const near = nearTo(model, names);
		return {
			status: "warning",
			text: `${place} answers, but does not list ${model}.`,
			next:
				near.length === 0
					? `Available: ${names.length === 0 ? "none" : shortened(names)}.`
					: `Similar names: ${near.join(", ")}. To use the first one, choose ${providerIn(name)}/${near[0]}.`,
		};
	});
	return found.status !== "failure";
}

/** Ollama's model names end with a tag, which can be omitted if it is `latest`. */
function isSame(listed: string, model: string): boolean {
	return listed === model || listed === `${model}:latest`;
}

function nearTo(model: string, names: readonly string[]): string[] {
	const [own] = [nearest(model, names)].filter((name) => name !== undefined);
	const alike = names.filter((name) => name.includes(model) || model.includes(name));
	return [...new Set([...(own === undefined ? [] : [own]), ...alike])].map(sanitizeName).slice(0, NAMES_MAX);
}

function shortened(names: readonly string[]): string {
	const rest = names.length - NAMES_MAX;
	return `${names.slice(0, NAMES_MAX).map(sanitizeName).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function speedOf(tookMs: number): CheckResult {
	if (tookMs <= SLOW_MS) return { status: "ok", text: `The model answered in ${seconds(tookMs)}.` };
	return {
		status: "warning",
		text: `The model is slow: it answered in ${seconds(tookMs)}.`,
		next: "The first answer can take longer because the model has to load. Run this command again; if it is still slow, choose a smaller model.",
	};
}

function suggested(suggestion: Suggestion, before: string): CheckResult {
	if (suggestion.kind !== "edit")
		return { status: "ok", text: `The model returned a suggestion of type "${suggestion.kind}".` };
	const after = Change.of(suggestion.edits, before.length).apply(Text.of(before)).toString();
	const diff = printUnified(before, after, "point.ts", "point.ts").replace(/^(?:---|\+\+\+) .*\n/gm, "");
	if (suggestion.source !== undefined) return { status: "ok", text: "Suggestion for the sample file:", diff };
	return { status: "warning", text: "The model's suggestion is no better than the built-in engine's:", diff };
}

function seconds(ms: number): string {
	return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function providerIn(name: string): string {
	return name.slice(0, name.indexOf("/"));
}

const URI = "file:///point.ts";

/** The sample file before the user adds the line with `z`. */
const BEFORE = `interface Point {
	x: number;
	y: number;
}

function distance(a: Point, b: Point): number {
	const dx = a.x - b.x;
	const dy = a.y - b.y;

	return Math.sqrt(dx * dx + dy * dy);
}
`;
const ADDED = "\tz: number;\n";
const ADDED_AT = BEFORE.indexOf("}");

/**
 * A scene for testing a model without the user's code. A line was added, so another line must be added at the cursor.
 * Models with any format can write that line; the built-in engine cannot.
 */
export function sampleScene(): Scene {
	const before: Document = { uri: URI, languageId: "typescript", version: 1, text: Text.of(BEFORE) };
	const change = Change.of([{ from: ADDED_AT, to: ADDED_AT, insert: ADDED }], BEFORE.length);
	const text = change.apply(before.text);
	const history = History.empty.opened(before).changed(before, change, { atMs: 0, isAccepted: false, after: text });
	const cursor = text.toString().indexOf("\n\n\treturn") + 1;
	return { ...sceneOf({ ...before, version: 2, text }, history, cursor), eagerness: "high" };
}
