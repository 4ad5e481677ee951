import { timingSafeEqual } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { IncomingMessage } from "node:http";

/** The reason why a request is refused. */
export interface HttpRefusal {
	readonly status: 401 | 403;
	/** A message for the client and the log. */
	readonly why: string;
}

/**
 * Decides whether to serve a request. A foreign web page can send requests from the user's browser, and can make its
 * own host name resolve to this server. We therefore check the host name, the origin, and the token, which such a page
 * cannot know.
 */
export class Guard {
	private readonly token: Buffer;

	constructor(
		token: string,
		/** The host names and addresses of this server with the port, for example `127.0.0.1:4747`. */
		private readonly hosts: ReadonlySet<string>,
	) {
		this.token = Buffer.from(token);
	}

	/** Refuses requests with an unknown host name or a foreign origin that is not in `allowed`. */
	refusalOf({ headers: { host, origin } }: IncomingMessage, allowed: readonly string[] = []): HttpRefusal | undefined {
		if (host === undefined || !this.hosts.has(host.toLowerCase())) {
			return { status: 403, why: "Unknown host name for this server." };
		}
		// Programs other than browsers don't send an origin. Browsers send it for WebSockets and for all requests except
		// simple navigation.
		if (origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}`) return undefined;
		if (allowed.includes(origin)) return undefined;
		return {
			status: 403,
			why: "Requests from other origins are not allowed. For a WebSocket, start the server with --allow-origin.",
		};
	}

	/** Also refuses requests without the token. */
	refusalWithout(
		request: IncomingMessage,
		token: string | undefined,
		allowed?: readonly string[],
	): HttpRefusal | undefined {
		const refusal = this.refusalOf(request, allowed);
		if (refusal !== undefined) return refusal;
		if (token === undefined || !this.isToken(token)) {
			return { status: 401, why: "The token is missing or wrong. Open the link that segue printed." };
		}
		return undefined;
	}

	private isToken(token: string): boolean {
		const given = Buffer.from(token);
		return given.length === this.token.length && timingSafeEqual(given, this.token);
	}
}

/** The subprotocol of our WebSockets. */
export const ACP_PROTOCOL = "segue.acp";
const TOKEN_PROTOCOL = "segue.token.";

/**
 * Returns the token sent with a WebSocket request. A page cannot set headers for WebSockets, so it sends the token as a
 * subprotocol.
 */
export function tokenOf(request: IncomingMessage): string | undefined {
	const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((each) => each.trim());
	return offered.find((each) => each.startsWith(TOKEN_PROTOCOL))?.slice(TOKEN_PROTOCOL.length);
}

/** Returns the token if the client sent it as an API key. */
export function bearerTokenOf({ headers: { authorization } }: IncomingMessage): string | undefined {
	return /^Bearer (\S+)$/i.exec(authorization ?? "")?.[1];
}

const TOKEN_PATTERN = /^[A-Za-z0-9_-]{16,256}$/;
// Larger than any token file, so that a wrong file is detected.
const FILE_BYTES_MAX = 4096;
const OTHERS = 0o077;

/** The error for an invalid token. The message says what to do. */
export class TokenError extends Error {}

/**
 * Returns the token from --token, --token-file or SEGUE_TOKEN, or undefined if none is set. Removes SEGUE_TOKEN from
 * the environment, so child processes don't inherit it. Throws a TokenError.
 */
export function readToken(
	{ token, tokenFile }: { readonly token?: string; readonly tokenFile?: string },
	env: NodeJS.ProcessEnv,
	warn: (line: string) => void,
): string | undefined {
	const { SEGUE_TOKEN } = env;
	delete env["SEGUE_TOKEN"];
	if (token !== undefined && tokenFile !== undefined) {
		throw new TokenError("--token and --token-file cannot be combined. Use only one of them.");
	}
	const given = token ?? (tokenFile === undefined ? SEGUE_TOKEN || undefined : readFile(tokenFile, warn));
	if (given === undefined || TOKEN_PATTERN.test(given)) return given;
	const from = token !== undefined ? "--token" : tokenFile !== undefined ? `the file ${tokenFile}` : "SEGUE_TOKEN";
	throw new TokenError(
		`The token from ${from} must be 16 to 256 letters, digits, hyphens or underscores. Create one with: openssl rand -hex 24`,
	);
}

function readFile(file: string, warn: (line: string) => void): string {
	let text: string;
	try {
		const descriptor = openSync(file, "r");
		try {
			const stats = fstatSync(descriptor);
			if (process.platform !== "win32" && stats.isFile() && (stats.mode & OTHERS) !== 0) {
				warn(`Other users can read the token file ${file}. Run: chmod 600 ${file}`);
			}
			const bytes = Buffer.alloc(FILE_BYTES_MAX);
			text = bytes.toString("utf8", 0, readSync(descriptor, bytes)).trim();
		} finally {
			closeSync(descriptor);
		}
	} catch (error) {
		throw new TokenError(
			`Cannot read the token file ${file} (${(error as NodeJS.ErrnoException).code}). Create it with: \`(umask 077; openssl rand -hex 24 > ${file})\``,
		);
	}
	if (text === "") {
		throw new TokenError(
			`The token file ${file} is empty. Write a token to it with: \`(umask 077; openssl rand -hex 24 > ${file})\``,
		);
	}
	return text;
}
