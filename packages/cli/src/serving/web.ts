import { randomBytes } from "node:crypto";
import os from "node:os";
import type { ProcessWitness } from "@segue/agent/feedback/process-witness";
import { overWebSocket, type Problem } from "@segue/rpc";
import { type Sync, serveAcp } from "@segue/server/acp/door";
import { originsOf } from "@segue/server/http/address";
import { FolderError, Folders } from "@segue/server/http/folders";
import { Page } from "@segue/server/http/page";
import { isLoopback, WebServer } from "@segue/server/http/server";
import { readToken, TokenError } from "@segue/server/http/token";
import { harmlessLine } from "@segue/text";
import type { ServingOptions } from "../command-line.js";
import { LogLimit } from "../log-limit.js";
import { endServing, servingHere } from "../serving.js";
import type { Stats } from "../stats/figures.js";
import { openInBrowser } from "./browser.js";

// What no one guesses.
const TOKEN_BYTES = 24;
// Of what one connection does wrong. What it sends after that does not fill the log.
const PROBLEMS_TOLD_MAX = 100;

export interface ServeWebOptions extends ServingOptions {
	readonly host: string;
	readonly port: number;
	readonly token?: string;
	readonly tokenFile?: string;
	/** Whether to open the page in the person's browser. */
	readonly open: boolean;
	readonly version: string;
}

/** Serves until it is told to stop. Gives the exit code. */
export async function serveWeb(options: ServeWebOptions): Promise<number> {
	const { host, port, version } = options;
	// Who has closed standard error may still look at the page.
	process.stderr.on("error", () => {});
	const log = new LogLimit((line) => process.stderr.write(`segue: ${line}\n`));
	const tell = (line: string) => log.tell(line);
	let given: string | undefined;
	try {
		given = readToken(options, process.env, tell);
	} catch (error) {
		if (!(error instanceof TokenError)) throw error;
		tell(error.message);
		return 1;
	}
	if (!isLoopback(host)) {
		if (given === undefined) {
			tell(
				`${host} can be reached from other machines, so a token is needed: set SEGUE_TOKEN or pass --token-file, with 16 letters or more`,
			);
			return 1;
		}
		tell(
			`warning: connections to ${host} are not encrypted. Others on the network can read the token and your files. To connect safely, serve on 127.0.0.1 and forward the port: ssh -L ${port}:127.0.0.1:${port} HOST`,
		);
	}
	const token = given ?? randomBytes(TOKEN_BYTES).toString("base64url");
	const serving = servingHere(options, tell, process);
	const page = Page.load();
	if (page === undefined) tell("the page was not built; ACP is served at /acp. From the sources, run: npm run build");
	let server: WebServer;
	try {
		server = await WebServer.start({
			...{ host, port, token, version, page, tell, folders: new Folders() },
			stats: () => statsFor(host, serving.witness, tell),
			sockets: {
				"/acp": (socket, query, nextTurn) => {
					const changes = query.get("changes") === "full" ? "full" : "incremental";
					const options = { version, sync: syncOf(query), changes, showsDocuments: true } as const;
					serveAcp(overWebSocket(socket, nextTurn), { ...options, ...serving.acp, report: reporter(tell) });
				},
			},
		});
	} catch (error) {
		tell(wordsFor(error, host, port));
		return 1;
	}
	// Without a handler, one exception would disconnect every client.
	process.on("uncaughtException", (error) => server.recover(error));
	const { here, elsewhere } = originsOf(host, server.port, os.networkInterfaces());
	// A token that the user set stays valid after a restart, and the output of a service is kept in logs. So only a random one is printed.
	const fragment = given === undefined ? `#token=${token}` : "";
	for (const origin of elsewhere) process.stdout.write(`From other machines it is at ${origin}/${fragment}\n`);
	process.stdout.write(`Segue is at ${here}/${fragment}\n`);
	if (given !== undefined) process.stdout.write("Add #token= and your token to the address to open the page.\n");
	process.stdout.write("Ctrl-C ends it.\n");
	const forget = options.open ? await openInBrowser(`${here}/#token=${token}`) : async () => {};
	const signal = await new Promise<number>((resolve) => {
		let isEnding = false;
		for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
			process.on(name, (_name: string, number: number) => {
				// A second one does not wait for anything. What is to end with this process still does.
				if (isEnding) process.exit(128 + number);
				isEnding = true;
				resolve(number);
			});
		}
	});
	await Promise.all([server.close(), endServing(serving), forget()]);
	log.flush();
	// Who presses Ctrl-C wanted it to end, and it did.
	return signal === 2 ? 0 : 128 + signal;
}

/** What became of suggestions, also of those that came just now. It does not leave this machine, not even with the token. */
async function statsFor(host: string, witness: ProcessWitness, tell: (notice: string) => void): Promise<Stats> {
	if (!isLoopback(host)) throw new FolderError(403, "These figures stay on the machine that segue serve runs on.");
	await witness.flush();
	const { readStats } = await import("../stats/stats.js");
	return readStats(process.env, "", tell);
}

/** Tells of the problems of one connection. */
function reporter(tell: (line: string) => void): (problem: Problem) => void {
	let told = 0;
	return ({ kind, method, text, error }) => {
		if (++told > PROBLEMS_TOLD_MAX) return;
		const about = harmlessLine(method === undefined ? kind : `${kind} ${method}`);
		tell(`${about}: ${text}${error instanceof Error ? ` (${error.message})` : ""}`);
		if (told === PROBLEMS_TOLD_MAX) tell("what else is wrong with this connection is not told any more");
	};
}

function syncOf(query: URLSearchParams): Sync {
	const said = query.get("sync");
	return said === "context" || said === "both" ? said : "events";
}

function wordsFor(error: unknown, host: string, port: number): string {
	const { code, message } = error as NodeJS.ErrnoException;
	if (code === "EADDRINUSE") return `port ${port} and those after it are in use: name another with --port`;
	if (code === "EACCES") return `port ${port} may not be used by you: name one above 1023 with --port`;
	if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
		return `${host} is no address of this machine: name another with --host`;
	return `cannot listen at ${host}, port ${port}: ${message}`;
}
