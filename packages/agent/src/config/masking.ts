import { MASK, maskSecrets, UNSEEN } from "@segue/text/sanitize";

/** Shorter texts are found in the middle of ordinary words, and no provider's key is as short. */
const SECRET_LENGTH_MIN = 8;

/** What is this long and has letters and digits in one piece is a key more often than a word. */
const TOKEN = /[A-Za-z0-9_+=~.-]{16,}/g;

/** Whether a field, a header, a flag or a variable of this name holds a secret. */
export function namesSecret(name: string): boolean {
	return /key|token|secret|passw|auth|credential|cookie|bearer/i.test(name);
}

/** A value with none of the secrets in any of its texts. */
export function redactSecrets<Value>(value: Value, secrets: Iterable<string>): Value {
	const hidden = [...secrets];
	const walk = (one: unknown): unknown => {
		if (typeof one === "string") return maskSecrets(one, hidden, SECRET_LENGTH_MIN);
		if (Array.isArray(one)) return one.map(walk);
		if (typeof one !== "object" || one === null) return one;
		return Object.fromEntries(Object.entries(one).map(([key, held]) => [key, walk(held)]));
	};
	return walk(value) as Value;
}

/** An address without its password, its query, and what looks like a key in its path. */
export function maskAddress(address: string): string {
	if (!URL.canParse(address)) return MASK;
	const { protocol, username, password, host, pathname, search, hash } = new URL(address);
	const user = username === "" ? "" : `${username}${password === "" ? "" : `:${MASK}`}@`;
	const rest = pathname.replace(TOKEN, maskToken);
	return `${protocol}//${user}${host}${rest}${search === "" ? "" : `?${MASK}`}${hash === "" ? "" : `#${MASK}`}`;
}

/** A command's arguments without what a flag of a secret's name is given, and what looks like a key. */
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

/** Those of some headers or variables that are secrets, by their name or by their look. The others are words that stand elsewhere too. */
export function secretsAmong(values: Readonly<Record<string, string>>): string[] {
	const isSecret = ([name, value]: [string, string]) => namesSecret(name) || value.replace(TOKEN, maskToken) !== value;
	return Object.entries(values)
		.filter(isSecret)
		.map(([, value]) => value);
}

function maskToken(token: string): string {
	return /[0-9]/.test(token) && /[A-Za-z]/.test(token) ? MASK : token;
}

/** A path or an argument, for a shell to be pasted into. What cannot be seen is written as bash, zsh and ksh read it. */
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
