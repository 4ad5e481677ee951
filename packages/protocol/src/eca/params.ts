import * as z from "zod";
import { record } from "../tolerance.js";

/**
 * Reads the params of a message from an editor. Editors write the same key as `docText`, `doc-text` or `doc_text`, and nothing
 * at all as null or as an empty array. What stands under one of the names in `own` is somebody's data, whose keys are left alone.
 */
export function fromEditor<Schema extends z.ZodType>(schema: Schema, ...own: readonly string[]) {
	return z.preprocess((value) => camelKeys(isNothing(value) ? {} : value, own), schema);
}

function isNothing(value: unknown): boolean {
	return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

// Deeper than any message of the protocol; what is deeper is left as it is.
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

/** Which of the two a position counts from is said where it stands. Characters are UTF-16 units. */
export const position = record({ line: z.int().min(0), character: z.int().min(0) });
export type Position = z.output<typeof position>;

export const range = record({ start: position, end: position });
export type Range = z.output<typeof range>;

export const workspaceFolder = record({ uri: z.string(), name: z.string().catch("") });
export type WorkspaceFolder = z.output<typeof workspaceFolder>;

/** Minted by either end. One editor has numbers, and gets them back as numbers. */
export const chatId = z.union([z.string(), z.number()]);
export type ChatId = z.output<typeof chatId>;
