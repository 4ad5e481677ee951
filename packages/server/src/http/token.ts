import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const TOKEN = /^[A-Za-z0-9_-]{16,256}$/;
// A token and a newline, with room for a mistake to be noticed.
const FILE_BYTES_MAX = 4096;
const OTHERS = 0o077;

/** Why a token cannot be used, with the next step. */
export class TokenError extends Error {}

/**
 * The token that the user set: with --token, with --token-file, or else in SEGUE_TOKEN, which is removed from the environment
 * so that programs started later do not inherit it. Undefined if none was set. Throws a TokenError.
 */
export function readToken(
	{ token, tokenFile }: { readonly token?: string; readonly tokenFile?: string },
	env: NodeJS.ProcessEnv,
	warn: (line: string) => void,
): string | undefined {
	const { SEGUE_TOKEN } = env;
	delete env["SEGUE_TOKEN"];
	if (token !== undefined && tokenFile !== undefined) {
		throw new TokenError("--token and --token-file cannot be combined: leave one of them out");
	}
	const given = token ?? (tokenFile === undefined ? SEGUE_TOKEN || undefined : readFile(tokenFile, warn));
	if (given === undefined || TOKEN.test(given)) return given;
	const from = token !== undefined ? "--token" : tokenFile !== undefined ? `the file ${tokenFile}` : "SEGUE_TOKEN";
	throw new TokenError(
		`a token is 16 to 256 letters, digits, hyphens and underscores, which the one from ${from} is not. Make one with: openssl rand -hex 24`,
	);
}

function readFile(file: string, warn: (line: string) => void): string {
	let text: string;
	try {
		const descriptor = openSync(file, "r");
		try {
			const stats = fstatSync(descriptor);
			if (process.platform !== "win32" && stats.isFile() && (stats.mode & OTHERS) !== 0) {
				warn(`warning: other users can read the token file ${file}. Run: chmod 600 ${file}`);
			}
			const bytes = Buffer.alloc(FILE_BYTES_MAX);
			text = bytes.toString("utf8", 0, readSync(descriptor, bytes)).trim();
		} finally {
			closeSync(descriptor);
		}
	} catch (error) {
		throw new TokenError(
			`cannot read the token file ${file} (${(error as NodeJS.ErrnoException).code}). Create it with: (umask 077; openssl rand -hex 24 > ${file})`,
		);
	}
	if (text === "") {
		throw new TokenError(
			`the token file ${file} is empty. Write a token to it with: (umask 077; openssl rand -hex 24 > ${file})`,
		);
	}
	return text;
}
