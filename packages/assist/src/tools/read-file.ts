import type { FileHandle } from "node:fs/promises";
import { maskKeys } from "@segue/text";
import * as z from "zod";
import { ToolError } from "../failures.js";
import type { ResolvedPath } from "../workspace/resolved-path.js";
import { ALL_LINES, decodeText, TooLarge } from "../workspace/workspace.js";
import { excerptOf, type FileExcerpt, LINES_MAX } from "./excerpt.js";
import type { Tool, ToolAction, ToolContext } from "./tool.js";

// Large enough to make the system call cheap, but small compared to the memory of a process.
const CHUNK_BYTES = 256 * 1024;

const input = z.object({
	path: z.string().describe("Relative to the workspace root, for example src/app.ts."),
	first_line: z.int().min(1).optional().describe("The first line to read, 1-based (default 1)."),
	line_count: z.int().min(1).optional().describe(`Maximum lines to read (default and limit ${LINES_MAX}).`),
});

type Input = z.infer<typeof input>;

export const readFileTool: Tool<Input> = {
	name: "read_file",
	description:
		"Reads a text file or a range of its lines. Each line is prefixed with its number and a tab, which are not part of the file. " +
		"Includes unsaved changes in the user's editor. You must read a file before you edit or overwrite it. " +
		"Keys and passwords are replaced with REDACTED_SECRET_ and cannot be edited.",
	kind: "read",
	input,
	prepare,
};

async function prepare({ path, first_line, line_count }: Input, context: ToolContext): Promise<ToolAction> {
	const resolved = await context.workspace.resolve(path);
	const first = first_line ?? 1;
	const count = Math.min(line_count ?? LINES_MAX, LINES_MAX);
	const isPart = first_line !== undefined || line_count !== undefined;
	return {
		title: isPart ? `Read ${resolved.name}, lines ${first}–${first + count - 1}` : `Read ${resolved.name}`,
		locations: [{ path: resolved.path, line: first_line }],
		diffs: [],
		permissions: await context.workspace.permissionsToRead(resolved),
		run: async (signal) => {
			const excerpt = await read(resolved, first, count, context, signal);
			return {
				output: print(resolved.name, excerpt, first),
				read: [{ path: resolved.path, content: excerpt.lines.join("\n") }],
				failed: false,
			};
		},
	};
}

async function read(
	resolved: ResolvedPath,
	first: number,
	count: number,
	context: ToolContext,
	signal: AbortSignal,
): Promise<FileExcerpt> {
	const { workspace, client } = context;
	try {
		const excerpt = await excerptOf([await workspace.read(resolved, client.buffers, signal)], first, count);
		const last = excerpt.hasMore ? excerpt.seen : ALL_LINES;
		if (!excerpt.hasCutLine) workspace.markSeen(resolved, first, last);
		return excerpt;
	} catch (error) {
		if (!(error instanceof TooLarge)) throw error;
	}
	const handle = await workspace.open(resolved);
	try {
		const excerpt = await excerptOf(textOf(handle, resolved.name, signal), first, count);
		return { ...excerpt, lines: maskKeys(excerpt.lines.join("\n")).split("\n") };
	} finally {
		await handle.close();
	}
}

async function* textOf(handle: FileHandle, name: string, signal: AbortSignal): AsyncIterable<string> {
	const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
	const buffer = Buffer.alloc(CHUNK_BYTES);
	for (;;) {
		signal.throwIfAborted();
		const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES);
		yield decodeText(buffer.subarray(0, bytesRead), name, decoder, bytesRead > 0);
		if (bytesRead === 0) return;
	}
}

function print(name: string, { lines, seen, hasMore }: FileExcerpt, first: number): string {
	if (seen === 0) return `${name} is empty.`;
	if (lines.length === 0) throw new ToolError(`${name} has only ${seen} ${seen === 1 ? "line" : "lines"}.`);
	const numbered = lines.map((line, i) => `${first + i}\t${line}`).join("\n");
	return hasMore ? `${numbered}\n\n(More lines follow. Continue with first_line ${seen + 1}.)` : numbered;
}
