import { maskSecrets } from "@segue/text";
/**
 * What a command finds in its environment: what this process has, without what signs somebody in, as the variables that are
 * known to be secret do. It is not for a model to see, and a command's output goes to one.
 */
export function environmentFor(own: NodeJS.ProcessEnv, secretVariables: readonly string[]): Record<string, string> {
	const kept = Object.entries(own).filter((entry): entry is [string, string] => {
		const [name, value] = entry;
		return value !== undefined && !isSecretVariable(name, value, secretVariables);
	});
	return { ...Object.fromEntries(kept), ...PLAIN };
}

/**
 * What is put over the environment of a command that somebody else starts, who can only be told what to add: nothing in the
 * place of the secrets that we know of. Those that only the other one has stay.
 */
export function blankSecrets(own: NodeJS.ProcessEnv, secretVariables: readonly string[]): Record<string, string> {
	const names = Object.entries(own).flatMap(([name, value = ""]) => {
		return isSecretVariable(name, value, secretVariables) ? [name] : [];
	});
	return { ...Object.fromEntries([...names, ...secretVariables].map((name) => [name, ""])), ...PLAIN };
}

/** A text without the secrets that are in an environment: a program that has them may quote them. */
export function maskSecretVariables(text: string, own: NodeJS.ProcessEnv, secretVariables: readonly string[]): string {
	const secrets = Object.entries(own).flatMap(([name, value = ""]) => {
		return isSecretVariable(name, value, secretVariables) ? [value] : [];
	});
	return maskSecrets(text, secrets, SECRET_CHARS_MIN);
}

/** Shorter ones are words that stand elsewhere too, and hiding them would make a sentence unreadable. */
const SECRET_CHARS_MIN = 6;

/** Whether a variable holds a key, a password or the like, by its name or by its value. */
export function isSecretVariable(name: string, value: string, secretVariables: readonly string[]): boolean {
	return secretVariables.includes(name) || SECRET_NAME.test(name) || SECRET_VALUE.test(value);
}

const SECRET_NAME = /^SEGUE_|key|token|secret|passw|passphrase|credential|cookie|bearer/i;
// A password in a URL, a private key, a signed token, and the starts that providers give to theirs.
const SECRET_VALUE =
	/:\/\/[^/\s:@]*:[^/\s@]+@|-----BEGIN |^eyJ[\w-]+\.|^(?:sk|pk|rk|ghp|gho|ghs|ghu|glpat|xox[a-z]|hf|npm|github_pat)[-_]|^AKIA/;

/** Nobody sees colours or can leave a pager. */
const PLAIN = { TERM: "dumb", NO_COLOR: "1", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };
