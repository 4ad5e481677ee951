/** The start of a text, not longer than that, and with no character cut in half, which models' servers refuse. */
export function startOf(text: string, length: number): string {
	return text.slice(0, splitsCharacter(text, length) ? length - 1 : length);
}

/** The end of a text, in the same way. */
export function endOf(text: string, length: number): string {
	const from = text.length - length;
	return from <= 0 ? text : text.slice(splitsCharacter(text, from) ? from + 1 : from);
}

function splitsCharacter(text: string, at: number): boolean {
	return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}
