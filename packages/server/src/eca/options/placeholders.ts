import { homedir } from "node:os";
import path from "node:path";
import { readText } from "@segue/agent/config/file";
import { UserError } from "@segue/agent/config/user-error";
import type { EnvironmentVariables } from "@segue/agent/config/user-files";

/** Sources for the values of placeholders. */
export interface PlaceholderSources {
	readonly env: EnvironmentVariables;
	/** The base folder for relative paths. */
	readonly folder: string;
}

/** A string with its placeholders replaced, or a message that explains why that failed. */
type FilledText = { readonly text: string } | { readonly why: string };

const PLACEHOLDER = /\$\{(\w+):([^}]*)\}/g;

/**
 * Replaces `${env:NAME}`, `${env:NAME:default}` and `${file:PATH}`. As in ECA, an unset variable is replaced with an
 * empty string. Reading a configuration must not run commands, so placeholders for command output are not supported.
 */
export function fillIn(text: string, { env, folder }: PlaceholderSources): FilledText {
	let why: string | undefined;
	const filled = text.replace(PLACEHOLDER, (_all, source: string, rest: string) => {
		if (source === "env") return variable(rest, env);
		if (source === "file") {
			const read = contentOf(path.resolve(folder, rest.replace(/^~(?=\/|$)/, homedir())));
			if ("text" in read) return read.text;
			why ??= read.why;
			return "";
		}
		why ??= `\${${source}:…} is not supported. Use \${env:NAME} or \${file:PATH}.`;
		return "";
	});
	return why === undefined ? { text: filled } : { why };
}

function variable(rest: string, env: EnvironmentVariables): string {
	const colon = rest.indexOf(":");
	if (colon === -1) return env[rest] ?? "";
	return env[rest.slice(0, colon)] ?? rest.slice(colon + 1);
}

function contentOf(file: string): FilledText {
	try {
		const text = readText(file);
		// A file's trailing newline is not part of a key or URL.
		return text === undefined ? { why: "The file does not exist." } : { text: text.trimEnd() };
	} catch (error) {
		if (!(error instanceof UserError)) throw error;
		return { why: error.message };
	}
}
