import * as z from "zod";
import { ToolError } from "../failures.js";
import type { ResolvedPath } from "../workspace/resolved-path.js";
import type { ThreadWorkspace } from "../workspace/workspace.js";
import type { Tool, ToolAction, ToolContext } from "./tool.js";

// Larger folders are mostly generated. Models can use find_files to find files in them.
const ENTRIES_MAX = 1000;

const input = z.object({
	path: z.string().optional().describe("A folder, relative to the workspace root (default: the root)."),
});

type Input = z.infer<typeof input>;

export const listDirectoryTool: Tool<Input> = {
	name: "list_directory",
	description:
		"Lists the direct contents of a folder, one name per line; folders end with a slash. Skips ignored and secret files. " +
		"To find files in subfolders, use find_files.",
	kind: "read",
	input,
	prepare,
};

async function prepare({ path = "." }: Input, { workspace }: ToolContext): Promise<ToolAction> {
	const folder = await workspace.resolve(path);
	return {
		title: folder.name === "." ? "List the workspace" : `List ${folder.name}`,
		locations: [{ path: folder.path, line: undefined }],
		diffs: [],
		permissions: await workspace.permissionsToRead(folder),
		run: async () => ({ output: await print(folder, workspace), read: [], failed: false }),
	};
}

async function print(folder: ResolvedPath, workspace: ThreadWorkspace): Promise<string> {
	const withIgnored = await workspace.isIgnored(folder);
	const { entries, links, omitted } = await workspace.list(folder, withIgnored);
	const targets = await Promise.all(links.map((name) => follow(folder, name, withIgnored, workspace)));
	const linked = targets.filter((resolved) => resolved !== undefined);
	const skipped = omitted + targets.length - linked.length;
	const names = [...entries, ...linked].map(({ path, kind }) => lastName(path) + (kind === "folder" ? "/" : "")).sort();
	const problem = workspace.problemIn(folder);
	const notes = [
		names.length > ENTRIES_MAX ? `(${names.length - ENTRIES_MAX} more not listed. Use find_files with a pattern.)` : "",
		skipped > 0 ? `(${skipped} skipped: ignored, secret or unusable)` : "",
		problem !== undefined && !withIgnored ? `(${problem})` : "",
	];
	const lines = [...names.slice(0, ENTRIES_MAX), ...notes].filter((line) => line !== "");
	return lines.length === 0 ? `${folder.name} is empty.` : lines.join("\n");
}

/** Resolves with the target of a link; undefined if tools may not see it. */
async function follow(
	folder: ResolvedPath,
	name: string,
	withIgnored: boolean,
	workspace: ThreadWorkspace,
): Promise<ResolvedPath | undefined> {
	try {
		const resolved = await workspace.resolve(`${folder.path}/${name}`);
		return withIgnored || !(await workspace.isIgnored(resolved)) ? resolved : undefined;
	} catch (error) {
		if (error instanceof ToolError) return undefined;
		throw error;
	}
}

function lastName(path: string): string {
	return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
