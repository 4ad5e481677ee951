import { once } from "node:events";
import { connect } from "node:net";
import { contentLength } from "@segue/rpc";
import { type LspServer, serveLsp } from "@segue/server/lsp/lsp-server";
import type { CommandProcess, ServingOptions } from "../command-line.js";
import { writeMessage } from "../terminal/message.js";
import { closeAgentParts, createNextEditParts } from "./agent-parts.js";
import { serveStandardStreams } from "./standard-streams.js";

export interface LspCommandOptions extends Omit<ServingOptions, "agent"> {
	readonly socket?: number;
	readonly clientName?: string;
}

/**
 * Serves the editor that started this process over LSP: on standard input and output, or on a port that the editor
 * opened.
 */
export async function runLsp(
	{ clientName, socket: port, ...options }: LspCommandOptions,
	version: string,
	process: CommandProcess,
): Promise<void> {
	const socket = port === undefined ? undefined : connect(port, "127.0.0.1");
	if (socket !== undefined) {
		try {
			await once(socket, "connect");
		} catch (error) {
			const isRefused = (error as NodeJS.ErrnoException).code === "ECONNREFUSED";
			const why = isRefused ? "no program listens on it" : (error as Error).message;
			writeMessage(
				process.stderr,
				`Cannot connect to port ${port}: ${why}. The editor must listen on it before it starts segue lsp.`,
			);
			process.exitCode = 1;
			return;
		}
	}
	if (socket === undefined && process.stdin.isTTY) {
		writeMessage(process.stderr, "Editors start this command. To set one up: segue setup editor. To stop: Ctrl-C.");
	}
	let server: LspServer | undefined;
	await serveStandardStreams(
		process,
		contentLength,
		(channel, { log, report }) => {
			const nextEdits = createNextEditParts(options, log, process);
			const { outliner, models, requestLog, folders } = nextEdits;
			server = serveLsp(channel, {
				version,
				name: clientName,
				report,
				outliner,
				models,
				observer: requestLog,
				folders,
			});
			return { connection: server.connection, end: () => closeAgentParts(nextEdits) };
		},
		socket && { input: socket, output: socket },
	);
	// In LSP, an exit without a preceding shutdown is a failure.
	process.exit(process.exitCode ?? (server?.wasShutDown === true ? 0 : 1));
}
