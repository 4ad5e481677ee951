import * as z from "zod";
import { meta, record } from "../tolerance.js";

// The largest number that a 32-bit peer can hold.
const UINT32_MAX = 2 ** 32 - 1;

export const uint32 = z.int().min(0).max(UINT32_MAX);

/** What a position's `character` counts. `utf-16` is the default and known to all. */
export const positionEncoding = z.enum(["utf-8", "utf-16", "utf-32"]);
export type PositionEncoding = z.output<typeof positionEncoding>;

/** A place in a document, both members counting from 0. */
export const position = record({ line: uint32, character: uint32, _meta: meta });
export type Position = z.output<typeof position>;

/** A stretch of a document; `end` is not part of it. */
export const range = record({ start: position, end: position, _meta: meta });
export type Range = z.output<typeof range>;
