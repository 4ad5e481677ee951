/** Names of the kinds of suggestions, by predictor. The playground's statistics use the same names. */
const KINDS: Readonly<Record<string, string>> = {
	rename: "Rename",
	repeat: "Repeated edit",
	template: "Similar lines",
	sibling: "New item",
	calls: "Calls",
	paste: "Pasted code",
	diagnostic: "Error",
	jump: "Jump",
	model: "Model",
};

/** Returns the name of a kind of suggestion for users. The predictor of another version keeps its own name. */
export function kindName(predictor: string): string {
	return Object.hasOwn(KINDS, predictor) ? (KINDS[predictor] ?? predictor) : predictor;
}
