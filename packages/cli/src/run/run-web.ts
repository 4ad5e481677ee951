import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { LazyModels } from "@segue/agent/node/lazy-models";
import { openRequestLog, type RequestLog } from "@segue/agent/request-log/request-log";
import { Completions } from "@segue/server/completions/endpoints";
import { originsOf } from "@segue/server/http/address";
import { RequestError } from "@segue/server/http/exchange";
import type { Folders } from "@segue/server/http/folders";
import { readToken, TokenError } from "@segue/server/http/guard";
import { StaticPage } from "@segue/server/http/static-page";
import { isLoopback, WebServer } from "@segue/server/http/web-server";
import { errorText, shellQuoted } from "@segue/text/sanitize";
import type { ServingOptions } from "../command-line.js";
import type { Stats } from "../suggestion-stats.js";
import type { AcpSockets } from "./acp-sockets.js";
import { openStandardErrorLog } from "./standard-error-log.js";

// The command loads only this file before it listens. ACP, chat, files and the engine are loaded on first use.

// Too long to guess.
const TOKEN_BYTES = 24;

interface RunWebOptions extends ServingOptions {
	readonly host: string;
	readonly port: number;
	readonly token?: string;
	readonly tokenFile?: string;
	/** Whether to serve the completion endpoints. */
	readonly completions: boolean;
	/** Origins of other pages that may connect. */
	readonly allowedOrigins?: readonly string[] | undefined;
	/** For `segue play`: the folder that the page opens, and whether to start a browser. */
	readonly play?: { readonly folder: string | undefined; readonly opensBrowser: boolean };
	readonly version: string;
}

/** Serves until a signal arrives. Returns the exit code. */
export async function runWeb(options: RunWebOptions): Promise<number> {
	const { host, port, version, play, allowedOrigins } = options;
	const { log, flush } = openStandardErrorLog(process);
	const startFolder = play?.folder === undefined ? undefined : path.resolve(play.folder);
	if (startFolder !== undefined && !(await isFolder(startFolder))) {
		log(
			existsSync(startFolder)
				? `${startFolder} is not a folder. Pass the folder that contains it.`
				: `Folder not found: ${startFolder}. Create it, or pass another folder.`,
		);
		return 1;
	}
	let given: string | undefined;
	try {
		given = readToken(options, process.env, log);
	} catch (error) {
		if (!(error instanceof TokenError)) throw error;
		log(error.message);
		return 1;
	}
	if (!isLoopback(host)) {
		if (given === undefined) {
			log(
				`Other machines can connect to ${host}, so a token is required. Set SEGUE_TOKEN or pass --token-file. Create a token with: openssl rand -hex 24`,
			);
			return 1;
		}
		log(
			`Connections to ${host} are not encrypted. Others on the network can read the token and your files. To connect safely, serve on 127.0.0.1 and forward the port: \`ssh -L ${port}:127.0.0.1:${port} HOST\``,
		);
	}
	const token = given ?? randomBytes(TOKEN_BYTES).toString("base64url");
	const requestLog = openRequestLog(options.withCode ?? false, log, process);
	let acp: Promise<AcpSockets> | undefined;
	let folders: Folders | undefined;
	const loadAcp = () => {
		acp ??= import("./acp-sockets.js").then(({ AcpSockets }) => {
			return new AcpSockets(options, log, process, requestLog, (folder) => folders?.isOpen(folder) === true);
		});
		return acp;
	};
	const completions = options.completions ? createCompletions(options, log, requestLog) : undefined;
	const page = StaticPage.load();
	if (page === undefined) log("The page was not built, so only ACP is served, at /acp. To build it: npm run build");
	let server: WebServer;
	try {
		server = await WebServer.start({
			...{ host, port, token, version, page, log, completions, allowedOrigins },
			folders: async () => {
				folders = new (await import("@segue/server/http/folders")).Folders(startFolder);
				return folders;
			},
			reports: {
				"/installation": currentInstallation,
				"/stats": async () => {
					// Statistics never leave this machine, not even for a client with the token.
					if (isLoopback(host)) return currentStats(requestLog, log);
					throw new RequestError(403, "These statistics stay on the machine that segue serve runs on.");
				},
			},
			sockets: {
				"/acp": async (socket, query, nextTurn) => {
					// Buffer messages until there is a listener.
					socket.pause();
					(await loadAcp()).serve(socket, query, nextTurn);
					socket.resume();
				},
			},
		});
	} catch (error) {
		log(wordsFor(error, host, port));
		return 1;
	}
	// Without a handler, one exception would disconnect every client.
	process.on("uncaughtException", (error) => server.recover(error));
	const { here, elsewhere } = originsOf(host, server.port, os.networkInterfaces());
	// The output of a service ends up in logs, where a token set by the user would stay valid. So only random tokens are
	// printed.
	const fragment = given === undefined ? `#token=${token}` : "";
	if (options.completions)
		process.stdout.write(completionsGuide(here, elsewhere, given === undefined ? token : undefined));
	for (const origin of elsewhere) process.stdout.write(`From other machines: ${origin}/${fragment}\n`);
	if (play === undefined) {
		process.stdout.write(`Segue is at ${here}/${fragment}\n`);
		if (given !== undefined) process.stdout.write("Add #token= and your token to the address to open the page.\n");
		process.stdout.write("Press Ctrl-C to stop.\n");
	} else process.stdout.write(playGuide(`${here}/${fragment}`, play.opensBrowser, given !== undefined));
	// Preload what the first request needs.
	const loading = completions === undefined ? loadAcp() : completions.load();
	loading.catch((error: unknown) => log(`Cannot load a part of Segue: ${errorText(error)}`));
	const report = (isOpen: boolean) => {
		const outcome = isOpen ? "Opened in your browser." : "No browser was started. Open the link above in a browser.";
		process.stdout.write(`  ${outcome}\n\n`);
	};
	const forget = play?.opensBrowser ? await openInBrowser(`${here}/#token=${token}`, report) : async () => {};
	const signal = await new Promise<number>((resolve) => {
		let isEnding = false;
		for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
			process.on(name, (_name: string, number: number) => {
				// A second signal exits immediately. Exit handlers still run.
				if (isEnding) process.exit(128 + number);
				isEnding = true;
				resolve(number);
			});
		}
	});
	const sockets = await acp?.catch(() => undefined);
	await Promise.all([server.close(), sockets === undefined ? requestLog.close() : sockets.close(), forget()]);
	flush();
	// Ctrl-C is the normal way to stop the server.
	return signal === 2 ? 0 : 128 + signal;
}

function createCompletions(
	{ nextEditModel, version }: RunWebOptions,
	log: (line: string) => void,
	requestLog: RequestLog,
) {
	const models = new LazyModels(nextEditModel, log, process);
	return new Completions({ version, folder: pathToFileURL(process.cwd()).href, models, observer: requestLog, log });
}

/** The link to the page, separated from npm's output in case npm started the command. */
function playGuide(link: string, opensBrowser: boolean, needsToken: boolean): string {
	return [
		"",
		opensBrowser ? "  Segue is at this link:" : "  Open this link in your browser:",
		"",
		`    ${link}`,
		"",
		...(needsToken ? ["  Add #token= and your token to the link."] : []),
		"  Press Ctrl-C to stop.",
		"",
		"",
	].join("\n");
}

async function isFolder(folder: string): Promise<boolean> {
	const stats = await stat(folder).catch(() => undefined);
	return stats?.isDirectory() === true;
}

/** Instructions for configuring an editor. */
function completionsGuide(here: string, elsewhere: readonly string[], token: string | undefined): string {
	const addresses = [here, ...elsewhere].map((origin) => `${origin}/v1/completions`);
	return [
		`Completions are at ${addresses.join(" and ")}`,
		"  Zed: edit_predictions.open_ai_compatible_api with this api_url and any model name.",
		"  Its prompt_format can be zeta2_1, zeta2, zeta or sweep for next edits, or a format for text at the cursor:",
		"  qwen, star_coder, code_llama, deepseek_coder, codestral, code_gemma, glm.",
		`  llama.vim and llama.vscode: ${here}/infill. Mistral clients: ${here}/v1/fim/completions`,
		`  To also use your next-edit model, set ${token === undefined ? "your token" : `the token ${token}`} as the API key.`,
		"",
	].join("\n");
}

/** How users run this `segue`, and the file with their settings. The page shows both. */
async function currentInstallation() {
	const { userFilesOf } = await import("@segue/agent/config/user-files");
	const launcher = await realpath(process.argv[1] ?? "");
	return { ...commandsFor(launcher, process.platform), configurationFile: userFilesOf(process.env).configuration };
}

interface Commands {
	readonly command: string;
	readonly install?: string;
	readonly installVscode?: string;
}

/**
 * Returns command lines that work in any folder: one that runs the program at `launcher` and, in a clone, those that
 * install the command `segue` and the extension for VS Code. The npm package `segue` belongs to another project, so `npx
 * segue` is safe only in a clone in which npm has linked the command.
 */
export function commandsFor(launcher: string, system: NodeJS.Platform): Commands {
	const clone = path.resolve(path.dirname(launcher), "../../..");
	if (!existsSync(path.join(clone, "node_modules", ".bin", "segue"))) return { command: "segue" };
	// `cd` and `&&` differ between the shells on Windows. Paths there contain no quotes.
	if (system === "win32")
		return { command: `node "${launcher}"`, installVscode: `npm --prefix "${clone}" run install:vscode` };
	const enter = `cd ${shellQuoted(clone)} &&`;
	return {
		command: `${enter} npx segue`,
		install: `${enter} npm install --global "$(npm pack --silent --workspace @segue/cli)"`,
		installVscode: `${enter} npm run install:vscode`,
	};
}

/** Outcomes of suggestions, including those not written to disk yet. */
async function currentStats(requestLog: RequestLog, log: (notice: string) => void): Promise<Stats> {
	await requestLog.flush();
	const { readStats } = await import("../suggestion-stats.js");
	return readStats(process.env, "", log);
}

function wordsFor(error: unknown, host: string, port: number): string {
	const { code, message } = error as NodeJS.ErrnoException;
	if (code === "EADDRINUSE")
		return `Port ${port} is in use. Stop the program that uses it, or choose another port with --port.`;
	if (code === "EACCES") return `No permission to use port ${port}. Choose one above 1023 with --port.`;
	if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
		return `${host} is not an address of this machine. Choose another with --host.`;
	return `Cannot listen at ${host}, port ${port}: ${message}.`;
}

// Longer than any browser needs to start and read a small file.
const READ_MS_MAX = 60_000;

/** Commands that can open an address safely: they exit immediately, or other users cannot see their arguments. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
	darwin: ["open"],
	win32: ["cmd", "/c", "start", ""],
};

/**
 * Opens an address in the user's browser, and reports whether that was possible. On other platforms every user of
 * the machine can read the browser's arguments while it runs, so the browser is given a private file that redirects to
 * the address. Returns a function that deletes the file.
 */
async function openInBrowser(address: string, report: (isOpen: boolean) => void): Promise<() => Promise<void>> {
	const [command, ...args] = OPENERS[process.platform] ?? [];
	if (command !== undefined) {
		startDetached(command, [...args, address], report);
		return async () => {};
	}
	// Sandboxed browsers see neither temporary nor hidden folders.
	const folder = await mkdtemp(path.join(os.homedir(), "segue-opens-")).catch(() => undefined);
	if (folder === undefined) {
		report(false);
		return async () => {};
	}
	const file = path.join(folder, "playground.html");
	await writeFile(file, pageTo(address), { mode: 0o600 });
	startDetached("xdg-open", [file], report);
	const remove = () => rm(folder, { recursive: true, force: true });
	setTimeout(() => void remove(), READ_MS_MAX).unref();
	return remove;
}

/** Reports false if the command cannot be started or exits with an error, and true if it exits without one. */
function startDetached(command: string, args: readonly string[], report: (isOpen: boolean) => void): void {
	const child = spawn(command, args, { stdio: "ignore", detached: true });
	child.once("error", () => report(false));
	child.once("exit", (code) => {
		if (code !== null) report(code === 0);
	});
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
