import { type FileHandle, stat } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../failures.js";
import { type Approvals, ruleAllowing } from "../threads/approvals.js";
import type { ToolCall } from "../threads/thread.js";
import { fileError } from "./file-error.js";
import { TimeLimit } from "./line-matcher.js";
import type { ResolvedPath } from "./resolved-path.js";
import { filesMatching, globOf, SEARCH_TIME_LIMIT_MS } from "./walk.js";
import type { ThreadWorkspace } from "./workspace.js";

/**
 * The part of a thread's workspace that a remote client may see: no secrets, and only those ignored files that a rule
 * or an earlier answer allows, because the user is not asked. Create one for each request, so that ignore files are
 * read again.
 */
export class RestrictedView {
	constructor(
		private readonly workspace: ThreadWorkspace,
		private readonly approvals: Approvals,
		private readonly signal: AbortSignal,
		private readonly ownerOf: OwnerOf = async (file) => (await stat(file)).uid,
	) {
		workspace.refreshIgnored();
	}

	/** Throws a `ToolError` if the path is invalid or hidden from the client. */
	async resolve(written: string): Promise<ResolvedPath> {
		const resolved = await this.workspace.resolve(written);
		if (resolved.kind === "file") await this.refuseForeign(resolved);
		for (const permission of await this.workspace.permissionsToRead(resolved)) {
			const { answer } = await this.approvals.decide(VIEW_CALL, permission, { approve: refuse }, this.signal);
			if (answer !== "no") continue;
			const rule = JSON.stringify(ruleAllowing(permission));
			const problem = this.workspace.problem(resolved);
			throw new ToolError(
				`${resolved.name} is ignored.${problem === undefined ? "" : ` ${problem}`} To allow reading it, add ${rule} to "approvals".`,
			);
		}
		return resolved;
	}

	open(resolved: ResolvedPath): Promise<FileHandle> {
		return this.workspace.open(resolved);
	}

	/**
	 * Resolves with the paths of files that match a glob, relative to the workspace root and sorted. Skips ignored
	 * files and links. Throws a `ToolError` if the glob leaves the workspace or takes too long.
	 */
	async find(pattern: string): Promise<readonly string[]> {
		const glob = globOf(`./${this.below(pattern)}`);
		const limit = new TimeLimit(SEARCH_TIME_LIMIT_MS, this.signal);
		try {
			const root = await this.workspace.resolve(".");
			const names: string[] = [];
			for await (const { name } of filesMatching(root, glob, this.workspace, limit, this.signal)) names.push(name);
			if (limit.isStopped) throw new ToolError(limit.notice);
			return names;
		} finally {
			limit.stop();
		}
	}

	/**
	 * Throws for a file that belongs to another user, who could have placed it in the workspace to have its content
	 * sent to a client. Files that belong to the workspace's owner are allowed. In a container, that owner is often
	 * neither this user nor root. Windows has no user ids.
	 */
	private async refuseForeign({ real, name }: ResolvedPath): Promise<void> {
		const us = process.getuid?.();
		if (us === undefined) return;
		try {
			const owner = await this.ownerOf(real);
			if (owner === us || owner === SUPERUSER || owner === (await this.ownerOf(this.workspace.root))) return;
		} catch (error) {
			throw fileError(error, name);
		}
		throw new ToolError(`${name} belongs to another user, so it is not read.`);
	}

	private below(pattern: string): string {
		const { root } = this.workspace;
		const relative = path.isAbsolute(pattern) ? path.relative(root, pattern).replaceAll(path.sep, "/") : pattern;
		if (relative.split("/").includes("..")) {
			throw new ToolError(`${JSON.stringify(pattern)} is outside the workspace ${root}.`);
		}
		const glob = relative.replace(/^(?:\.\/)+/, "");
		if (glob !== "" && glob !== ".") return glob;
		throw new ToolError(`${JSON.stringify(pattern)} cannot match a file. Example: **/*.ts`);
	}
}

/** Resolves with the user id of a file's owner. */
type OwnerOf = (file: string) => Promise<number>;

const SUPERUSER = 0;

/** A placeholder: `Approvals` needs a call to decide on, but the user never sees this one. */
const VIEW_CALL: ToolCall = {
	id: "view",
	tool: "view",
	kind: "read",
	title: "Read",
	status: "pending",
	input: "",
	output: "",
	diffs: [],
	locations: [],
};

function refuse(): Promise<never> {
	return Promise.reject(new Error("there is no user to ask"));
}
