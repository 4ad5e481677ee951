/**
 * Whether a text contains characters that leave no visible mark, or that change how others read: controls, marks of
 * writing direction, joiners, variation selectors, blank letters, and spaces other than U+0020. Tabs and line ends are
 * visible.
 */
export function hasInvisible(text: string): boolean {
	return text.search(INVISIBLE) !== -1;
}

/** The text with each invisible character replaced by its code, `⟨U+200B⟩`. */
export function showInvisible(text: string): string {
	return text.replace(INVISIBLE, codeOf);
}

/** The code of the first invisible character, `U+200B`. */
export function firstInvisible(text: string): string | undefined {
	const [found] = text.match(INVISIBLE) ?? [];
	return found === undefined ? undefined : codeOf(found).slice(1, -1);
}

// Unicode lists most of them as Default_Ignorable; U+2800 is a Braille pattern without dots.
const INVISIBLE =
	/[^\P{Cc}\t\r\n]|\r(?!\n)|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/gu;

function codeOf(character: string): string {
	const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
	return `⟨U+${code}⟩`;
}
