import { request } from "@segue/rpc";
import * as z from "zod";
import { lenient, meta, nothing, record, withoutNul } from "../tolerance.js";
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
