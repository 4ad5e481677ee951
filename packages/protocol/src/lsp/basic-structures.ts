import * as z from "zod/mini";
import { record } from "../tolerance.js";

// The largest `uinteger` in the protocol.
const UINTEGER_MAX = 2 ** 31 - 1;

const uinteger = z.int().check(z.gte(0), z.lte(UINTEGER_MAX));

/** The unit of a position's `character`. */
export const positionEncoding = z.enum(["utf-8", "utf-16", "utf-32"]);
export type PositionEncoding = z.output<typeof positionEncoding>;

export const position = record({ line: uinteger, character: uinteger });
export type Position = z.output<typeof position>;

/** `end` is exclusive. */
export const range = record({ start: position, end: position });
export type Range = z.output<typeof range>;

export const documentId = record({ uri: z.string() });

export const command = record({
	title: z.string(),
	command: z.string(),
	arguments: z.optional(z.array(z.unknown())),
});
export type Command = z.output<typeof command>;
