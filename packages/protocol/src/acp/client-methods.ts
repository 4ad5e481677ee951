import { request } from "@segue/rpc";
import * as z from "zod";
import { lenient, meta, nothing, record, skipping, withoutNul } from "../tolerance.js";
import { uint32 } from "./position.js";

// What an agent may have the client do with files, where the client says that it can.

const sessionId = z.string();

/**
 * A file as the editor has it, saved or not. The path is absolute; `line` counts from 1. Some clients answer `[]`, `{}` or null
 * for a file that does not exist: then there is no content.
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
	result: z.preprocess(
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

// Commands that an agent has the client run, where the client says that it can, so that the user sees them.

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

/** What it has put out so far, without waiting. */
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

/** Ends the command and keeps the terminal, so that its output can still be had. */
export const killTerminal = request({ method: "terminal/kill", from: "agent", params: terminal, result: nothing });

export const releaseTerminal = request({
	method: "terminal/release",
	from: "agent",
	params: terminal,
	result: nothing,
});

// What an agent may ask an editor about its state, where the editor says that it serves it.

/** A file of the editor; the uri is an absolute `file:///` one. */
const document = record({ uri: z.string(), languageId: z.string(), _meta: meta });
export type WorkspaceDocument = z.output<typeof document>;

const documents = record({ documents: skipping(document), _meta: meta });

/** The files that are open, in the order of the editor's tabs. */
export const openDocuments = request({
	method: "workspace/open_documents",
	from: "agent",
	params: record({ sessionId: z.string(), _meta: meta }),
	result: documents,
});

/** The files that were used last, most recent first. */
export const recentDocuments = request({
	method: "workspace/recent_documents",
	from: "agent",
	params: record({ sessionId: z.string(), limit: uint32.nullish(), _meta: meta }),
	result: documents,
});

/** The file that has the focus, or null. Some peers answer with a bare null. */
export const activeDocument = request({
	method: "workspace/active_document",
	from: "agent",
	params: record({ sessionId: z.string(), _meta: meta }),
	result: z.preprocess((value) => value ?? { document: null }, record({ document: document.nullable(), _meta: meta })),
});
