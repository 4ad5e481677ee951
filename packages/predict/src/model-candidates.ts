import type { Document, Text } from "@segue/text";
import type { Candidate, ModelEdits, ModelHunk } from "./candidate.js";
import type { Scene } from "./scene.js";
import type { Proposal } from "./suggestion.js";

/** Whether a text holds what only the format of a model's prompts may write. */
export function holdsSpecialToken(text: string, specialTokens: readonly string[]): boolean {
	const hasLine = (line: string) => text.split(/\r\n|\r|\n/).includes(line);
	return specialTokens.some((token) => (token.endsWith("\n") ? hasLine(token.slice(0, -1)) : text.includes(token)));
}

// What is further away is not seen while one writes: one has to go there first.
const FAR_LINES = 12;

/**
 * The candidates that a model's hunks are, in the order in which they are offered: the nearest to the cursor, and then
 * the others from the top. They are judged like all others, and by what only a model can do wrong.
 */
export function modelCandidates(written: ModelEdits, scene: Scene): Candidate[] {
	const { document } = scene;
	const here = document.text.lineAt(scene.cursor);
	const hunks = written.hunks.map((hunk) => ({ hunk, lines: linesOf(hunk, document.text) }));
	const nearest = hunks.toSorted((a, b) => apart(a.lines, here) - apart(b.lines, here))[0];
	const queue = nearest === undefined ? [] : [nearest, ...hunks.filter((one) => one !== nearest)];
	return queue.map(({ hunk, lines }, i) => {
		const distance = apart(lines, here);
		const before = queue[i - 1]?.lines;
		// Who accepts one is there when the next is offered.
		const step =
			before === undefined ? distance : Math.min(distance, apart(lines, before.first), apart(lines, before.last));
		const features = featuresOf(hunk, lines, distance, step, scene);
		const isFar = distance > FAR_LINES && scene.kinds.has("jump");
		return {
			proposal: isFar ? jumpTo(hunk, document) : editOf(hunk, document),
			predictor: "model",
			why: () => `${written.source.model} wrote it`,
			rules: [ruleOf(hunk, document.text)],
			features,
			confidence: chanceOf(features),
			isDoubtful: false,
			modelEdits: { ...written, hunk },
		};
	});
}

/** The first line and the last that a hunk touches. */
interface Lines {
	readonly first: number;
	readonly last: number;
}

function linesOf({ edits }: ModelHunk, text: Text): Lines {
	return { first: text.lineAt(edits[0]?.from ?? 0), last: text.lineAt(edits.at(-1)?.to ?? 0) };
}

/** How many lines it is from a line to some others. */
function apart({ first, last }: Lines, line: number): number {
	return Math.max(first - line, line - last, 0);
}

function editOf({ edits }: ModelHunk, { uri }: Document): Proposal {
	return { kind: "edit", uri, edits };
}

function jumpTo({ edits }: ModelHunk, { uri }: Document): Proposal {
	return { kind: "jump", uri, at: edits[0]?.from ?? 0 };
}

/** What is written in place of what, wherever it is: what was rejected three times does not come again elsewhere. */
function ruleOf({ edits }: ModelHunk, text: Text): string {
	return JSON.stringify(["model", ...edits.map(({ from, to, insert }) => [text.slice(from, to), insert])]);
}

function featuresOf(
	{ edits }: ModelHunk,
	{ first, last }: Lines,
	distance: number,
	step: number,
	{ document, history }: Scene,
): ReadonlyMap<string, number> {
	const inserted = edits.reduce((sum, { insert }) => sum + insert.length, 0);
	const deleted = edits.reduce((sum, { from, to }) => sum + to - from, 0);
	const lines = edits.reduce((sum, { insert }) => sum + insert.split("\n").length - 1, last - first + 1);
	return new Map([
		["distance", distance],
		["step", step],
		["lines", lines],
		["inserted", inserted],
		["deleted", deleted],
		["changed", history.fileOf(document.uri) === undefined ? 0 : 1],
	]);
}

// In logarithmic odds. They are set by hand: there is no model that all users have to fit them with. By the thresholds
// of the gate, a few lines at the cursor are shown at medium, the same in a file that the user works on also at low,
// and what is far away or long only at high.
const NEAR = 1;
const BY_LINE_AWAY = -0.04;
const BY_LINE_WRITTEN = -0.03;
const WHERE_CHANGED = 0.3;
const ONLY_DELETES = -0.5;
// From so many lines on, more make no difference.
const LINES_COUNTED = 25;

function chanceOf(features: ReadonlyMap<string, number>): number {
	const of = (name: string) => features.get(name) ?? 0;
	const odds =
		NEAR +
		BY_LINE_AWAY * Math.min(of("step"), LINES_COUNTED) +
		BY_LINE_WRITTEN * Math.min(of("lines") - 1, LINES_COUNTED) +
		WHERE_CHANGED * of("changed") +
		(of("inserted") === 0 ? ONLY_DELETES : 0);
	return 1 / (1 + Math.exp(-odds));
}
