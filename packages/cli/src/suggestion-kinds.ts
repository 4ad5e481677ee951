/** Names of the kinds of suggestions, by predictor. The playground's stories and statistics use the same names. */
const KINDS: Readonly<Record<string, string>> = {
	rename: "Rename",
	repeat: "Repeat a change",
	template: "Follow a pattern",
	sibling: "Complete a list",
	calls: "Update calls",
	paste: "Adapt a copy",
	diagnostic: "Fix errors",
	jump: "Jump",
	model: "Model",
};

/** Returns the name of a kind of suggestion for users. The predictor of another version keeps its own name. */
export function kindName(predictor: string): string {
	return Object.hasOwn(KINDS, predictor) ? (KINDS[predictor] ?? predictor) : predictor;
}
