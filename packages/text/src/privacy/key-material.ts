import { Summary } from "../summary.js";
import type { Text } from "../text.js";

// Finds key material in files that may otherwise be shown: private keys, provider tokens, passwords in assignments. Add
// a pattern only if it rarely matches other text. Patterns either start with a literal and repeat one class of
// characters, or are limited in length, so matching takes linear time.

/** A range in a text, in UTF-16 offsets. */
interface Span {
	readonly from: number;
	readonly to: number;
}

/**
 * Masks key material in a text. Length and line breaks stay the same, so offsets stay valid. Text without key material
 * is returned unchanged.
 */
export function maskKeys(text: string): string {
	const spans = keySpans(text);
	if (spans.length === 0) return text;
	let masked = "";
	let done = 0;
	for (const { from, to } of spans) {
		masked += text.slice(done, from) + maskOf(to - from);
		done = to;
	}
	return masked + text.slice(done);
}

/**
 * Like `maskKeys`, but for a document's text. Fast for the next version of a text, because only changed parts are
 * searched.
 */
export function maskKeysIn(text: Text): Text {
	return keysIn(text).masked;
}

/** Returns the ranges that `maskKeysIn` replaces, in order. */
export function keySpansIn(text: Text): readonly Span[] {
	return keysIn(text).spans;
}

/** Whether an edit adds masks. If so, a model has copied a mask, and applying the edit would lose the key. */
export function addsMask(before: string, after: string): boolean {
	return countMasks(after) > countMasks(before);
}

/**
 * Whether a file contains only a key, judging by its start: a private key, possibly after a byte order mark, blank
 * lines, comments, and the attributes that some tools print before a PEM block.
 */
export function isKeyFile(start: string): boolean {
	// Checks line by line, because a pattern over several lines could match a line ending in two ways, which takes
	// exponential time.
	const lines = start
		.slice(0, KEY_FILE_START)
		.replace(/^\ufeff/, "")
		.split(/\r\n|\r|\n/);
	for (const line of lines) {
		if (KEY_LINE.test(line)) return true;
		if (!PREAMBLE_LINE.test(line)) return false;
	}
	return false;
}

/** Like `isKeyFile`, but for a document's text. */
export function isKeyText(text: Text): boolean {
	return isKeyFile(text.slice(0, Math.min(text.length, KEY_FILE_START)));
}

// Some tools print a page of attributes before a key.
const KEY_FILE_START = 4096;

const KEY_LINE =
	/^[ \t]*(?:-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1)/;
const PREAMBLE_LINE =
	/^[ \t]*(?:$|#|\/\/|;|Bag Attributes|Key Attributes|localKeyID|friendlyName|X509v3|Microsoft|subject|issuer)/;

// An identifier that no program uses, so that masked code still parses.
const MASK = "REDACTED_SECRET_";
const MASK_SEEN = "REDACTED_SECRET";

function maskOf(length: number): string {
	return MASK.repeat(Math.ceil(length / MASK.length)).slice(0, length);
}

function countMasks(text: string): number {
	let count = 0;
	for (let at = text.indexOf(MASK_SEEN); at >= 0; at = text.indexOf(MASK_SEEN, at + MASK_SEEN.length)) count++;
	return count;
}

/** Returns the ranges of keys, sorted and merged. */
function keySpans(text: string): Span[] {
	if (!MAY_HOLD_KEY.test(text)) return [];
	const spans = [...privateKeys(text), ...tokens(text)].toSorted((a, b) => a.from - b.from);
	const apart: Span[] = [];
	for (const span of spans) {
		const last = apart.at(-1);
		if (last === undefined || span.from >= last.to) apart.push(span);
		else if (span.to > last.to) apart[apart.length - 1] = { from: last.from, to: span.to };
	}
	return apart;
}

const MARK = /-----(BEGIN|END) (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const PUTTY = /\bPrivate-Lines: \d+/g;
// Twice the size of the longest key in use, RSA with 16,384 bits.
const BODY_MAX = 32_768;
// The few short lines before the body, such as `Proc-Type: 4,ENCRYPTED`.
const HEADERS =
	/(?:(?:\\[nr]|[\s"'`,+]){0,64}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): ?[^\r\n"'\\]{0,200}){0,16}/y;
// The body of a key, as a block or as string literals: base64, line breaks (also escaped), quotes, operators between
// literals, and the marks of comments and quoted mail.
const BODY = /[A-Za-z0-9+/=\s"'`,\\|>#*-]*/y;
const NOT_BODY = /[^A-Za-z0-9+/=\s"'`,\\|>#*-]/g;
const BASE64 = /\\[nrt]|[A-Za-z0-9+/=]{2,}/g;
// Minimum length of a line in a key. Few names in code are this long, and those contain no digit.
const LINE_MIN = 40;
// In mixed text, shorter runs are ordinary words.
const RUN_MIN = 16;

/**
 * Finds the base64 text of private keys. The BEGIN and END lines stay visible. The text between them does not always
 * belong to the key, because the user may be typing in the middle of it. If one of the two lines is missing, the key
 * ends where the text no longer looks like a key.
 */
function* privateKeys(text: string): Generator<Span> {
	const marks = [...text.matchAll(MARK)].map(({ index, 0: mark, 1: kind }) => {
		return { isBegin: kind === "BEGIN", from: index, to: index + mark.length };
	});
	for (const [i, { isBegin, from, to }] of marks.entries()) {
		const next = marks[i + 1];
		const isBeforeMark = next !== undefined && next.from - to <= BODY_MAX && (isBegin || !next.isBegin);
		if (isBeforeMark) yield* base64In(text, to, next.from);
		else if (isBegin) yield* base64In(text, to, to + bodyAt(text, to).length);
		if (i > 0 || isBegin) continue;
		// The BEGIN line may be in another part of the file.
		const start = Math.max(from - BODY_MAX, 0);
		const others = [...text.slice(start, from).matchAll(NOT_BODY)];
		yield* base64In(text, start + (others.at(-1)?.index ?? -1) + 1, from);
	}
	for (const { index, 0: label } of text.matchAll(PUTTY)) {
		const from = index + label.length;
		yield* base64In(text, from, from + bodyAt(text, from).length);
	}
}

function bodyAt(text: string, from: number): string {
	BODY.lastIndex = 0;
	return BODY.exec(text.slice(from, from + BODY_MAX))?.[0] ?? "";
}

function* base64In(text: string, from: number, to: number): Generator<Span> {
	const region = text.slice(from, to);
	HEADERS.lastIndex = 0;
	HEADERS.test(region);
	const start = HEADERS.lastIndex;
	const body = region.slice(start);
	const runs = [...body.matchAll(BASE64)].filter(([run]) => !run.startsWith("\\"));
	if (!runs.some(([run]) => run.length >= LINE_MIN && (/\d/.test(run) || run.startsWith(MASK)))) return;
	const isPure = text.startsWith("-----END", to) && body.search(NOT_BODY) < 0;
	for (const { index, 0: run } of runs) {
		const at = from + start + index;
		if (isPure || run.length >= RUN_MIN) yield { from: at, to: at + run.length };
	}
}

// Keys with a provider's prefix. The minimum lengths are a little shorter than most keys, so that partly typed or
// truncated keys are masked, too.
const PREFIXED = [
	/(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{12,}/, // AWS
	/gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}/,
	/gl(?:pat|ptt|dt|rt|cbt|soat)-[\w.-]{16,}/,
	/sk-(?:proj|svcacct|admin|ant|or)-[\w-]{20,}|sk-[A-Za-z0-9]{32,}/, // OpenAI, Anthropic, OpenRouter
	/xox[abceoprs]-[\w-]{10,}|xapp-\d-[\w-]{10,}|hooks\.slack\.com\/services\/[\w/]{20,}/,
	/AIza[\w-]{24,}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{16,}/, // Google
	/[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,}/, // Stripe
	/npm_[A-Za-z0-9]{30,}|pypi-AgE[\w-]{32,}|hf_[A-Za-z0-9]{30,}|dop_v1_[a-f0-9]{32,}|SG\.[\w-]{16,64}\.[\w-]{32,}/,
	/AGE-SECRET-KEY-1[A-Z0-9]{32,}/,
	/(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/, // JSON Web Tokens
];
const TOKEN = new RegExp(`(?<![A-Za-z0-9])(?:${PREFIXED.map(({ source }) => source).join("|")})`, "g");

// A value assigned to the name of a secret.
const ASSIGNED =
	/(?:(secret[-_]?access[-_]?key)|passw(?:or)?d|secret|api[-_]?key|access[-_]?key|auth[-_]?key|private[-_]?key|token)["'`]?[ \t]{0,8}(?::=|=>|=|:)[ \t]{0,8}(["'`]?)([A-Za-z0-9+/=_-]{20,})/gi;
// An AWS secret access key. One in ten has too few digits to look random.
const AWS_SECRET = /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/]{40}$/;
const BEARER =
	/\bauthorization["'`]?[ \t]{0,8}(?:=>|[:=,])[ \t]{0,8}["'`]?(?:bearer|basic|token)[ \t]{1,8}([A-Za-z0-9+/=._~-]{16,})/gi;

function* tokens(text: string): Generator<Span> {
	for (const { index, 0: found } of text.matchAll(TOKEN)) yield { from: index, to: index + found.length };
	for (const { index, 0: found, 1: awsName, 2: quote = "", 3: value = "" } of text.matchAll(ASSIGNED)) {
		const to = index + found.length;
		const next = text.slice(to, to + 1);
		// Without quotes, it is a name in most languages. In a settings file, it is a value that extends to the end of the
		// line.
		const isWhole = quote === "" ? /^[\r\n]?$/.test(next) : next === quote;
		const isAws = awsName !== undefined && AWS_SECRET.test(value);
		if (isWhole && (isAws || looksRandom(value, quote === "" ? 4 : 2))) yield { from: to - value.length, to };
	}
	for (const { index, 0: found, 1: value = "" } of text.matchAll(BEARER)) {
		const to = index + found.length;
		if (looksRandom(value, 2)) yield { from: to - value.length, to };
	}
}

/** Whether a value looks random rather than made of words: hexadecimal, or mixed case with several digits. */
function looksRandom(value: string, digitsMin: number): boolean {
	const digits = value.match(/\d/g)?.length ?? 0;
	if (value.startsWith(MASK) || digits < digitsMin) return false;
	return /^[\da-f-]+$/i.test(value) ? /[a-f]/i.test(value) : /[a-z]/.test(value) && /[A-Z]/.test(value);
}

// Every match of the patterns above contains a match of this pattern. For most texts, only this pattern is checked.
const MAY_HOLD_KEY =
	/PRIVATE KEY|Private-Lines|A[KSBC][IC]A[A-Z2-7]{12}|gh[pousr]_[A-Za-z0-9]{12}|github_pat_|gl(?:pat|ptt|dt|rt|cbt|soat)-|sk-[\w-]{12}|xox[abceoprs]-|xapp-|hooks\.slack|AIza[\w-]{12}|ya29\.|GOCSPX-|[rs]k_(?:live|test)_|whsec_|npm_[A-Za-z0-9]{12}|pypi-AgE|hf_[A-Za-z0-9]{12}|dop_v1_|SG\.[\w-]{12}|AGE-SECRET|eyJ[\w-]{10}|authorization["'`]?[ \t]{0,8}[:=,]|(?:passw(?:or)?d|secret|key|token)["'`]?[ \t]{0,8}(?::=|=>|=|:)[ \t]{0,8}["'`]?[A-Za-z0-9+/=_-]{20}/i;

// Longer than the longest match of MAY_HOLD_KEY, so that a match across two pieces is found by searching only their
// ends.
const ENDS = 128;

const MAY_HOLD = new Summary<{ readonly start: string; readonly end: string; readonly mayHold: boolean }>(
	(piece) => ({ start: piece.slice(0, ENDS), end: piece.slice(-ENDS), mayHold: MAY_HOLD_KEY.test(piece) }),
	(left, right) => ({
		start: left.start.length < ENDS ? (left.start + right.start).slice(0, ENDS) : left.start,
		end: right.end.length < ENDS ? (left.end + right.end).slice(-ENDS) : right.end,
		mayHold: left.mayHold || right.mayHold || MAY_HOLD_KEY.test(left.end + right.start),
	}),
);

interface Keys {
	readonly spans: readonly Span[];
	readonly masked: Text;
}

const KEYS = new WeakMap<Text, Keys>();

function keysIn(text: Text): Keys {
	if (!MAY_HOLD.of(text).mayHold) return { spans: [], masked: text };
	let keys = KEYS.get(text);
	if (keys === undefined) {
		const spans = keySpans(text.toString());
		const masked = spans.reduce((rest, { from, to }) => rest.replace(from, to, maskOf(to - from)), text);
		keys = { spans, masked };
		KEYS.set(text, keys);
	}
	return keys;
}
