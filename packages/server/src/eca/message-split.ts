import type * as eca from "@segue/protocol/eca";
import type { ContentItem } from "./encoding/encoder.js";

/**
 * One editor loses messages that it cannot read in one piece, and a pipe holds 64 KiB. Limiting text to half of that,
 * measured as JSON, leaves room for the rest of the message.
 */
const TEXT_BYTES_MAX = 32 * 1024;
/** The maximum size of a UTF-16 code unit in JSON. */
const UNIT_BYTES_MAX = 6;

/** Converts an item to one message or, if its text is too long, to several that editors concatenate. */
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

/** Splits text into parts that fit into one message each. */
export function splitText(text: string): readonly string[] {
	const texts: string[] = [];
	for (let from = 0; from < text.length || texts.length === 0; ) {
		const part = beginningOf(text.slice(from), TEXT_BYTES_MAX);
		texts.push(part);
		from += part.length;
	}
	return texts;
}

/** Returns the longest prefix of at most this many bytes in JSON, without splitting a character. */
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

/** Returns the size of a character in JSON. */
function bytesOf(code: number): number {
	if (code === 0x22 || code === 0x5c) return 2; // quote or backslash
	if (code < 0x20) return [0x08, 0x09, 0x0a, 0x0c, 0x0d].includes(code) ? 2 : UNIT_BYTES_MAX;
	if (code < 0x80) return 1;
	if (code < 0x800) return 2;
	if (code >= 0xd800 && code <= 0xdfff) return UNIT_BYTES_MAX; // a lone surrogate, which UTF-8 cannot encode
	return code > 0xffff ? 4 : 3;
}
