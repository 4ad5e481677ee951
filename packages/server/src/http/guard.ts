import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Why a request is not served. */
export interface Refusal {
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
	refusalOf({ headers: { host, origin } }: IncomingMessage): Refusal | undefined {
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
	refusalWithout(request: IncomingMessage, token: string | undefined): Refusal | undefined {
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
const TOKEN = "segue.token.";

/** A page cannot set headers of a WebSocket, but it can name protocols, and one of them is the token. */
export function tokenOf(request: IncomingMessage): string | undefined {
	const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((each) => each.trim());
	return offered.find((each) => each.startsWith(TOKEN))?.slice(TOKEN.length);
}

/** The token of a client that sends one as an API key. */
export function bearerOf({ headers: { authorization } }: IncomingMessage): string | undefined {
	return /^Bearer (\S+)$/i.exec(authorization ?? "")?.[1];
}
