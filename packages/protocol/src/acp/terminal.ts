import { request } from "@segue/rpc";
import * as z from "zod";
import { lenient, meta, nothing, record, withoutNul } from "../tolerance.js";

// Commands that an agent has the client run, where the client says that it can, so that the user sees them.

const sessionId = z.string();

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
