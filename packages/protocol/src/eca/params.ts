import * as z from "zod/mini";
import { preprocess, record } from "../tolerance.js";

/**
 * Reads the params of a message from an editor. Depending on the editor, the same key is spelled `docText`, `doc-text`
 * or `doc_text`, and empty params are null or an empty array. Keys inside the members named in `own` are user data and
 * stay unchanged.
 */
export function fromEditor<Schema extends z.ZodMiniType>(schema: Schema, ...own: readonly string[]) {
	return preprocess((value) => camelKeys(isNothing(value) ? {} : value, own), schema);
}

function isNothing(value: unknown): boolean {
	return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

// Deeper than any message of the protocol. Keys below this depth stay unchanged.
const DEPTH_MAX = 16;

function camelKeys(value: unknown, own: readonly string[], depth = 0): unknown {
	if (typeof value !== "object" || value === null || depth > DEPTH_MAX) return value;
	if (Array.isArray(value)) return value.map((each) => camelKeys(each, own, depth + 1));
	const entries = Object.entries(value).map(([key, inner]) => {
		const name = key.replace(/(?<=[a-zA-Z0-9])[-_]+([a-zA-Z0-9])/g, (_all, letter: string) => letter.toUpperCase());
		return [name, own.includes(name) ? inner : camelKeys(inner, own, depth + 1)] as const;
	});
	return Object.fromEntries(entries);
}

/** 0-based or 1-based, depending on the message. Characters are counted in UTF-16 code units. */
export const position = record({ line: z.int().check(z.gte(0)), character: z.int().check(z.gte(0)) });
export type Position = z.output<typeof position>;

export const range = record({ start: position, end: position });
export type Range = z.output<typeof range>;

export const workspaceFolder = record({ uri: z.string(), name: z.catch(z.string(), "") });
export type WorkspaceFolder = z.output<typeof workspaceFolder>;

/** Created by either side. One editor uses numbers and expects to get numbers back. */
export const chatId = z.union([z.string(), z.number()]);
export type ChatId = z.output<typeof chatId>;
