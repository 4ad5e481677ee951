/** An error whose message is shown to the user and says what to do next. It never contains a key. */
export class UserError extends Error {
	constructor(message: string) {
		super(message);
		this.name = "UserError";
	}
}

/** Describes a file system error in words. */
export function fileErrorText(error: unknown): string {
	const { code = "", message } = error as NodeJS.ErrnoException;
	// Node's messages have the form "EIO: i/o error, read" or "ENAMETOOLONG: name too long, open '/a'".
	const [, words = message] = new RegExp(`^${code}: (.*?), `).exec(message) ?? [];
	return FILE_ERRORS[code] ?? words.replace(/\.$/, "");
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
	EACCES: "permission denied",
	EPERM: "permission denied",
	ENOENT: "the folder does not exist",
	ENOTDIR: "part of its path is a file, not a folder",
	EISDIR: "it is a folder",
	ELOOP: "its symbolic links form a loop",
	ENOSPC: "the disk is full",
	EROFS: "the disk is read-only",
};
