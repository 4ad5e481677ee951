import { MASK, maskSecrets, UNSEEN } from "@segue/text/sanitize";

/** Shorter strings occur inside ordinary words, and no provider issues keys this short. */
const SECRET_LENGTH_MIN = 8;

/** A token of at least this length with both letters and digits is more likely to be a key than a word. */
const TOKEN = /[A-Za-z0-9_+=~.-]{16,}/g;

/** Whether a field, header, flag or variable with this name contains a secret. */
export function namesSecret(name: string): boolean {
	return /key|token|secret|passw|auth|credential|cookie|bearer/i.test(name);
}

/** Returns a copy of a value with the secrets masked in all of its strings. */
export function redactSecrets<Value>(value: Value, secrets: Iterable<string>): Value {
	const hidden = [...secrets];
	const walk = (part: unknown): unknown => {
		if (typeof part === "string") return maskSecrets(part, hidden, SECRET_LENGTH_MIN);
		if (Array.isArray(part)) return part.map(walk);
		if (typeof part !== "object" || part === null) return part;
		return Object.fromEntries(Object.entries(part).map(([key, field]) => [key, walk(field)]));
	};
	return walk(value) as Value;
}

/** Masks the password, query and fragment of a URL, and anything in its path that looks like a key. */
export function maskAddress(address: string): string {
	if (!URL.canParse(address)) return MASK;
	const { protocol, username, password, host, pathname, search, hash } = new URL(address);
	const user = username === "" ? "" : `${username}${password === "" ? "" : `:${MASK}`}@`;
	const rest = pathname.replace(TOKEN, maskToken);
	return `${protocol}//${user}${host}${rest}${search === "" ? "" : `?${MASK}`}${hash === "" ? "" : `#${MASK}`}`;
}

/** Masks the values of flags whose names suggest a secret, and arguments that look like a key. */
export function maskArguments(args: readonly string[]): string[] {
	return args.map((arg, i) => {
		const before = args[i - 1] ?? "";
		if (/^--?[\w-]+$/.test(before) && namesSecret(before) && !arg.startsWith("--")) return MASK;
		const [, label, separator] = /^([^\s=:]+)(=|:\s)/.exec(arg) ?? [];
		if (label !== undefined && namesSecret(label)) return `${label}${separator}${MASK}`;
		if (/^[a-z]+:\/\//i.test(arg)) return maskAddress(arg);
		return arg.replace(TOKEN, maskToken);
	});
}

/**
 * Returns the values of headers or variables that, judging by their name or appearance, are secrets. The other values
 * may be ordinary words, which must not be masked everywhere.
 */
export function secretsAmong(values: Readonly<Record<string, string>>): string[] {
	const isSecret = ([name, value]: [string, string]) => namesSecret(name) || value.replace(TOKEN, maskToken) !== value;
	return Object.entries(values)
		.filter(isSecret)
		.map(([, value]) => value);
}

function maskToken(token: string): string {
	return /[0-9]/.test(token) && /[A-Za-z]/.test(token) ? MASK : token;
}

/**
 * Quotes a path or an argument for pasting into a shell. Invisible characters become escapes that bash, zsh and ksh
 * understand.
 */
export function shellArgument(text: string): string {
	if (/^[\w@%+=:,./-]+$/.test(text)) return text;
	if (text.search(UNSEEN) === -1) return `'${text.replaceAll("'", `'\\''`)}'`;
	return `$'${text.replace(/[\\']/g, "\\$&").replace(UNSEEN, escapeOf)}'`;
}

function escapeOf(character: string): string {
	if (character === "\n") return "\\n";
	const code = character.codePointAt(0) as number;
	const digits = (count: number) => code.toString(16).padStart(count, "0");
	if (code < 0x80) return `\\x${digits(2)}`;
	return code <= 0xffff ? `\\u${digits(4)}` : `\\U${digits(8)}`;
}
