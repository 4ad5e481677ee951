import * as z from "zod/mini";
import { meta, record } from "../tolerance.js";

// The largest unsigned 32-bit integer.
const UINT32_MAX = 2 ** 32 - 1;

export const uint32 = z.int().check(z.gte(0), z.lte(UINT32_MAX));

/** The unit of a position's `character`. `utf-16` is the default, and every peer supports it. */
export const positionEncoding = z.enum(["utf-8", "utf-16", "utf-32"]);
export type PositionEncoding = z.output<typeof positionEncoding>;

/** A position in a document. Both members are 0-based. */
export const position = record({ line: uint32, character: uint32, _meta: meta });
export type Position = z.output<typeof position>;

/** A range in a document; `end` is exclusive. */
export const range = record({ start: position, end: position, _meta: meta });
export type Range = z.output<typeof range>;
