import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { ProcessWitness } from "@segue/agent/feedback/process-witness";
import type { Problem } from "@segue/rpc";
import type { Sync } from "@segue/server/acp/door";
import type { WebServer } from "@segue/server/http/server";
import { harmlessLine } from "@segue/text/harmless";
import type { Command, Option } from "commander";
import { addServingOptions, type CommandProcess, portOption, type ServingOptions } from "../command-line.js";
import type { Stats } from "../stats-figures.js";

export function addPlay(program: Command, version: string, process: CommandProcess): Command {
	const command = program
		.command("play")
		.description("try it in a browser: an editor with suggestions, an inspector of every message, and chat")
		.allowExcessArguments(false)
		.addOption(listening());
	return addServingOptions(command, process)
		.option("--no-open", "only print the address")
		.addHelpText("after", "\nExample:\n  $ segue play\n  $ SEGUE_MODEL=ollama/qwen3 segue play --port 8080")
		.action(async (options: WebOptions & { open: boolean }) => {
			process.exit(await serveWeb({ ...options, host: "127.0.0.1", version }));
		});
}

export function addServe(program: Command, version: string, process: CommandProcess): Command {
	const command = program
		.command("serve")
		.description("serve ACP over WebSocket at /acp, and the page of segue play at /")
		.allowExcessArguments(false)
		.addOption(listening())
		.option("--host <address>", "for other machines too, as 0.0.0.0; needs a token", "127.0.0.1")
		.option("--token-file <file>", "file with the token for clients (default: SEGUE_TOKEN, or a random one)")
		.option("--token <token>", "the token itself; other users of this machine can see it in the process list");
	return addServingOptions(command, process)
		.addHelpText(
			"after",
			"\nExample:\n  $ segue serve --port 8080\n  $ segue serve --host 0.0.0.0 --token-file ~/.segue-token\n\nA client names two WebSocket protocols: segue.acp, and segue.token.TOKEN. GET /healthz tells whether it runs.",
		)
		.action(async (options: WebOptions & { host: string; token?: string; tokenFile?: string }) => {
			process.exit(await serveWeb({ ...options, open: false, version }));
		});
}

interface WebOptions extends ServingOptions {
	readonly port: number;
}

function listening(): Option {
	return portOption("where it listens; the next that is free where it is taken", 4747);
}

// Too long to guess.
const TOKEN_BYTES = 24;
// Per connection, so that a broken client does not fill the log.
const PROBLEMS_TOLD_MAX = 100;

interface ServeWebOptions extends ServingOptions {
	readonly host: string;
	readonly port: number;
	readonly token?: string;
	readonly tokenFile?: string;
	/** Whether to open the page in the user's browser. */
	readonly open: boolean;
	readonly version: string;
}

/** Serves until a signal arrives. Returns the exit code. */
async function serveWeb(options: ServeWebOptions): Promise<number> {
	const { randomBytes } = await import("node:crypto");
	const { overWebSocket } = await import("@segue/rpc");
	const { serveAcp } = await import("@segue/server/acp/door");
	const { originsOf } = await import("@segue/server/http/address");
	const { FolderError, Folders } = await import("@segue/server/http/folders");
	const { Page } = await import("@segue/server/http/page");
	const { isLoopback, WebServer } = await import("@segue/server/http/server");
	const { readToken, TokenError } = await import("@segue/server/http/token");
	const { LogLimit } = await import("../log-limit.js");
	const { endServing, servingHere } = await import("../serving/parts.js");
	const { host, port, version } = options;
	// The page stays usable after standard error is closed.
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
			stats: async () => {
				// Figures never leave this machine, not even for a client with the token.
				if (isLoopback(host)) return currentStats(serving.witness, tell);
				throw new FolderError(403, "These figures stay on the machine that segue serve runs on.");
			},
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
				// A second signal exits at once. Exit handlers still run.
				if (isEnding) process.exit(128 + number);
				isEnding = true;
				resolve(number);
			});
		}
	});
	await Promise.all([server.close(), endServing(serving), forget()]);
	log.flush();
	// Ctrl-C is the regular way to stop it.
	return signal === 2 ? 0 : 128 + signal;
}

/** Outcomes of suggestions, including those not written to disk yet. */
async function currentStats(witness: ProcessWitness, tell: (notice: string) => void): Promise<Stats> {
	await witness.flush();
	const { readStats } = await import("../stats-figures.js");
	return readStats(process.env, "", tell);
}

/** Logs the problems of one connection. */
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

// Longer than any browser takes to start and to read a small file.
const READ_MS_MAX = 60_000;

/** Commands that exit at once, or whose arguments other users cannot see. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
	darwin: ["open"],
	win32: ["cmd", "/c", "start", ""],
};

/**
 * Opens an address in the user's browser; failures are ignored, because the address is printed, too. On other platforms every
 * user of the machine can read the browser's arguments while it runs, so it opens a private file that redirects to the address.
 * Returns a function that deletes the file.
 */
async function openInBrowser(address: string): Promise<() => Promise<void>> {
	const [command, ...args] = OPENERS[process.platform] ?? [];
	if (command !== undefined) {
		startDetached(command, [...args, address]);
		return async () => {};
	}
	// Sandboxed browsers see neither temporary nor hidden folders.
	const folder = await mkdtemp(path.join(os.homedir(), "segue-opens-")).catch(() => undefined);
	if (folder === undefined) return async () => {};
	const file = path.join(folder, "playground.html");
	await writeFile(file, pageTo(address), { mode: 0o600 });
	startDetached("xdg-open", [file]);
	const remove = () => rm(folder, { recursive: true, force: true });
	setTimeout(() => void remove(), READ_MS_MAX).unref();
	return remove;
}

function startDetached(command: string, args: readonly string[]): void {
	const child = spawn(command, args, { stdio: "ignore", detached: true });
	child.on("error", () => {});
	child.unref();
}

/** A serialized URL contains no quotes, so it is safe in an attribute. */
function pageTo(address: string): string {
	const { href } = new URL(address);
	return `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${href}">
<title>Segue</title>
<a href="${href}">To the playground</a>
`;
}
