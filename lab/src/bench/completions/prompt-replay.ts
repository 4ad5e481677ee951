import { inProcessOutliner } from "@segue/agent/node/in-process-outliner";
import { type EditModelRequest, editModelRequestOf, FORMATS, promptInputOf } from "@segue/models";
import { decodePrompt } from "@segue/models/prompts";
import { predict } from "@segue/predict";
import { regionAfter } from "@segue/testing/models/zed-parsers";
import { type CaseLine, parseCase, readCaseLines } from "../../eval/cases.js";
import { type ReplayState, replay } from "../../eval/replay.js";
import type { Measurement } from "../measurement.js";
import type { CompletionServer } from "./completion-server.js";

const FORMAT = "zeta-2.1";

/** The number of suggestions shown, and how many of them match the commit exactly. */
interface Tally {
	shown: number;
	exact: number;
}

/**
 * Replays commits like `segue eval`, and also sends every state as a prompt. A prompt contains only part of the
 * engine's input, and its answer can change only the region around the cursor.
 */
export async function replayPrompts(
	file: string,
	server: CompletionServer,
	onCase: (done: number, all: number) => void,
): Promise<Measurement[]> {
	const outliner = await inProcessOutliner();
	const lines: readonly CaseLine[] = readCaseLines(file);
	const engine: Tally = { shown: 0, exact: 0 };
	const inRegion: Tally = { shown: 0, exact: 0 };
	const prompts: Tally = { shown: 0, exact: 0 };
	let states = 0;
	for (const [i, line] of lines.entries()) {
		onCase(i, lines.length);
		const kase = parseCase(file, line);
		for (const { state, shown } of replay(kase, "forced", outliner, ({ scene, memory }) => predict(scene, memory))) {
			states++;
			const request = requestFor(state);
			const isExact = shown?.judgement.label === "exact";
			if (shown !== undefined) count(engine, isExact);
			if (request === undefined) continue;
			const suggestion = shown?.offer.suggestion;
			const { from, to } = request.window;
			const isIn = suggestion?.kind === "edit" && suggestion.uri === state.scene.document.uri;
			if (isIn && suggestion.edits.every((edit) => edit.from >= from && edit.to <= to)) count(inRegion, isExact);
			const label = await answerTo(request, state, server, kase.id);
			if (label !== undefined) count(prompts, label === "exact");
		}
	}
	const measured = (figure: string, of: (tally: Tally) => number, unit: Measurement["unit"]): Measurement[] => [
		{ figure: `${FORMAT}, ${figure}`, value: of(prompts), unit, against: { name: "the engine", value: of(engine) } },
		{
			figure: `${FORMAT}, ${figure}`,
			value: of(prompts),
			unit,
			against: { name: "the engine, inside the region", value: of(inRegion) },
		},
	];
	return [
		...measured("states with a suggestion", ({ shown }) => (100 * shown) / states, "% of the states"),
		...measured("states with an exact suggestion", ({ exact }) => (100 * exact) / states, "% of the states"),
		...measured("exact suggestions", ({ shown, exact }) => (100 * exact) / shown, "% of the suggestions"),
	];
}

function count(tally: Tally, isExact: boolean): void {
	tally.shown++;
	if (isExact) tally.exact++;
}

type PromptRequest = EditModelRequest & { readonly ask: { readonly kind: "completion"; readonly prompt: string } };

/** Returns undefined if the format cannot express the state as a prompt. */
function requestFor({ scene }: ReplayState): PromptRequest | undefined {
	const input = promptInputOf(scene);
	const format = FORMATS.get(FORMAT);
	if (typeof input === "string" || format === undefined) return undefined;
	const request = editModelRequestOf(format, input, { model: "any", windowTokens: undefined });
	return typeof request === "string" || request.ask.kind !== "completion" ? undefined : (request as PromptRequest);
}

/** Returns the label of the server's answer, or undefined if it contains no edit. */
async function answerTo(
	{ ask, window }: PromptRequest,
	{ scene, label }: ReplayState,
	server: CompletionServer,
	client: string,
) {
	const body = JSON.stringify({ model: "m", prompt: ask.prompt });
	const { text } = await server.ask("/v1/completions", body, client);
	const parts = decodePrompt(ask.prompt)?.parts;
	const region = parts && regionAfter(FORMAT, parts, JSON.parse(text).choices[0].text);
	if (parts === undefined || region === undefined || region === parts.region) return undefined;
	const { uri, text: document } = scene.document;
	const eol = document.toString().includes("\r\n") ? "\r\n" : "\n";
	const [before, after] = [document.slice(0, window.from), document.slice(window.to, document.length)];
	return label(uri, before + region.replaceAll("\n", eol) + after);
}
