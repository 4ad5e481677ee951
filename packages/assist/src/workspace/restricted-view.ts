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
 * What somebody at the other end of a wire may see of a thread's workspace: no secrets, and of what is ignored only what a rule
 * or an earlier answer allows, since nobody is asked. It is for one request, because it sees what is ignored as it is now.
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

	/** Throws a `ToolError` for what may not be seen, or cannot be meant. */
	async resolve(written: string): Promise<ResolvedPath> {
		const resolved = await this.workspace.resolve(written);
		if (resolved.kind === "file") await this.refuseForeign(resolved);
		for (const permission of await this.workspace.permissionsToRead(resolved)) {
			const { answer } = await this.approvals.decide(VIEW_CALL, permission, { approve: refuse }, this.signal);
			if (answer !== "no") continue;
			const rule = JSON.stringify(ruleAllowing(permission));
			const problem = this.workspace.problem(resolved);
			throw new ToolError(
				`${resolved.name} is ignored, and left alone.${problem === undefined ? "" : ` ${problem}`} To have it read, add ${rule} to "approvals".`,
			);
		}
		return resolved;
	}

	open(resolved: ResolvedPath): Promise<FileHandle> {
		return this.workspace.open(resolved);
	}

	/**
	 * The paths of files that match a glob, from the top of the workspace and in order. Ignored ones and links are left out.
	 * Throws a `ToolError` for a glob that leads elsewhere or takes too long.
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
	 * What another user has put there may be meant to be read by us and told to somebody. Whose the folder is, theirs are the
	 * files: in a container, that is often neither us nor the superuser. Windows has no such numbers.
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
		throw new ToolError(`${name} belongs to another user, and is left alone.`);
	}

	private below(pattern: string): string {
		const { root } = this.workspace;
		const relative = path.isAbsolute(pattern) ? path.relative(root, pattern).replaceAll(path.sep, "/") : pattern;
		if (relative.split("/").includes("..")) {
			throw new ToolError(`${JSON.stringify(pattern)} leads outside of the workspace, which is ${root}.`);
		}
		const glob = relative.replace(/^(?:\.\/)+/, "");
		if (glob !== "" && glob !== ".") return glob;
		throw new ToolError(`${JSON.stringify(pattern)} is no pattern that a file could match. Such as **/*.ts is one.`);
	}
}

/** The number of the user that a file belongs to. */
type OwnerOf = (file: string) => Promise<number>;

const SUPERUSER = 0;

/** What nobody is asked about is no call of anybody's. */
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
	return Promise.reject(new Error("nobody can be asked"));
}
