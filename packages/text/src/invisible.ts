/**
 * Whether a text contains characters that are invisible or change how other characters are read: control characters,
 * direction marks, joiners, variation selectors, blank letters, and spaces other than U+0020. Tabs and line endings
 * count as visible.
 */
export function hasInvisible(text: string): boolean {
	return text.search(INVISIBLE) !== -1;
}

/** Replaces each invisible character with its code, such as `⟨U+200B⟩`. */
export function showInvisible(text: string): string {
	return text.replace(INVISIBLE, codeOf);
}

// Users don't read arguments that are nested deeper than this, and traversing them could overflow the stack.
const NESTING_MAX = 500;

/**
 * Replaces the invisible characters in all names and strings in a JSON value. Parts that are nested too deeply become
 * `…`.
 */
export function showInvisibleIn(value: unknown, nesting = 0): unknown {
	if (typeof value === "string") return showInvisible(value);
	if (typeof value !== "object" || value === null) return value;
	if (nesting === NESTING_MAX) return "…";
	if (Array.isArray(value)) return value.map((each) => showInvisibleIn(each, nesting + 1));
	const members = Object.entries(value);
	return Object.fromEntries(members.map(([name, each]) => [showInvisible(name), showInvisibleIn(each, nesting + 1)]));
}

/** Returns the code of the first invisible character, such as `U+200B`. */
export function firstInvisible(text: string): string | undefined {
	const [found] = text.match(INVISIBLE) ?? [];
	return found === undefined ? undefined : codeOf(found).slice(1, -1);
}

// Unicode classifies most of them as Default_Ignorable. U+2800 is a Braille pattern without dots.
const INVISIBLE =
	/[^\P{Cc}\t\r\n]|\r(?!\n)|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/gu;

function codeOf(character: string): string {
	const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
	return `⟨U+${code}⟩`;
}
