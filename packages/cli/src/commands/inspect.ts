import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import os from "node:os";
import type { Readable, Writable } from "node:stream";
import { errorText } from "@segue/text/sanitize";
import type { Command } from "commander";
import { portOption } from "../command-line.js";
import type { Recorder } from "../inspect/recorder.js";
import { writeMessage } from "../terminal/message.js";

export function addInspect(program: Command, version: string): Command {
	return program
		.command("inspect")
		.description("Show and record the messages between an editor and an agent.")
		.argument("<command...>", "the command that starts the agent; put it after --")
		.option("--trace <file>", "write every message to a file, as JSON lines with secrets masked")
		.addOption(portOption(4748))
		.option("--no-page", "don't serve the page that shows the messages")
		.passThroughOptions()
		.addHelpText(
			"after",
			`
Examples (enter one as the agent's command in an editor's settings):
  $ segue inspect --trace acp.jsonl -- segue acp
  $ segue inspect --trace eca.jsonl -- eca server`,
		)
		.action(async (command: [string, ...string[]], options: Omit<InspectOptions, "version">) => {
			process.exit(await inspect(command, { ...options, version }));
		});
}

// How long an agent may take to finish its output after its input ends.
const GRACE_MS = 5000;
// How long an agent may take to exit after SIGTERM.
const TERMINATE_MS = 2000;
// How long to wait for the last output of an exited agent whose child processes keep the pipe open.
const LAST_WORDS_MS = 500;

interface InspectOptions {
	/** The file that the trace is written to. */
	readonly trace?: string;
	readonly port: number;
	/** Whether to serve the page. */
	readonly page: boolean;
	readonly version: string;
}

/**
 * Starts an agent and relays messages between it and the editor that started this process. Returns the agent's exit
 * code.
 */
async function inspect(command: readonly [string, ...string[]], options: InspectOptions): Promise<number> {
	const { killGroup, spawnGroup } = await import("@segue/rpc/node");
	const { Recorder } = await import("../inspect/recorder.js");
	const log = (line: string) => writeMessage(process.stderr, line);
	// An editor may close standard error but keep using its agent.
	process.stderr.on("error", () => {});
	const [program, ...args] = command;
	const child = spawnGroup(program, args, { stdio: ["pipe", "pipe", "inherit"] }) as Agent;
	const ended = endOf(child);
	try {
		await once(child, "spawn");
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		log(code === "ENOENT" ? `${program} was not found. Install it or use its full path.` : message);
		return code === "ENOENT" ? 127 : 126;
	}
	const startedMs = performance.now();
	const now = () => performance.now() - startedMs;
	const failed = (why: string) => log(`Cannot write ${options.trace}: ${why}. Continuing without a trace.`);
	const recorder = new Recorder(options.trace, new Date(), command, now, failed);
	pass(process.stdin, child.stdin, (chunk) => recorder.take("client", chunk));
	pass(child.stdout, process.stdout, (chunk) => recorder.take("agent", chunk));
	endWithEditor(child, (signal) => killGroup(child, signal));
	const server = options.page ? show(recorder, options, log) : undefined;
	const { code, signal } = await ended;
	recorder.close();
	// Flush the output before this process exits.
	await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
	await (await server)?.close();
	if (signal !== null) log(`The agent was killed by ${signal}.`);
	// The exit code that shells report for a process ended by a signal.
	return code ?? 128 + (signal === null ? 0 : os.constants.signals[signal]);
}

type Agent = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };

/** Relays every byte, with backpressure. */
function pass(source: Readable, target: Writable, seen: (chunk: Uint8Array) => void): void {
	source.on("data", (chunk: Uint8Array) => {
		// Relay first, then record.
		if (target.writable && !target.write(chunk)) source.pause();
		seen(chunk);
	});
	target.on("drain", () => source.resume());
	// A closed target means that its process is exiting. Messages to it are still recorded.
	target.on("error", () => {});
	target.on("close", () => source.resume());
	// Treat a read error as the end of the stream.
	source.on("error", () => {});
}

/** Ends the agent when the editor disconnects or a signal arrives. */
function endWithEditor(child: Agent, kill: (signal: "SIGTERM" | "SIGKILL") => void): void {
	let hasEnded = false;
	child.once("exit", () => {
		hasEnded = true;
	});
	const end = () => {
		if (hasEnded) return;
		kill("SIGTERM");
		setTimeout(() => !hasEnded && kill("SIGKILL"), TERMINATE_MS).unref();
	};
	const leave = () => {
		child.stdin.end();
		setTimeout(end, GRACE_MS).unref();
	};
	// A file stream may emit only `end`, and a failed stream only `close`.
	process.stdin.once("end", leave);
	process.stdin.once("close", leave);
	// The editor has disconnected. Give the agent time to exit.
	process.stdout.on("error", end);
	let isEnding = false;
	for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
		process.on(name, () => {
			// A second signal kills the agent.
			if (isEnding && !hasEnded) kill("SIGKILL");
			else end();
			isEnding = true;
		});
	}
}

interface End {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
}

/** Resolves when the agent has exited and all its output has arrived. */
function endOf(child: Agent): Promise<End> {
	return new Promise((resolve) => {
		child.once("exit", (code, signal) => {
			const timer = setTimeout(() => {
				// A slow editor may not have read the agent's last output yet.
				if (child.stdout.isPaused()) timer.refresh();
				else resolve({ code, signal });
			}, LAST_WORDS_MS).unref();
			child.stdout.on("data", () => timer.refresh());
		});
		child.once("close", (code, signal) => resolve({ code, signal }));
	});
}

async function show(recorder: Recorder, { port, version }: InspectOptions, log: (line: string) => void) {
	const { randomBytes } = await import("node:crypto");
	const { StaticPage } = await import("@segue/server/http/static-page");
	const { WebServer } = await import("@segue/server/http/web-server");
	const token = randomBytes(24).toString("base64url");
	const host = "127.0.0.1";
	try {
		const server = await WebServer.start({
			...{ host, port, token, version, page: StaticPage.load(), folders: undefined, log },
			sockets: { "/trace": (socket) => recorder.watch(socket) },
		});
		log(`The messages are at http://${host}:${server.port}/#inspect&token=${token}`);
		return server;
	} catch (error) {
		// Keep relaying without the page.
		log(`Cannot serve the page: ${errorText(error)}. The messages are still relayed.`);
		return undefined;
	}
}
