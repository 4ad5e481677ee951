import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The contents of a repository's files by path, relative to its root and with forward slashes. Binary files are empty
 * strings.
 *
 * A rule is a function from a tree to findings: sentences with the file, the line and what to do. Tests can therefore check
 * a rule on a made-up tree.
 */
export type Tree = Readonly<Record<string, string>>;

/** The root of this repository. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** Installed and built files, which are skipped in a folder without git. */
const SKIPPED = /^(?:node_modules|dist|coverage|\.git)$|\.(?:tsbuildinfo|tgz)$/;

/** Reads all files that `git add --all` would include. Without git, reads everything that is not installed or built. */
export function readTree(folder: string): Tree {
	const paths = gitPaths(folder) ?? walk(folder, "");
	const tree: Record<string, string> = {};
	for (const file of paths.toSorted()) {
		const absolute = path.join(folder, file);
		// Git also lists deleted files whose deletion is not committed yet, and submodule folders.
		if (statSync(absolute, { throwIfNoEntry: false })?.isFile() !== true) continue;
		const text = readFileSync(absolute, "utf8");
		tree[file] = text.includes("\0") ? "" : text;
	}
	return tree;
}

/** Writes a tree to disk, for rules that run a tool on a folder. */
export function writeTree(folder: string, tree: Tree): void {
	for (const [file, text] of Object.entries(tree)) {
		const absolute = path.join(folder, file);
		mkdirSync(path.dirname(absolute), { recursive: true });
		writeFileSync(absolute, text);
	}
}

/** Returns the line that contains an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
	return text.slice(0, offset).split("\n").length;
}

function gitPaths(folder: string): string[] | undefined {
	// Without this check, git would use a repository in a parent folder.
	if (!existsSync(path.join(folder, ".git"))) return undefined;
	const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
	const { status, stdout } = spawnSync("git", args, { cwd: folder, encoding: "utf8", maxBuffer: 2 ** 26 });
	return status === 0 ? stdout.split("\0").filter((file) => file !== "") : undefined;
}

function walk(folder: string, below: string): string[] {
	return readdirSync(path.join(folder, below), { withFileTypes: true }).flatMap((entry) => {
		if (SKIPPED.test(entry.name)) return [];
		const file = path.posix.join(below, entry.name);
		return entry.isDirectory() ? walk(folder, file) : [file];
	});
}
