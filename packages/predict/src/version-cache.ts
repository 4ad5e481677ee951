import type { Text } from "@segue/text";

/** The step from one version of a text to the next one that the engine read. */
export interface VersionStep {
	readonly before: Text;
	/** Length of the common prefix, in UTF-16 code units. */
	readonly head: number;
	/** Length of the common suffix. */
	readonly tail: number;
}

/**
 * A cache of values computed from a version of a text. An entry lives until the engine has read two later versions:
 * the value for the next version may be computed from it, but a history keeps old versions alive, and they must not
 * retain cached values.
 */
export class VersionCache<T> extends WeakMap<Text, T> {
	constructor() {
		super();
		CACHES.push(this);
	}
}

const CACHES: VersionCache<unknown>[] = [];

/** Null for a first version, and for one whose `before` was released. */
const STEPS = new WeakMap<Text, VersionStep | null>();
/** The last version read, by lineage. */
const LAST = new WeakMap<object, Text>();

/** Returns the step to a text from the previously read version; undefined for the first version. */
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
		// Without this, each version would keep its predecessor alive, and thus all earlier versions.
		STEPS.set(before, null);
	}
	return step ?? undefined;
}

/** Frees all values cached for the version before a step. */
function forget({ before, head, tail }: VersionStep): void {
	for (const cache of CACHES) cache.delete(before);
	before.dropSummaries(head, before.length - tail);
}
