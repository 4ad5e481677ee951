import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import os from "node:os";
import type { Readable, Writable } from "node:stream";
import { killGroup, spawnGroup } from "@segue/rpc/node";
import { Page } from "@segue/server/http/page";
import { WebServer } from "@segue/server/http/server";
import { Recorder } from "./recorder.js";

// An agent whose input has ended may still have something to write.
const GRACE_MS = 5000;
// One that is told to end may, too.
const TERMINATE_MS = 2000;
// One that has ended has written its last, unless what it started keeps its output open.
const LAST_WORDS_MS = 500;

export interface InspectOptions {
	/** Where the trace is written. */
	readonly trace?: string;
	readonly port: number;
	/** Whether the page is served. */
	readonly page: boolean;
	readonly version: string;
}

/** Stands between an editor, which started this process, and an agent, which it starts. Gives the agent's exit code. */
export async function inspect(command: readonly [string, ...string[]], options: InspectOptions): Promise<number> {
	const tell = (line: string) => process.stderr.write(`segue inspect: ${line}\n`);
	// An editor may close standard error and still want its agent.
	process.stderr.on("error", () => {});
	const [program, ...args] = command;
	const child = spawnGroup(program, args, { stdio: ["pipe", "pipe", "inherit"] }) as Agent;
	const ended = endOf(child);
	try {
		await once(child, "spawn");
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		tell(code === "ENOENT" ? `${program} was not found: install it or give its full path` : message);
		return code === "ENOENT" ? 127 : 126;
	}
	const startedMs = performance.now();
	const now = () => performance.now() - startedMs;
	const failed = (why: string) => tell(`the trace cannot be written: ${why}`);
	const recorder = new Recorder(options.trace, new Date(), command, now, failed);
	pass(process.stdin, child.stdin, (chunk) => recorder.take("client", chunk));
	pass(child.stdout, process.stdout, (chunk) => recorder.take("agent", chunk));
	endWithEditor(child);
	const server = options.page ? show(recorder, options, tell) : undefined;
	const { code, signal } = await ended;
	recorder.close();
	// All of it is handed on before this process ends.
	await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
	await (await server)?.close();
	if (signal !== null) tell(`the agent was ended by ${signal}`);
	// What a shell says of a program that a signal ended.
	return code ?? 128 + (signal === null ? 0 : os.constants.signals[signal]);
}

type Agent = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };

/** Hands on every byte, and waits with reading while they are not taken. */
function pass(source: Readable, target: Writable, seen: (chunk: Uint8Array) => void): void {
	source.on("data", (chunk: Uint8Array) => {
		// First to whom it is meant for.
		if (target.writable && !target.write(chunk)) source.pause();
		seen(chunk);
	});
	target.on("drain", () => source.resume());
	// Who does not listen any more is about to be gone; what is said to it is still written down.
	target.on("error", () => {});
	target.on("close", () => source.resume());
	// What cannot be read any more has ended.
	source.on("error", () => {});
}

/** The agent goes when its editor does, and when this process is told to. */
function endWithEditor(child: Agent): void {
	let hasEnded = false;
	child.once("exit", () => {
		hasEnded = true;
	});
	const end = () => {
		if (hasEnded) return;
		killGroup(child, "SIGTERM");
		setTimeout(() => !hasEnded && killGroup(child, "SIGKILL"), TERMINATE_MS).unref();
	};
	const leave = () => {
		child.stdin.end();
		setTimeout(end, GRACE_MS).unref();
	};
	// A file has an end and is not closed; what fails is closed and has no end.
	process.stdin.once("end", leave);
	process.stdin.once("close", leave);
	// Who reads no more has gone, and the agent is given the time to end.
	process.stdout.on("error", end);
	let isEnding = false;
	for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
		process.on(name, () => {
			// A second one does not wait.
			if (isEnding && !hasEnded) killGroup(child, "SIGKILL");
			else end();
			isEnding = true;
		});
	}
}

interface End {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
}

/** Settles when the agent has ended and all that it wrote has come. */
function endOf(child: Agent): Promise<End> {
	return new Promise((resolve) => {
		child.once("exit", (code, signal) => {
			const timer = setTimeout(() => {
				// Its last words may have to wait for an editor that is slow to read.
				if (child.stdout.isPaused()) timer.refresh();
				else resolve({ code, signal });
			}, LAST_WORDS_MS).unref();
			child.stdout.on("data", () => timer.refresh());
		});
		child.once("close", (code, signal) => resolve({ code, signal }));
	});
}

async function show(recorder: Recorder, { port, version }: InspectOptions, tell: (line: string) => void) {
	const token = randomBytes(24).toString("base64url");
	const host = "127.0.0.1";
	try {
		const server = await WebServer.start({
			...{ host, port, token, version, page: Page.load(), folders: undefined, tell },
			sockets: { "/trace": (socket) => recorder.watch(socket) },
		});
		tell(`watch at http://${host}:${server.port}/#inspect&token=${token}`);
		return server;
	} catch (error) {
		// What goes by is more important than that somebody looks at it.
		tell(`there is no page: ${error instanceof Error ? error.message : error}`);
		return undefined;
	}
}
