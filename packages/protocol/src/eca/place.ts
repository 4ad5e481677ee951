import * as z from "zod";
import { record } from "../tolerance.js";

/** Which of the two a position counts from is said where it stands. Characters are UTF-16 units. */
export const position = record({ line: z.int().min(0), character: z.int().min(0) });
export type Position = z.output<typeof position>;

export const range = record({ start: position, end: position });
export type Range = z.output<typeof range>;

export const workspaceFolder = record({ uri: z.string(), name: z.string().catch("") });
export type WorkspaceFolder = z.output<typeof workspaceFolder>;
