import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The files of a repository: from their path, with forward slashes and relative to its root, to their text. A binary
 * file has an empty text: that it exists is all that a rule may ask of it.
 *
 * Every rule is a function from a tree to findings, sentences that say file, line and what to do, so that a rule can be
 * tried on a tree that a test makes up.
 */
export type Tree = Readonly<Record<string, string>>;

/** The repository that this file is part of. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** What a checkout without git holds besides its sources. */
const SKIPPED = /^(?:node_modules|dist|coverage|\.git)$|\.(?:tsbuildinfo|tgz)$/;

/** Reads what is committed or would be by `git add --all`; without git, everything that is not installed or built. */
export function readTree(folder: string): Tree {
	const paths = gitPaths(folder) ?? walk(folder, "");
	const tree: Record<string, string> = {};
	for (const file of paths.toSorted()) {
		const absolute = path.join(folder, file);
		// Git also lists what is deleted but not yet committed, and the folders of submodules.
		if (statSync(absolute, { throwIfNoEntry: false })?.isFile() !== true) continue;
		const text = readFileSync(absolute, "utf8");
		tree[file] = text.includes("\0") ? "" : text;
	}
	return tree;
}

/** Writes a tree to disk, for the rules that ask a tool which only looks there. */
export function writeTree(folder: string, tree: Tree): void {
	for (const [file, text] of Object.entries(tree)) {
		const absolute = path.join(folder, file);
		mkdirSync(path.dirname(absolute), { recursive: true });
		writeFileSync(absolute, text);
	}
}

/** The line, counted from 1, that holds an offset. */
export function lineAt(text: string, offset: number): number {
	return text.slice(0, offset).split("\n").length;
}

function gitPaths(folder: string): string[] | undefined {
	// Git would answer for a repository further up, which need not know this folder.
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
