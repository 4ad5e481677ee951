import { ToolError, Unreachable } from "../failures.js";

export function movedError(name: string): ToolError {
	return new ToolError(`${name} leads elsewhere since it was looked up. Nothing was done; try again.`);
}

export function codeOf(error: unknown): string | undefined {
	return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** What a system says, for the model. What is no system's error is left as it is. */
export function fileError(error: unknown, name: string): unknown {
	const code = codeOf(error);
	if (error instanceof ToolError || code === undefined) return error;
	const Kind = code === "ELOOP" || code === "ENOTDIR" ? Unreachable : ToolError;
	return new Kind(`${name}: ${REASONS[code] ?? `the system refuses it (${code})`}.`);
}

const REASONS: Readonly<Record<string, string>> = {
	EACCES: "the system allows no access to it",
	EDQUOT: "there is no room left for this user on the disk, and nothing was written",
	EEXIST: "somebody else has made it in the meantime, and it was left as it is",
	EISDIR: "it is a folder",
	ELOOP: "its links lead in a circle, or are too many",
	EMFILE: "too many files are open; try again",
	ENAMETOOLONG: "its name is too long",
	ENFILE: "too many files are open; try again",
	ENOENT: "there is no such file or folder",
	ENOSPC: "the disk is full, and nothing was written",
	ENOTDIR: "a part of its path is a file and no folder",
	EPERM: "the system allows no access to it",
	EROFS: "the disk is read-only",
};
