import type { Document, Text } from "@segue/text";
import type { Candidate, ModelEdits, ModelHunk } from "./candidate.js";
import type { Scene } from "./scene.js";
import type { Proposal } from "./suggestion.js";

/**
 * Whether a text contains a special token of a model's prompt format. A token that ends in \n counts only as a whole
 * line.
 */
export function holdsSpecialToken(text: string, specialTokens: readonly string[]): boolean {
	const hasLine = (line: string) => text.split(/\r\n|\r|\n/).includes(line);
	return specialTokens.some((token) => (token.endsWith("\n") ? hasLine(token.slice(0, -1)) : text.includes(token)));
}

// Edits further away are off screen, so the user must jump there first.
const FAR_LINES = 12;

/**
 * Turns a model's hunks into candidates, in the order in which they are offered: the nearest to the cursor, then the
 * others from top to bottom. The gate applies its general filters and those specific to models.
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
		// After accepting a hunk, the user is at its position when the next one is offered.
		const step =
			before === undefined ? distance : Math.min(distance, apart(lines, before.first), apart(lines, before.last));
		const features = featuresOf(hunk, lines, distance, step, scene);
		const isFar = distance > FAR_LINES && scene.kinds.has("jump");
		return {
			proposal: isFar ? jumpTo(hunk, document) : editOf(hunk, document),
			predictor: "model",
			why: () => `Suggested by ${written.source.model}`,
			rules: [ruleOf(hunk, document.text)],
			features,
			confidence: chanceOf(features),
			isDoubtful: false,
			modelEdits: { ...written, hunk },
		};
	});
}

/** The first and last line that a hunk touches. */
interface Lines {
	readonly first: number;
	readonly last: number;
}

function linesOf({ edits }: ModelHunk, text: Text): Lines {
	return { first: text.lineAt(edits[0]?.from ?? 0), last: text.lineAt(edits.at(-1)?.to ?? 0) };
}

/** The distance in lines from a line to a range of lines. */
function apart({ first, last }: Lines, line: number): number {
	return Math.max(first - line, line - last, 0);
}

function editOf({ edits }: ModelHunk, { uri }: Document): Proposal {
	return { kind: "edit", uri, edits };
}

function jumpTo({ edits }: ModelHunk, { uri }: Document): Proposal {
	return { kind: "jump", uri, at: edits[0]?.from ?? 0 };
}

/** Identifies the replacement regardless of its position, so three rejections retire it everywhere. */
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

// Weights in log-odds. They are set by hand, because there is no single model to fit them to. With the gate's
// thresholds, a hunk of a few lines at the cursor is shown if the eagerness is medium, or if it is low and the user has
// edited the file. Distant hunks are shown only if the eagerness is high.
const NEAR = 1;
const BY_LINE_AWAY = -0.056;
const BY_LINE_WRITTEN = -0.042;
const WHERE_CHANGED = 0.3;
const ONLY_DELETES = -0.5;
// Lines beyond this number make no difference.
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
