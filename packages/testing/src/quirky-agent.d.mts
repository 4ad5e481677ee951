import type { Readable, Writable } from "node:stream";

export function serveQuirky(args: readonly string[], input: Readable, output: Writable): Promise<void>;
