import { request } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, meta, nothing, preprocess, record, skipping, withoutNul } from "../tolerance.js";
import { uint32 } from "./position.js";

// File access through the client, if its capabilities include it.

const sessionId = z.string();

/**
 * Reads a file, including the editor's unsaved changes. The path is absolute; `line` is 1-based. If the file is
 * missing, some clients respond with `[]`, `{}` or null, so `content` is optional.
 */
export const readTextFile = request({
	method: "fs/read_text_file",
	from: "agent",
	params: record({
		sessionId,
		path: withoutNul(z.string()),
		line: lenient(uint32),
		limit: lenient(uint32),
		_meta: meta,
	}),
	result: preprocess(
		(value) => (Array.isArray(value) ? {} : (value ?? {})),
		record({ content: lenient(z.string()), _meta: meta }),
	),
});

export const writeTextFile = request({
	method: "fs/write_text_file",
	from: "agent",
	params: record({ sessionId, path: withoutNul(z.string()), content: z.string(), _meta: meta }),
	result: nothing,
});

// Commands run by the client in visible terminals, if its capabilities include them.

export const createTerminal = request({
	method: "terminal/create",
	from: "agent",
	params: record({
		sessionId,
		command: z.string(),
		args: lenient(z.array(z.string())),
		env: lenient(z.array(record({ name: z.string(), value: z.string(), _meta: meta }))),
		cwd: withoutNul(lenient(z.string())),
		outputByteLimit: lenient(z.number()),
		_meta: meta,
	}),
	result: record({ terminalId: z.string(), _meta: meta }),
});

const terminal = record({ sessionId, terminalId: z.string(), _meta: meta });
const exit = { exitCode: lenient(z.number()), signal: lenient(z.string()), _meta: meta };

/** Returns the output so far, without waiting for the command to exit. */
export const terminalOutput = request({
	method: "terminal/output",
	from: "agent",
	params: terminal,
	result: record({ output: z.string(), truncated: z.boolean(), exitStatus: lenient(record(exit)), _meta: meta }),
});

export const waitForTerminalExit = request({
	method: "terminal/wait_for_exit",
	from: "agent",
	params: terminal,
	result: record(exit),
});

/** Kills the command but keeps the terminal, so its output can still be read. */
export const killTerminal = request({ method: "terminal/kill", from: "agent", params: terminal, result: nothing });

export const releaseTerminal = request({
	method: "terminal/release",
	from: "agent",
	params: terminal,
	result: nothing,
});

// Editor state, if the client's capabilities include it.

/** A file open in the editor. The URI is an absolute `file:///` URI. */
const document = record({ uri: z.string(), languageId: z.string(), _meta: meta });
export type WorkspaceDocument = z.output<typeof document>;

const documents = record({ documents: skipping(document), _meta: meta });

/** Returns the open files in tab order. */
export const openDocuments = request({
	method: "workspace/open_documents",
	from: "agent",
	params: record({ sessionId: z.string(), _meta: meta }),
	result: documents,
});

/** Returns recently used files, most recent first. */
export const recentDocuments = request({
	method: "workspace/recent_documents",
	from: "agent",
	params: record({ sessionId: z.string(), limit: z.nullish(uint32), _meta: meta }),
	result: documents,
});

/** Returns the focused file, or null if there is none. Some peers respond with a bare null. */
export const activeDocument = request({
	method: "workspace/active_document",
	from: "agent",
	params: record({ sessionId: z.string(), _meta: meta }),
	result: preprocess((value) => value ?? { document: null }, record({ document: z.nullable(document), _meta: meta })),
});
