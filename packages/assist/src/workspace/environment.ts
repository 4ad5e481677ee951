import { maskSecrets } from "@segue/text";

/**
 * Returns the environment for a command: this process's own, without secrets, because the model reads the command's
 * output.
 */
export function environmentFor(own: NodeJS.ProcessEnv, secretVariables: readonly string[]): Record<string, string> {
	const kept = Object.entries(own).filter((entry): entry is [string, string] => {
		const [name, value] = entry;
		return value !== undefined && !isSecretVariable(name, value, secretVariables);
	});
	return { ...Object.fromEntries(kept), ...PLAIN };
}

/**
 * Returns variables that blank known secrets for a command started by another process, such as an editor, which can add
 * variables but not remove them. Secrets that only that process has remain.
 */
export function blankSecrets(own: NodeJS.ProcessEnv, secretVariables: readonly string[]): Record<string, string> {
	const names = Object.entries(own).flatMap(([name, value = ""]) => {
		return isSecretVariable(name, value, secretVariables) ? [name] : [];
	});
	return { ...Object.fromEntries([...names, ...secretVariables].map((name) => [name, ""])), ...PLAIN };
}

/** Masks an environment's secrets in text, because a program that has them can print them. */
export function maskSecretVariables(text: string, own: NodeJS.ProcessEnv, secretVariables: readonly string[]): string {
	const secrets = Object.entries(own).flatMap(([name, value = ""]) => {
		return isSecretVariable(name, value, secretVariables) ? [value] : [];
	});
	return maskSecrets(text, secrets, SECRET_CHARS_MIN);
}

/** Shorter values can be common words, and masking them would make text unreadable. */
const SECRET_CHARS_MIN = 6;

/** Whether a variable looks like a key or password by its name or value. */
export function isSecretVariable(name: string, value: string, secretVariables: readonly string[]): boolean {
	return secretVariables.includes(name) || SECRET_NAME.test(name) || SECRET_VALUE.test(value);
}

const SECRET_NAME = /^SEGUE_|key|token|secret|passw|passphrase|credential|cookie|bearer/i;
// A password in a URL, a private key, a signed token, or a prefix of a provider's keys.
const SECRET_VALUE =
	/:\/\/[^/\s:@]*:[^/\s@]+@|-----BEGIN |^eyJ[\w-]+\.|^(?:sk|pk|rk|ghp|gho|ghs|ghu|glpat|xox[a-z]|hf|npm|github_pat)[-_]|^AKIA/;

/** Disables colors, pagers and prompts, because output goes to a pipe. */
const PLAIN = { TERM: "dumb", NO_COLOR: "1", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };
