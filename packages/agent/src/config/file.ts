import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import path from "node:path";
import { makeFolder } from "@segue/assist/make-folder";
import { sanitizeName } from "@segue/text";
import { shellArgument } from "./masking.js";
import { fileErrorText, UserError } from "./user-error.js";

/** A configuration file is a page or two long. A larger file is probably something else. */
const FILE_BYTES_MAX = 1_000_000;

/** Reads a small UTF-8 file. Returns undefined if it does not exist. */
export function readText(file: string): string | undefined {
	return readOpened(file, () => {});
}

/** Like `readText`, but throws if other users can read the file. */
export function readPrivateText(file: string): string | undefined {
	return readOpened(file, ({ mode, uid }) => {
		// On Windows every file has the same mode, because permissions are stored in access control lists.
		if (process.platform === "win32") return;
		if (uid !== process.getuid?.()) {
			throw new UserError(
				`${sanitizeName(file)} belongs to another user, so it is not read. Delete it, or change its owner.`,
			);
		}
		if ((mode & 0o077) !== 0) {
			throw new UserError(
				`${sanitizeName(file)} can be read by other users, so it is not used. Run: chmod 600 ${shellArgument(file)}`,
			);
		}
	});
}

function readOpened(file: string, check: (stats: fs.Stats) => void): string | undefined {
	let descriptor: number;
	try {
		// Non-blocking, because opening a pipe would otherwise wait for a writer.
		descriptor = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
		throw new UserError(
			`${sanitizeName(file)} cannot be read: ${fileErrorText(error)}. Make it readable, or delete it.`,
		);
	}
	try {
		const stats = fs.fstatSync(descriptor);
		if (stats.isDirectory())
			throw new UserError(`${sanitizeName(file)} is a folder. Move it, and create a file with that name.`);
		if (!stats.isFile()) throw new UserError(`${sanitizeName(file)} is not a regular file. Replace it with one.`);
		check(stats);
		return decode(readBytes(descriptor, file), file);
	} finally {
		fs.closeSync(descriptor);
	}
}

function readBytes(descriptor: number, file: string): Uint8Array {
	const bytes = Buffer.alloc(FILE_BYTES_MAX + 1);
	let length = 0;
	for (;;) {
		const read = fs.readSync(descriptor, bytes, length, bytes.length - length, null);
		length += read;
		if (length > FILE_BYTES_MAX) {
			throw new UserError(`${sanitizeName(file)} is larger than ${FILE_BYTES_MAX} bytes. Make it smaller.`);
		}
		if (read === 0) return bytes.subarray(0, length);
	}
}

function decode(bytes: Uint8Array, file: string): string {
	const [first, second] = bytes;
	if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
		throw new UserError(`${sanitizeName(file)} is encoded in UTF-16. Save it as UTF-8.`);
	}
	try {
		// Drops the byte order mark that some editors write.
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		throw new UserError(`${sanitizeName(file)} is not valid UTF-8. Save it as UTF-8.`);
	}
}

/**
 * Atomically replaces the content of a user's file. Follows symbolic links and keeps the permissions. Throws a
 * `UserError` if the file no longer contains `before`.
 */
export function replaceText(file: string, before: string | undefined, after: string): void {
	const real = before === undefined ? file : fs.realpathSync(file);
	const mode = before === undefined ? 0o600 : fs.statSync(real).mode & 0o777;
	const draft = `${real}.${randomBytes(6).toString("hex")}.tmp`;
	try {
		makeFolder(path.dirname(real));
		const descriptor = fs.openSync(draft, "wx", mode);
		try {
			fs.writeFileSync(descriptor, after);
			fs.fsyncSync(descriptor);
		} finally {
			fs.closeSync(descriptor);
		}
		if (readText(file) !== before)
			throw new UserError(`${sanitizeName(file)} was changed by another program. Nothing was written. Try again.`);
		fs.renameSync(draft, real);
	} catch (error) {
		fs.rmSync(draft, { force: true });
		if (error instanceof UserError) throw error;
		throw new UserError(`${sanitizeName(file)} cannot be written: ${fileErrorText(error)}. Nothing was changed.`);
	}
}

/**
 * Atomically writes a file that only the user can read, in a folder that only the user can open.
 */
export function writePrivately(file: string, text: string): void {
	const folder = path.dirname(file);
	const draft = `${file}.${randomBytes(6).toString("hex")}.tmp`;
	try {
		makeFolder(folder);
		// In a shared folder, other users could replace the file.
		if ((fs.statSync(folder).mode & 0o777) !== 0o700) fs.chmodSync(folder, 0o700);
		const descriptor = fs.openSync(draft, "wx", 0o600);
		try {
			fs.writeFileSync(descriptor, text);
			fs.fsyncSync(descriptor);
		} finally {
			fs.closeSync(descriptor);
		}
		fs.renameSync(draft, file);
	} catch (error) {
		fs.rmSync(draft, { force: true });
		throw new UserError(`${sanitizeName(file)} cannot be written: ${fileErrorText(error)}. Fix this and try again.`);
	}
}
