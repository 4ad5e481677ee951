/**
 * A text that others wrote, made fit for a terminal: what would move its cursor, change its colours, its title or the
 * clipboard, or turn the order of its letters round, is shown as a sign instead of being done. Each piece of a text can be
 * made harmless by itself, wherever it was cut.
 */
export function sanitize(text: string): string {
	// A carriage return at the end of a piece most likely belongs to a newline that has not come yet.
	return text.replace(/\r(?=\n|$)/g, "").replace(DANGEROUS, signOf);
}

// The C0 controls but for tab and newline, DEL, the C1 controls, of which some terminals take U+009B for an escape sequence,
// and the marks that turn the direction of writing, with which a shown command can read otherwise than it runs.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const DANGEROUS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
// Unicode has a picture of each C0 control, in their order.
const PICTURES = 0x2400;
const PICTURE_OF_DELETE = "␡";

function signOf(character: string): string {
	const code = character.codePointAt(0) as number;
	if (code < 0x20) return String.fromCharCode(PICTURES + code);
	return code === 0x7f ? PICTURE_OF_DELETE : `\\u{${code.toString(16)}}`;
}

/** The same in one line, for a title or a label. */
export function sanitizeLine(text: string): string {
	return sanitize(
		text
			.trim()
			.replace(/\s*[\r\n]+\s*/g, " ")
			.replaceAll("\t", " "),
	);
}

/** A text as a Markdown code block, with a fence longer than any inside the text, so that the text cannot close it. */
export function codeBlock(language: string, text: string): string {
	let longest = 2;
	for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
	const fence = "`".repeat(longest + 1);
	return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/**
 * A name or a value, of which every character has to be seen: also newlines, and what has no width. A project's file cannot
 * make another of what is shown.
 */
export function sanitizeName(text: string): string {
	return text.replace(UNSEEN, signOf);
}

/** What of a text does not show by itself. Letters and pictures are joined by some of these, so an answer is left them. */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/gu;

/** Shown in place of a secret. */
export const MASK = "***";

/**
 * Replaces all occurrences of some secrets. Those shorter than `charsMin` are left, because they are found in the middle of
 * ordinary words.
 */
export function maskSecrets(text: string, secrets: Iterable<string>, charsMin: number): string {
	// The longest first: a secret may be a part of another.
	const hidden = [...secrets].filter(({ length }) => length >= charsMin).sort((a, b) => b.length - a.length);
	return hidden.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
}

/** The message of anything that was thrown. */
export function errorText(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
