// Removes secrets from traces, which are meant to be shared.

/** Replaces a value whose name marks it as a secret. */
const MASK = "***";

/**
 * Returns a value with secrets masked: values whose names mark them as secrets, at any depth, and text that looks like
 * a key. If only part of a string is masked, it keeps its length and line breaks, so that positions in a document stay
 * valid. A value without secrets is returned unchanged.
 */
export function mask(value: unknown): unknown {
	if (typeof value === "string") return maskText(value);
	if (Array.isArray(value)) return maskItems(value);
	if (typeof value !== "object" || value === null) return value;
	// Variables and headers are name/value pairs.
	const isSecretPair = "name" in value && typeof value.name === "string" && namesSecret(value.name);
	let isChanged = false;
	const members = Object.entries(value);
	for (const member of members) {
		const [name, inner] = member;
		const isSecret = namesSecret(name) || (isSecretPair && name === "value");
		member[1] = isSecret ? maskAll(inner) : mask(inner);
		isChanged ||= member[1] !== inner;
	}
	return isChanged ? Object.fromEntries(members) : value;
}

function maskItems(items: readonly unknown[]): readonly unknown[] {
	const masked = items.map((item, i) => maskItem(item, items[i - 1]));
	return masked.some((item, i) => item !== items[i]) ? masked : items;
}

/** Masks a command line, whose arguments can contain keys. */
export function maskCommand(command: readonly string[]): string[] {
	return command.map((word, i) => maskItem(word, command[i - 1]) as string);
}

/** Masks text that is not valid JSON. Parts that look like members of an object are masked like members. */
export function maskUnparsed(text: string): string {
	return maskText(text).replace(MEMBER, (whole, before: string, name: string) => {
		return namesSecret(name) ? `${before}"${MASK}"` : whole;
	});
}

/** A member's name and value, which can be truncated. */
const MEMBER = /("([\w-]+)"\s*:\s*)"(?:[^"\\]|\\.)*"?/g;

/** Masks an array item, which can be a command-line argument that belongs to the flag before it. */
function maskItem(item: unknown, before: unknown): unknown {
	if (typeof item !== "string") return mask(item);
	if (typeof before === "string") {
		const followsSecretFlag = /^--?[\w-]+$/.test(before) && namesSecret(before) && !item.startsWith("--");
		if (followsSecretFlag) return MASK;
	}
	const [, label, separator] = /^(-{0,2}[\w-]+)(=|:\s)/.exec(item) ?? [];
	const isHeader = before === "-H" || before === "--header";
	if (label !== undefined && (separator === "=" || isHeader) && namesSecret(label))
		return `${label}${separator}${MASK}`;
	return maskText(item);
}

function maskAll(value: unknown): unknown {
	if (typeof value === "string") return MASK;
	if (Array.isArray(value)) return value.map(maskAll);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskAll(inner)]));
}

/** Whether a member, header, flag or variable with this name holds a secret, in any naming style. */
function namesSecret(name: string): boolean {
	if (!MAY_NAME.test(name)) return false;
	const words = name.replace(/([a-z\d])([A-Z])/g, "$1-$2");
	return (NAME.test(words) && !PROGRESS.test(name)) || VARIABLE.test(name);
}

const MAY_NAME = /key|token|secret|passw|passphrase|pwd|authorization|cookie|credential/i;
const NAME =
	/(?:^|[-_])(?:(?:api|access|private|secret|signing|account)[-_]?key|token|secret|password|passwd|passphrase|pwd|authorization|cookie|credentials?)$/i;
/** LSP progress tokens, which are not secrets. */
const PROGRESS = /^(?:workDone|partialResult|progress)Token$/;
const VARIABLE = /^[A-Z][A-Z\d_]*(?:_KEY|PASSWORD|TOKEN|SECRET)$/;

/** Masks text that looks like a key. */
function maskText(text: string): string {
	if (text.length < SECRET_LENGTH_MIN) return text;
	let masked = text;
	for (const { marks, looks } of KEYS) {
		if (marks.some((mark) => masked.includes(mark))) masked = masked.replace(looks, hide);
	}
	return masked;
}

function hide(secret: string): string {
	return /\s/.test(secret) ? secret.replace(/\S/g, "*") : "*".repeat(secret.length);
}

// The length of the shortest secret: a URL with a password.
const SECRET_LENGTH_MIN = 12;

/**
 * Patterns for keys. A pattern is tried only if the text contains one of its marks, because finding a fixed string is
 * much faster than matching a pattern. Every repetition stops at the first character that does not match, so that a
 * text is read only once.
 */
const KEYS: readonly { readonly marks: readonly string[]; readonly looks: RegExp }[] = [
	{ marks: ["sk-", "sk_", "pk_", "rk_"], looks: /\b(?:sk-|[spr]k_(?:live|test)_)[\w-]{16,}/g },
	{ marks: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], looks: /\bgh[pousr]_\w{20,}/g },
	{ marks: ["github_pat_"], looks: /\bgithub_pat_\w{20,}/g },
	{ marks: ["glpat-"], looks: /\bglpat-[\w-]{16,}/g },
	{ marks: ["xox"], looks: /\bxox[abeoprs]-[\w-]{10,}/g },
	{ marks: ["gsk_", "hf_", "npm_", "xai-"], looks: /\b(?:gsk_|hf_|npm_|xai-)\w{20,}/g },
	{ marks: ["AKIA", "ASIA"], looks: /\bA[KS]IA[0-9A-Z]{16}\b/g },
	{ marks: ["AIza"], looks: /\bAIza[\w-]{30,}/g },
	{ marks: ["ya29."], looks: /\bya29\.[\w-]{20,}/g },
	// A JSON Web Token, in three parts.
	{ marks: ["eyJ"], looks: /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+/g },
	{ marks: ["earer "], looks: /(?<=\b[Bb]earer )[\w.~+/-]{8,}=*/g },
	{ marks: ["asic "], looks: /(?<=\b[Bb]asic )(?=[A-Za-z+/]*\d)[\w+/]{8,}=*/g },
	// A URL's password and query parameters.
	{ marks: ["://"], looks: /(?<=:\/\/[^\s/:@"']{0,64}:)[^\s/@"']{1,256}(?=@)/g },
	{
		marks: ["?", "&"],
		looks: /(?<=[?&][\w-]{0,32}(?:[tT]oken|[kK]ey|[sS]ecret|[pP]assword|[sS]ignature)=)[^&#\s"'<>]{8,}/g,
	},
	// Assignments in a file of environment variables.
	{
		marks: ["_KEY=", "_TOKEN=", "_SECRET=", "_PASSWORD="],
		looks: /(?<=\b[A-Z][A-Z\d_]{0,40}_(?:KEY|TOKEN|SECRET|PASSWORD)=["']?)(?=[A-Za-z+/_-]*\d)[\w+/=-]{12,}(?![^\s"'])/g,
	},
	{ marks: ["PRIVATE KEY-----"], looks: /(?<=-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----)[A-Za-z\d+/=\s]+/g },
];
