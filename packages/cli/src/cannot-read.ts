import { fileErrorText } from "@segue/agent/config/user-error";
import { sanitizeName } from "@segue/text/sanitize";

/** Explains why a file that the user named cannot be read, without Node's error codes. */
export function cannotRead(file: string, error: unknown): string {
	const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
	return `Cannot read ${sanitizeName(file)}: ${isMissing ? "no such file" : fileErrorText(error)}.`;
}
