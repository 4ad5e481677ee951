import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import path from "node:path";
import { makeFolder } from "@segue/assist/make-folder";
import { sanitizeName } from "@segue/text";
import { shellArgument } from "./masking.js";
import { fileErrorText, UserError } from "./user-error.js";

/** A configuration is a page or two. What is larger is another file, and reading it would only make everything wait. */
const FILE_BYTES_MAX = 1_000_000;

/** The text of a small file in UTF-8, or undefined where there is none. */
export function readText(file: string): string | undefined {
	return readOpened(file, () => {});
}

/** The text of a file that nobody else may read, or undefined where there is none. */
export function readPrivateText(file: string): string | undefined {
	return readOpened(file, ({ mode, uid }) => {
		// Windows keeps who may read a file elsewhere, and gives every file the same mode.
		if (process.platform === "win32") return;
		if (uid !== process.getuid?.()) {
			throw new UserError(
				`${sanitizeName(file)} belongs to somebody else, so it is not read: delete it, or make it your own.`,
			);
		}
		if ((mode & 0o077) !== 0) {
			throw new UserError(
				`${sanitizeName(file)} can be read by others, so it is not used. Run: chmod 600 ${shellArgument(file)}`,
			);
		}
	});
}

function readOpened(file: string, check: (stats: fs.Stats) => void): string | undefined {
	let descriptor: number;
	try {
		// Without waiting, because opening a pipe lasts until somebody writes into it.
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
			throw new UserError(`${sanitizeName(file)} is a folder: move it, and write a file in its place.`);
		if (!stats.isFile()) throw new UserError(`${sanitizeName(file)} is no ordinary file: write one in its place.`);
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
			throw new UserError(`${sanitizeName(file)} is larger than ${FILE_BYTES_MAX} bytes: make it smaller.`);
		}
		if (read === 0) return bytes.subarray(0, length);
	}
}

function decode(bytes: Uint8Array, file: string): string {
	const [first, second] = bytes;
	if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
		throw new UserError(`${sanitizeName(file)} is written in UTF-16: save it as UTF-8.`);
	}
	try {
		// A mark at the beginning, which some editors put there, is taken off.
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		throw new UserError(`${sanitizeName(file)} is not written in UTF-8: save it as UTF-8.`);
	}
}

/**
 * Replaces the text of a file of the user, which stays where a link leads and keeps its permissions. There is always either the
 * old text or the whole new one. Refuses if the file no longer has the old text.
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
			throw new UserError(`${sanitizeName(file)} was changed meanwhile. Nothing was written: try again.`);
		fs.renameSync(draft, real);
	} catch (error) {
		fs.rmSync(draft, { force: true });
		if (error instanceof UserError) throw error;
		throw new UserError(`${sanitizeName(file)} cannot be written: ${fileErrorText(error)}. Nothing was changed.`);
	}
}

/**
 * Writes a file that only the user can read, in a folder that only the user can look into. There is always either the old
 * one or the whole new one.
 */
export function writePrivately(file: string, text: string): void {
	const folder = path.dirname(file);
	const draft = `${file}.${randomBytes(6).toString("hex")}.tmp`;
	try {
		makeFolder(folder);
		// A folder that was there before may be open to others, who could put a file of theirs in the place of this one.
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
		throw new UserError(
			`${sanitizeName(file)} cannot be written: ${fileErrorText(error)}. Correct that, and run this again.`,
		);
	}
}
