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

/** A list is there or it is not; who waits longer for it has a network that no suggestion comes through in time. */
const LIST_MS_MAX = 10_000;

/** A server on this machine may have to load a model of many gigabytes first, and is waited for by the model for a minute. */
const ANSWER_MS_MAX = 90_000;

/** Suggestions that come later than this are out of date for most who type on. */
const SLOW_MS = 1_500;

/** Of names that are told where one is not there. */
const NAMES_MAX = 5;

/** Checks the model that writes next edits, by what it writes for a made-up file. */
export async function checkEditModel(checks: CheckList, settings: EditModelSettings | UnavailableModel): Promise<void> {
	if ("why" in settings) return checks.found({ status: "failure", text: settings.why });
	if (!(await isThere(checks, settings))) return;
	const { name, format } = settings;
	const isGuessed = format === chooseFormat(settings);
	checks.found({
		status: "ok",
		text: `It is asked in the format ${format}, ${isGuessed ? "as its name and address suggest" : "as configured"}.`,
		...(isGuessed && {
			next: `Where that is wrong, set nextEdit.format, or format of this model of ${providerIn(name)}.`,
		}),
	});
	const model = editModel(settings);
	const scene = sampleScene();
	const answered = await checks.check(`${name} is asked to write`, ANSWER_MS_MAX, async (signal, tookMs) => {
		const brief = promptInputOf(scene);
		if (typeof brief === "string") throw new Error(`the sample cannot be shown: ${brief}`);
		for await (const { isWhole } of model.ask(brief, signal)) if (isWhole) break;
		return pace("It answers", tookMs());
	});
	if (answered.status === "failure") return;
	const predictor = new ModelPredictor(model, { clock: Date, speculates: false });
	try {
		await checks.check(`${name} is asked for a suggestion`, ANSWER_MS_MAX, async (signal) => {
			const prediction = await predictor.predict(scene, Memory.empty, { signal });
			const [suggestion] = "suggestions" in prediction ? prediction.suggestions : [];
			if (suggestion !== undefined) return suggested(suggestion, scene.document.text.toString());
			const why =
				"silence" in prediction ? NO_SUGGESTION_REASONS[prediction.silence] : NO_SUGGESTION_REASONS["nothing-found"];
			const detail = "silence" in prediction ? prediction.detail : undefined;
			return {
				status: "warning",
				text: `It suggests nothing for a file that is made up: ${why}.${detail === undefined ? "" : ` ${detail}`}`,
				next: `It may still do well with yours. Other formats can be tried with nextEdit.format.`,
			};
		});
	} finally {
		predictor.close();
	}
}

/** Checks the model that chats, by one short question. */
export async function checkChatModel(checks: CheckList, settings: ModelSettings | UnavailableModel): Promise<void> {
	if ("why" in settings) return checks.found({ status: "failure", text: settings.why });
	if (!(await isThere(checks, settings))) return;
	await checks.check(`${settings.name} is asked a question`, ANSWER_MS_MAX, async (signal, tookMs) => {
		const parts = [{ type: "text", text: "Answer with the word yes." }] as const;
		const request = { system: "", messages: [{ role: "user", parts }], tools: [], effort: "low" } as const;
		for await (const { type } of chatModel(settings).stream(request, signal)) {
			if (type === "text") return { status: "ok", text: `It answers, after ${seconds(tookMs())}.` };
		}
		return { status: "warning", text: "It ended its answer without a word.", next: "Ask it something: segue chat" };
	});
}

/** Whether it is worth asking. What a server lists need not be all that it has. */
async function isThere(checks: CheckList, settings: EditModelSettings | ModelSettings): Promise<boolean> {
	const { name, model, baseUrl } = settings;
	const place = maskAddress(baseUrl ?? "");
	const found = await checks.check(`${place} is asked for its models`, LIST_MS_MAX, async (signal) => {
		const names = await listModels(settings, signal);
		if (names === undefined) return { status: "ok", text: `${place} answers, and lists no models.` };
		if (names.some((one) => isMeant(one, model))) return { status: "ok", text: `${place} answers, and has ${model}.` };
		const near = nearTo(model, names);
		return {
			status: "warning",
			text: `${place} answers, and does not list ${model}.`,
			next:
				near.length === 0
					? `It lists ${names.length === 0 ? "no model at all" : `others: ${shortened(names)}`}.`
					: `Near to that it has ${near.join(", ")}: choose ${providerIn(name)}/${near[0]}.`,
		};
	});
	return found.status !== "failure";
}

/** Ollama's models have a tag behind their name, which need not be said where it is the latest. */
function isMeant(listed: string, model: string): boolean {
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

function pace(what: string, tookMs: number): CheckResult {
	if (tookMs <= SLOW_MS) return { status: "ok", text: `${what}, after ${seconds(tookMs)}.` };
	return {
		status: "warning",
		text: `${what}, but only after ${seconds(tookMs)}.`,
		next: "The first answer can take longer, while a model is loaded: run this again. If it stays so, choose a smaller model.",
	};
}

function suggested(suggestion: Suggestion, before: string): CheckResult {
	if (suggestion.kind !== "edit") return { status: "ok", text: `It suggests something: ${suggestion.kind}.` };
	const after = Change.of(suggestion.edits, before.length).apply(Text.of(before)).toString();
	const diff = printUnified(before, after, "point.ts", "point.ts").replace(/^(?:---|\+\+\+) .*\n/gm, "");
	if (suggestion.source !== undefined) return { status: "ok", text: "It suggests for a file that is made up:", diff };
	return { status: "warning", text: "It had nothing better to suggest than the embedded engine:", diff };
}

function seconds(ms: number): string {
	return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function providerIn(name: string): string {
	return name.slice(0, name.indexOf("/"));
}

const URI = "file:///point.ts";

/** A made-up file, as it was before somebody added the line with `z` to it. */
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
 * What a model is tried with: nobody's code. A line was added, and the cursor is where another has to follow, which models of
 * all formats can write and the embedded engine cannot.
 */
export function sampleScene(): Scene {
	const before: Document = { uri: URI, languageId: "typescript", version: 1, text: Text.of(BEFORE) };
	const change = Change.of([{ from: ADDED_AT, to: ADDED_AT, insert: ADDED }], BEFORE.length);
	const text = change.apply(before.text);
	const history = History.empty.opened(before).changed(before, change, { atMs: 0, isAccepted: false, after: text });
	const cursor = text.toString().indexOf("\n\n\treturn") + 1;
	return { ...sceneOf({ ...before, version: 2, text }, history, cursor), eagerness: "high" };
}
