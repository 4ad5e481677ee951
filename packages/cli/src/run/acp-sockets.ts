import { debuglog } from "node:util";
import type { RequestLog } from "@segue/agent/request-log/request-log";
import { overWebSocket, type Problem } from "@segue/rpc";
import { type AcpSync, serveAcp } from "@segue/server/acp/acp-server";
import { sanitizeLine } from "@segue/text/sanitize";
import type { WebSocket } from "ws";
import type { CommandProcess, ServingOptions } from "../command-line.js";
import { closeAgentParts, createAgentParts } from "./agent-parts.js";

/** Shown on standard error with NODE_DEBUG=segue. */
const debug = debuglog("segue");
// Limit per connection, so that a faulty client does not fill the log.
const PROBLEMS_LOGGED_MAX = 100;

/** Serves ACP over all WebSockets of the process. */
export class AcpSockets {
	private readonly serving: ReturnType<typeof createAgentParts>;

	constructor(
		private readonly options: ServingOptions & { readonly version: string },
		private readonly log: (line: string) => void,
		process: CommandProcess,
		requestLog: RequestLog,
		/** Whether the user has opened a folder. Other folders are not read, even if a client names them. */
		isOpened: (folder: string) => boolean,
	) {
		this.serving = createAgentParts(options, log, process, requestLog, isOpened);
	}

	/** `query` is the query string in the WebSocket's address. */
	serve(socket: WebSocket, query: URLSearchParams, nextTurn: (run: () => void) => void): void {
		const changes = query.get("changes") === "full" ? "full" : "incremental";
		const { version } = this.options;
		const options = { version, sync: syncOf(query), changes, showsDocuments: true } as const;
		serveAcp(overWebSocket(socket, nextTurn), { ...options, ...this.serving.acp, report: reporter(this.log) });
	}

	close(): Promise<void> {
		return closeAgentParts(this.serving);
	}
}

/** Logs problems with one connection. */
function reporter(log: (line: string) => void): (problem: Problem) => void {
	let count = 0;
	return ({ kind, method, text, error }) => {
		const about = sanitizeLine(method === undefined ? kind : `${kind} ${method}`);
		const line = `${about}: ${text}${error instanceof Error ? ` (${error.message})` : ""}`;
		// Clients send notifications from other protocol versions and their own extensions.
		if (kind === "unknown-notification") return debug(line);
		if (++count > PROBLEMS_LOGGED_MAX) return;
		log(line);
		if (count === PROBLEMS_LOGGED_MAX) log("no more problems with this connection are logged");
	};
}

function syncOf(query: URLSearchParams): AcpSync {
	const sync = query.get("sync");
	return sync === "context" || sync === "both" ? sync : "events";
}
