import { ToolError, Unreachable } from "../failures.js";

export function movedError(name: string): ToolError {
	return new ToolError(`${name} was moved or replaced after it was checked. Nothing was done; try again.`);
}

export function codeOf(error: unknown): string | undefined {
	return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** Converts a system error to a `ToolError` for the model. Returns other errors unchanged. */
export function fileError(error: unknown, name: string): unknown {
	const code = codeOf(error);
	if (error instanceof ToolError || code === undefined) return error;
	const Kind = code === "ELOOP" || code === "ENOTDIR" ? Unreachable : ToolError;
	return new Kind(`${name}: ${REASONS[code] ?? `the operation failed (${code})`}.`);
}

const REASONS: Readonly<Record<string, string>> = {
	EACCES: "permission denied",
	EDQUOT: "the disk quota is exceeded, and nothing was written",
	EEXIST: "another process created it first, and it was not overwritten",
	EISDIR: "it is a folder",
	ELOOP: "its links form a loop, or there are too many",
	EMFILE: "too many files are open; try again",
	ENAMETOOLONG: "the name is too long",
	ENFILE: "too many files are open; try again",
	ENOENT: "no such file or folder",
	ENOSPC: "the disk is full, and nothing was written",
	ENOTDIR: "a part of the path is a file, not a folder",
	EPERM: "permission denied",
	EROFS: "the disk is read-only",
};
