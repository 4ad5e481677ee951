import { request } from "@segue/rpc";
import * as z from "zod";
import { uint32 } from "../acp/position.js";
import { record, withoutNul } from "../tolerance.js";
import { threadId } from "./thread.js";

// Files of a thread's workspace. Paths are absolute, or relative to it.

/** Past 2^53 a number is read as its nearest neighbour: no file is as long, and a version is only compared. */
const uint64 = z.number().min(0).multipleOf(1);

const path = withoutNul(z.string());
/** Grows when the content changes, and stays while it does not. */
const version = uint64;

/** Lines count from 0, each with its end. */
export const readTextFile = request({
	method: "readTextFile",
	from: "either",
	params: record({ threadId, path, lineOffset: uint32.nullish(), lineLimit: uint32.nullish() }),
	result: record({ version, content: z.string() }),
});

/** The content is in base64. */
export const readBinaryFile = request({
	method: "readBinaryFile",
	from: "either",
	params: record({ threadId, path, byteOffset: uint64.nullish(), byteLimit: uint64.nullish() }),
	result: record({ version, content: z.string() }),
});

export const stat = request({
	method: "stat",
	from: "either",
	params: record({ threadId, path }),
	result: record({ exists: z.boolean(), isDirectory: z.boolean() }),
});

export const globSearch = request({
	method: "globSearch",
	from: "either",
	params: record({ threadId, pattern: z.string() }),
	result: record({ matches: z.array(z.string()) }),
});
