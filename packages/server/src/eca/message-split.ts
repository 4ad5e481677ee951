import type * as eca from "@segue/protocol/eca";
import type { ContentItem } from "./encoding/encoder.js";

/**
 * One editor loses a message that it does not read at once, and a pipe holds 64 KiB. So a text has at most half of that as JSON
 * writes it, which leaves room for all else in its message.
 */
const TEXT_BYTES_MAX = 32 * 1024;
/** No UTF-16 unit needs more bytes in JSON. */
const UNIT_BYTES_MAX = 6;

/** An item as messages: several if its text is too long for one. Editors join them. */
export function split({ role, content }: ContentItem): Omit<eca.ContentReceived, "chatId">[] {
	switch (content.type) {
		case "text":
		case "reasonText":
			return splitText(content.text).map((text) => ({ role, content: { ...content, text } }));
		case "toolCallPrepare":
			return splitText(content.argumentsText).map((text) => ({ role, content: { ...content, argumentsText: text } }));
		default:
			return [{ role, content }];
	}
}

/** A text that is too long for one message, as several. */
export function splitText(text: string): readonly string[] {
	const texts: string[] = [];
	for (let from = 0; from < text.length || texts.length === 0; ) {
		const part = beginningOf(text.slice(from), TEXT_BYTES_MAX);
		texts.push(part);
		from += part.length;
	}
	return texts;
}

/** As much of a text as has this many bytes in JSON. No character is cut in two. */
export function beginningOf(text: string, bytesMax: number): string {
	if (text.length * UNIT_BYTES_MAX <= bytesMax) return text;
	let bytes = 0;
	for (let at = 0; at < text.length; ) {
		const code = text.codePointAt(at) as number;
		bytes += bytesOf(code);
		if (bytes > bytesMax) return text.slice(0, at);
		at += code > 0xffff ? 2 : 1;
	}
	return text;
}

/** Of a character, as JSON writes it. */
function bytesOf(code: number): number {
	if (code === 0x22 || code === 0x5c) return 2; // a quote, a backslash
	if (code < 0x20) return [0x08, 0x09, 0x0a, 0x0c, 0x0d].includes(code) ? 2 : UNIT_BYTES_MAX;
	if (code < 0x80) return 1;
	if (code < 0x800) return 2;
	if (code >= 0xd800 && code <= 0xdfff) return UNIT_BYTES_MAX; // half of a character, which UTF-8 has no way to write
	return code > 0xffff ? 4 : 3;
}
