import type { Memory, Scene } from "@segue/predict";
import type { Case, CommitStep } from "./cases.js";
import { ReplayedEditor } from "./replay.js";

// Shorter words are typed faster than they can be completed.
const LETTERS_MIN = 4;
// Shorter lines leave nothing to complete.
const TOKENS_MIN = 3;
// Longer insertions were probably not typed by hand.
const LINES_MAX = 10;

/** A point at which a line has been partly typed. The rest of the line has not been written yet. */
export interface TypingStop {
	readonly scene: Scene;
	readonly memory: Memory;
	/** The rest of the line as committed. */
	readonly rest: string;
	/** Whether the line was added, not changed. */
	readonly isNew: boolean;
	readonly where: StopPosition;
}

/** The position of a stop: after a share of the line's tokens, or inside a word in the second half of the line. */
export type StopPosition = "after a third" | "after two thirds" | "in a word";

/** Types the lines that a commit writes, in the order of its steps, with a few stops on each line. */
export function* typingStopsOf(kase: Case): Generator<TypingStop> {
	const editor = new ReplayedEditor(kase, undefined, () => ({ silence: "nothing-found" }));
	for (const index of kase.stepOrder) {
		const { path, oldLines, newLines } = kase.steps[index] as CommitStep;
		const at = editor.progress.lineOf(index);
		let shown = editor.progress.linesOf(path);
		const above = shown.slice(0, at);
		const below = shown.slice(at + oldLines.length);
		for (const [i, line] of newLines.slice(0, LINES_MAX).entries()) {
			for (const { cut, where } of cutsOf(line)) {
				const after = [...above, ...newLines.slice(0, i), line.slice(0, cut), ...below];
				editor.write(path, shown, after, at + i, cut);
				shown = after;
				const { scene, memory } = editor.ask(false).state;
				const rest = line.slice(cut).trimEnd();
				yield { scene, memory, rest, isNew: i >= oldLines.length, where };
			}
		}
		const done = editor.progress.with([index]);
		const line = at + Math.max(newLines.length - 1, 0);
		editor.write(path, shown, done.linesOf(path), line, newLines.at(-1)?.length ?? 0);
		editor.progress = done;
	}
}

/** Returns the stops on a line, from left to right. */
function cutsOf(line: string): { readonly cut: number; readonly where: StopPosition }[] {
	const tokens = Array.from(line.matchAll(/[\p{L}\p{N}\p{M}_$]+|\S/gu), ({ 0: found, index }) => ({ found, index }));
	if (tokens.length < TOKENS_MIN) return [];
	const endOf = (part: number) => {
		const { found, index } = tokens[Math.max(Math.round(tokens.length * part), 1) - 1] as (typeof tokens)[number];
		return index + found.length;
	};
	const word = tokens
		.slice(Math.floor(tokens.length / 2))
		.find(({ found }) => /^[A-Za-z_]+$/.test(found.slice(0, LETTERS_MIN)) && found.length >= LETTERS_MIN);
	const cuts: { cut: number; where: StopPosition }[] = [
		{ cut: endOf(1 / 3), where: "after a third" },
		{ cut: endOf(2 / 3), where: "after two thirds" },
	];
	if (word !== undefined) cuts.push({ cut: word.index + Math.ceil(word.found.length / 2), where: "in a word" });
	return cuts.toSorted((a, b) => a.cut - b.cut);
}
