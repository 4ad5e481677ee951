import { ToolError } from "../failures.js";
import type { Permission, ToolCall } from "../threads/thread.js";
import type { ResolvedPath } from "../workspace/resolved-path.js";
import type { ThreadWorkspace } from "../workspace/workspace.js";

/** What an agent was allowed when it asked, so that nobody is asked twice when we are to do that for it. */
export class Grants {
	private grants: Grant[] = [];

	/** Of files only what was shown as it will be: where a call merely says that it goes, nobody has seen what it does there. */
	async add(
		{ kind, diffs }: ToolCall,
		permissions: readonly Permission[],
		until: Grant["until"],
		workspace: ThreadWorkspace,
	): Promise<void> {
		for (const permission of permissions) {
			if (permission.kind === "command" && permission.isVague !== true)
				this.grants.push({ until, kind: "command", line: permission.subject });
		}
		if (kind !== "edit") return;
		for (const { path, after } of diffs) {
			const resolved = await tryResolve(path, workspace);
			if (resolved !== undefined) this.grants.push({ until, kind: "edit", path: resolved.path, after });
		}
	}

	/** By the absolute path, and the text that is to be in it. */
	hasEdit(path: string, after: string): boolean {
		return this.grants.some((grant) => grant.kind === "edit" && grant.path === path && grant.after === after);
	}

	/** By the line without the shell. */
	hasCommand(line: string): boolean {
		return this.grants.some((grant) => grant.kind === "command" && grant.line === line);
	}

	endTurn(): void {
		this.grants = this.grants.filter(({ until }) => until === "session");
	}
}

type Grant = { readonly until: "turn" | "session" } & (
	| { readonly kind: "edit"; readonly path: string; readonly after: string | undefined }
	| { readonly kind: "command"; readonly line: string }
);

/** Undefined for what we would not touch ourselves; the agent may, and asks for it by the name that it gives. */
export async function tryResolve(path: string, workspace: ThreadWorkspace): Promise<ResolvedPath | undefined> {
	try {
		return await workspace.resolve(path);
	} catch (error) {
		if (error instanceof ToolError) return undefined;
		throw error;
	}
}
