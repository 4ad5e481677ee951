import { fileErrorText, UserError } from "@segue/agent/config/user-error";
import { StoreError } from "@segue/assist/failures";
import { sanitizeName } from "@segue/text/sanitize";
import { columnsOf, hang, type Output } from "./width.js";

/** The start of each message about a problem, so that users can tell it from an answer and from other programs. */
export const MESSAGE_MARK = "segue: ";

/**
 * Writes a message for the user to standard error: `segue: `, then sentences that say what happened and what to do. A
 * terminal gets it wrapped at words, with the other lines indented. Each line of the text is a message of its own.
 */
export function writeMessage(stderr: Output, text: string): void {
	const columns = columnsOf(stderr);
	const lines = text.split("\n").flatMap((message) => hang(MESSAGE_MARK, message, columns));
	stderr.write(`${lines.join("\n")}\n`);
}

/** Runs a command and writes any `UserError` or `StoreError` as a message. Returns the exit code. */
export async function reportUserErrors(stderr: Output, act: () => void | Promise<void>): Promise<number> {
	try {
		await act();
		return 0;
	} catch (error) {
		if (!(error instanceof UserError || error instanceof StoreError)) throw error;
		writeMessage(stderr, error.message);
		return 1;
	}
}

/** Explains why a file that the user named cannot be read, without Node's error codes. */
export function cannotRead(file: string, error: unknown): string {
	const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
	return `Cannot read ${sanitizeName(file)}: ${isMissing ? "no such file" : fileErrorText(error)}.`;
}
