import { StoreError } from "@segue/assist/failures";

/** Why something cannot be done: a sentence for a person, with the next step. It never holds a key. */
export class UserError extends Error {
	constructor(message: string) {
		super(message);
		this.name = "UserError";
	}
}

/** Does what a command is for. Where it is refused, the user is told why. Gives the exit code. */
export async function reportUserErrors(
	stderr: { write(text: string): unknown },
	act: () => void | Promise<void>,
): Promise<number> {
	try {
		await act();
		return 0;
	} catch (error) {
		if (!(error instanceof UserError || error instanceof StoreError)) throw error;
		stderr.write(`segue: ${error.message}\n`);
		return 1;
	}
}

/** What Node says of a file, in words. */
export function fileErrorText(error: unknown): string {
	const { code, message } = error as NodeJS.ErrnoException;
	return FILE_ERRORS[code ?? ""] ?? message;
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
	EACCES: "you may not",
	EPERM: "you may not",
	ENOENT: "there is no such folder",
	ENOTDIR: "a part of its path is a file and no folder",
	EISDIR: "it is a folder",
	ELOOP: "its links go in a circle",
	ENOSPC: "the disk is full",
	EROFS: "the disk cannot be written",
};
