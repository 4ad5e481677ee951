import * as z from "zod";
import { ToolError } from "../failures.js";
import type { ResolvedPath } from "../workspace/resolved-path.js";
import type { ThreadWorkspace } from "../workspace/workspace.js";
import type { Tool, ToolAction, ToolContext } from "./tool.js";

// Nobody keeps more by hand in one folder, and finding goes by a pattern.
const ENTRIES_MAX = 1000;

const input = z.object({
	path: z.string().optional().describe("From the top of the workspace, which it is if absent."),
});

type Input = z.infer<typeof input>;

export const listDirectoryTool: Tool<Input> = {
	name: "list_directory",
	description:
		"Lists what is directly in a folder, a line for each: folders end with a slash. Ignored and secret files are left out. " +
		"To look for files in all folders below, use find_files.",
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
	const { entries, links, omitted: left } = await workspace.list(folder, withIgnored);
	const led = await Promise.all(links.map((name) => follow(folder, name, withIgnored, workspace)));
	const linked = led.filter((resolved) => resolved !== undefined);
	const names = [...entries, ...linked].map(({ path, kind }) => lastName(path) + (kind === "folder" ? "/" : "")).sort();
	const problem = workspace.problemIn(folder);
	const notes = [
		names.length > ENTRIES_MAX
			? `(${names.length - ENTRIES_MAX} more are not listed. Use find_files with a pattern.)`
			: "",
		left + led.length > linked.length
			? `(${left + led.length - linked.length} are left out: ignored, secret or unusable.)`
			: "",
		problem !== undefined && !withIgnored ? `(${problem})` : "",
	];
	const lines = [...names.slice(0, ENTRIES_MAX), ...notes].filter((line) => line !== "");
	return lines.length === 0 ? `${folder.name} is empty.` : lines.join("\n");
}

/** What a link leads to, where a tool may know it. */
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
