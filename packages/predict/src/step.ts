import type { Text } from "@segue/text";

/** From one version of a text to the one that is looked at after it: how much the two have in common. */
export interface Step {
	readonly before: Text;
	/** At their start, in characters. */
	readonly head: number;
	/** At their end. */
	readonly tail: number;
}

/** Null for a text that is the first version. */
const STEPS = new WeakMap<Text, Step | null>();
const LAST = new WeakMap<object, Text>();

/**
 * The step to a text from the version that was asked for before it, undefined for the first one. A version is most often
 * one with a letter more, which begins or ends with the same piece as the other.
 */
export function stepTo(text: Text): Step | undefined {
	const known = STEPS.get(text);
	if (known !== undefined) return known ?? undefined;
	const ends = text.ends();
	const before = ends.map((piece) => LAST.get(piece)).find((one) => one !== undefined);
	for (const piece of ends) LAST.set(piece, text);
	const step = before === undefined ? null : { before, ...text.common(before) };
	STEPS.set(text, step);
	// Otherwise every version would keep the one before it, and so all of them.
	if (before !== undefined) STEPS.set(before, null);
	return step ?? undefined;
}
