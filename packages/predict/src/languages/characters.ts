export const LF = 10;
export const CR = 13;
export const SPACE = 32;
export const SLASH = 47;
export const SEMICOLON = 59;
export const LESS = 60;
export const EQUALS = 61;
export const GREATER = 62;
export const DOT = 46;
export const BRACE_OPEN = 123;
export const BRACE_CLOSE = 125;
export const ASCII_MAX = 127;

export function wordEnd(source: string, from: number, to: number): number {
	let at = from;
	while (at < to) {
		const code = source.charCodeAt(at);
		if (isWordCode(code) || isDigit(code)) at++;
		else if (code > ASCII_MAX && isWordAt(source, at)) at += widthAt(source, at);
		else break;
	}
	return at;
}

export function isWordCode(code: number): boolean {
	return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 36;
}

export function isDigit(code: number): boolean {
	return code >= 48 && code <= 57;
}

const WORD = /[\p{L}\p{N}\p{M}]/uy;

export function isWordAt(source: string, at: number): boolean {
	WORD.lastIndex = at;
	return WORD.test(source);
}

/** The number of code units in the character at an offset. */
export function widthAt(source: string, at: number): number {
	return (source.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

export function isBlank(code: number): boolean {
	return code === SPACE || code === 9;
}

export function isClosing(code: number): boolean {
	return code === 41 || code === 93 || code === BRACE_CLOSE;
}

export function isBracket(code: number): boolean {
	return code === 40 || code === 91 || code === BRACE_OPEN || isClosing(code);
}
