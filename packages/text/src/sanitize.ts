/**
 * Makes text safe for a terminal. Characters that would move the cursor, change the colours, title or clipboard, or
 * reverse the order of letters become visible symbols. Also works on pieces of a text, no matter where it was split.
 */
export function sanitize(text: string): string {
	// A carriage return at the end of a piece probably belongs to a newline that has not arrived yet.
	return text.replace(/\r(?=\n|$)/g, "").replace(DANGEROUS, signOf);
}

// The C0 controls except tab and newline, DEL, the C1 controls (some terminals treat U+009B as an escape sequence), and
// direction marks, which can make a command look different from what it runs.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are to be matched
const DANGEROUS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
// Unicode has a symbol for each C0 control, in the same order.
const PICTURES = 0x2400;
const PICTURE_OF_DELETE = "␡";

function signOf(character: string): string {
	const code = character.codePointAt(0) as number;
	if (code < 0x20) return String.fromCharCode(PICTURES + code);
	return code === 0x7f ? PICTURE_OF_DELETE : `\\u{${code.toString(16)}}`;
}

/** Like `sanitize`, but returns a single line, for a title or a label. */
export function sanitizeLine(text: string): string {
	return sanitize(
		text
			.trim()
			.replace(/\s*[\r\n]+\s*/g, " ")
			.replaceAll("\t", " "),
	);
}

/**
 * Formats text as a Markdown code block. The fence is longer than any in the text, so that the text cannot close it.
 */
export function codeBlock(language: string, text: string): string {
	let longest = 2;
	for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
	const fence = "`".repeat(longest + 1);
	return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/**
 * Makes every character in a name or value visible, including newlines and zero-width characters, so that a file in a
 * project cannot disguise what is shown.
 */
export function sanitizeName(text: string): string {
	return text.replace(UNSEEN, signOf);
}

/** Invisible characters. Some of them join letters or emoji, so replies keep them. */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/gu;

/** Shown in place of a secret. */
export const MASK = "***";

/**
 * Masks all occurrences of the secrets. Skips secrets shorter than `charsMin`, because they also occur inside ordinary
 * words.
 */
export function maskSecrets(text: string, secrets: Iterable<string>, charsMin: number): string {
	// Longest first, because a secret may be part of a longer one.
	const hidden = [...secrets].filter(({ length }) => length >= charsMin).sort((a, b) => b.length - a.length);
	return hidden.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
}

/** Returns the message of any thrown value. */
export function errorText(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** Quotes a word for a POSIX shell, if needed. */
export function shellQuoted(word: string): string {
	return /^[\w./:@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
