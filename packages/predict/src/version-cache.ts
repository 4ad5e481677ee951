import type { Text } from "@segue/text";

/** The step from one version of a text to the next one the engine looked at. */
export interface VersionStep {
	readonly before: Text;
	/** Length of their common start, in characters. */
	readonly head: number;
	/** Length of their common end. */
	readonly tail: number;
}

/**
 * A cache of values computed from a version of a text. An entry lives until the engine has looked at two later versions:
 * the next version may be computed from it, but the versions that a history keeps for their characters must not keep
 * everything that was ever computed from them.
 */
export class VersionCache<T> extends WeakMap<Text, T> {
	constructor() {
		super();
		CACHES.push(this);
	}
}

const CACHES: VersionCache<unknown>[] = [];

/** Null for a text that is the first version, and for one whose own `before` was forgotten. */
const STEPS = new WeakMap<Text, VersionStep | null>();
/** The version looked at last, by lineage. */
const LAST = new WeakMap<object, Text>();

/** The step to a text from the version looked at before it, undefined for the first one. */
export function stepTo(text: Text): VersionStep | undefined {
	const known = STEPS.get(text);
	if (known !== undefined) return known ?? undefined;
	const before = LAST.get(text.lineage);
	LAST.set(text.lineage, text);
	const step = before === undefined ? null : { before, ...text.common(before) };
	STEPS.set(text, step);
	if (before !== undefined) {
		const earlier = STEPS.get(before);
		if (earlier) forget(earlier);
		// Without this, every version would keep the one before it alive, and so all of them.
		STEPS.set(before, null);
	}
	return step ?? undefined;
}

/** Frees everything computed from the version that a step left. */
function forget({ before, head, tail }: VersionStep): void {
	for (const cache of CACHES) cache.delete(before);
	before.dropSummaries(head, before.length - tail);
}
