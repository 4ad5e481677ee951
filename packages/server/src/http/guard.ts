import { timingSafeEqual } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { IncomingMessage } from "node:http";

/** Why a request is not served. */
export interface HttpRefusal {
	readonly status: 401 | 403;
	/** For the one who asked, and for the log. */
	readonly why: string;
}

/**
 * Decides who is served. A page from elsewhere can send requests here in its visitor's name, and can have a name of its own
 * lead to this address; so the names of this server count, and what a page cannot know: the token.
 */
export class Guard {
	private readonly token: Buffer;

	constructor(
		token: string,
		/** The names and addresses that lead here, with the port: `127.0.0.1:4747`. */
		private readonly hosts: ReadonlySet<string>,
	) {
		this.token = Buffer.from(token);
	}

	/** Whether the request came by a name of ours, and from no page of others. */
	refusalOf({ headers: { host, origin } }: IncomingMessage): HttpRefusal | undefined {
		if (host === undefined || !this.hosts.has(host.toLowerCase())) {
			return { status: 403, why: "This server is not reached by that name." };
		}
		// Programs send none. A browser always does for a WebSocket, and for what is not a plain visit.
		if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) {
			return { status: 403, why: "A page from elsewhere may not ask this server." };
		}
		return undefined;
	}

	/** The same, and whether it carries the token. */
	refusalWithout(request: IncomingMessage, token: string | undefined): HttpRefusal | undefined {
		const refusal = this.refusalOf(request);
		if (refusal !== undefined) return refusal;
		if (token === undefined || !this.isToken(token)) {
			return { status: 401, why: "The token is missing or wrong: open the address that segue has printed." };
		}
		return undefined;
	}

	private isToken(said: string): boolean {
		const given = Buffer.from(said);
		return given.length === this.token.length && timingSafeEqual(given, this.token);
	}
}

/** What a WebSocket speaks here. */
export const ACP_PROTOCOL = "segue.acp";
const TOKEN_PROTOCOL = "segue.token.";

/** A page cannot set headers of a WebSocket, but it can name protocols, and one of them is the token. */
export function tokenOf(request: IncomingMessage): string | undefined {
	const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((each) => each.trim());
	return offered.find((each) => each.startsWith(TOKEN_PROTOCOL))?.slice(TOKEN_PROTOCOL.length);
}

/** The token of a client that sends one as an API key. */
export function bearerTokenOf({ headers: { authorization } }: IncomingMessage): string | undefined {
	return /^Bearer (\S+)$/i.exec(authorization ?? "")?.[1];
}

const TOKEN_PATTERN = /^[A-Za-z0-9_-]{16,256}$/;
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
	if (given === undefined || TOKEN_PATTERN.test(given)) return given;
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
