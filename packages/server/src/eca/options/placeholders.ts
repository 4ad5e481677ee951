import { homedir } from "node:os";
import path from "node:path";
import { readText } from "@segue/agent/config/file";
import { UserError } from "@segue/agent/config/user-error";
import type { EnvironmentVariables } from "@segue/agent/config/user-files";

/** Where the parts of a text come from that stand elsewhere. */
export interface PlaceholderSources {
	readonly env: EnvironmentVariables;
	/** What a relative path begins at. */
	readonly folder: string;
}

/** A text of ECA's configuration with all that it names filled in, or a sentence about why that cannot be. */
type FilledText = { readonly text: string } | { readonly why: string };

const PLACEHOLDER = /\$\{(\w+):([^}]*)\}/g;

/**
 * Fills in `${env:NAME}`, `${env:NAME:otherwise}` and `${file:PATH}`. A variable that is not set is empty, as ECA has it.
 * Nothing is run for a configuration, and so a command's output is not among what can be named.
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
		why ??= `\${${source}:…} is not filled in here: use \${env:NAME} or \${file:PATH}.`;
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
		// The newline that editors put at a file's end belongs to no key and no address.
		return text === undefined ? { why: "The file that it names is not there." } : { text: text.trimEnd() };
	} catch (error) {
		if (!(error instanceof UserError)) throw error;
		return { why: error.message };
	}
}
