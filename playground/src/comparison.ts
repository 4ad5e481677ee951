import { diffLines } from "@segue/text";

/** Some lines of one of two texts. */
export interface Stretch {
	readonly text: string;
	/** Whether the other text has them, too. */
	readonly isSame: boolean;
}

/** Two texts beside each other, each cut where it begins or ends to differ from the other. */
export function comparisonOf(
	theirText: string,
	ourText: string,
): { readonly theirs: readonly Stretch[]; readonly ours: readonly Stretch[] } {
	const theirs: Stretch[] = [];
	const ours: Stretch[] = [];
	let at = 0;
	for (const { from, to, insert } of diffLines(theirText, ourText)) {
		const same = { text: theirText.slice(at, from), isSame: true };
		theirs.push(same, { text: theirText.slice(from, to), isSame: false });
		ours.push(same, { text: insert, isSame: false });
		at = to;
	}
	const rest = { text: theirText.slice(at), isSame: true };
	return { theirs: withText([...theirs, rest]), ours: withText([...ours, rest]) };
}

function withText(stretches: readonly Stretch[]): readonly Stretch[] {
	return stretches.filter(({ text }) => text !== "");
}
