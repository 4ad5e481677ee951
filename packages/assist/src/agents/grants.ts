import { ToolError } from "../failures.js";
import type { Permission, ToolCall } from "../threads/thread.js";
import type { ResolvedPath } from "../workspace/resolved-path.js";
import type { ThreadWorkspace } from "../workspace/workspace.js";

/**
 * Permissions that an agent has requested and been granted. If the agent then performs the same action through Segue,
 * the user is not asked again.
 */
export class Grants {
	private grants: Grant[] = [];

	/** Grants file edits only for content that was shown to the user, not for paths that a call merely names. */
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

	/** Whether writing this content to the absolute path was approved. */
	hasEdit(path: string, after: string): boolean {
		return this.grants.some((grant) => grant.kind === "edit" && grant.path === path && grant.after === after);
	}

	/** Whether the command line, without a shell around it, was approved. */
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

/** Resolves a path. Returns undefined if tools may not access it; the agent can still ask the user about it by name. */
export async function tryResolve(path: string, workspace: ThreadWorkspace): Promise<ResolvedPath | undefined> {
	try {
		return await workspace.resolve(path);
	} catch (error) {
		if (error instanceof ToolError) return undefined;
		throw error;
	}
}
