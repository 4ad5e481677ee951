import type { Piece } from "./session.js";

/**
 * One editor loses a message that it does not read at once, and a pipe holds 64 KiB. So a text has at most half of that, which
 * leaves room for what JSON makes of it.
 */
const TEXT_BYTES_MAX = 32 * 1024;
/** No UTF-16 unit needs more bytes in UTF-8. */
const UNIT_BYTES_MAX = 3;

/** A piece whose text is too long for one message, as several. */
export function split(piece: Piece): readonly Piece[] {
	const { content } = piece;
	if (content.type !== "text" && content.type !== "reasonText") return [piece];
	const texts = splitText(content.text);
	return texts.length === 1 ? [piece] : texts.map((text) => ({ ...piece, content: { ...content, text } }));
}

/** A text that is too long for one message, as several. */
export function splitText(text: string): readonly string[] {
	if (text.length * UNIT_BYTES_MAX <= TEXT_BYTES_MAX || Buffer.byteLength(text) <= TEXT_BYTES_MAX) return [text];
	const texts: string[] = [];
	let from = 0;
	let bytes = 0;
	for (let at = 0; at < text.length; ) {
		const character = String.fromCodePoint(text.codePointAt(at) as number);
		const size = Buffer.byteLength(character);
		if (bytes + size > TEXT_BYTES_MAX) {
			texts.push(text.slice(from, at));
			from = at;
			bytes = 0;
		}
		bytes += size;
		at += character.length;
	}
	return [...texts, text.slice(from)];
}
