import { fstatSync } from "node:fs";
import { Refusal } from "@segue/agent/config/refusal";

// About what the windows of today's larger models hold; more would be cut there, and paid for before.
const PIPED_BYTES_MAX = 512 * 1024;

/** Whether something may have been piped in: a terminal and /dev/null hold nothing to be read. */
export function isPiped(stdin: { readonly isTTY?: boolean; readonly fd?: number }): boolean {
	if (stdin.isTTY) return false;
	if (stdin.fd === undefined) return true; // a stream in memory
	try {
		const stats = fstatSync(stdin.fd);
		return stats.isFIFO() || stats.isFile() || stats.isSocket();
	} catch {
		return false; // it was closed before we began
	}
}

/** The text that was piped in. Throws a `Refusal` for what no model can read. */
export async function readPiped(stdin: AsyncIterable<Uint8Array>): Promise<string> {
	const pieces: Uint8Array[] = [];
	let bytes = 0;
	for await (const piece of stdin) {
		bytes += piece.length;
		if (bytes > PIPED_BYTES_MAX) {
			const limit = `${PIPED_BYTES_MAX / 1024} KiB`;
			throw new Refusal(`What was piped in is larger than ${limit}. Pipe a part of it, as with: tail -c 100000 FILE`);
		}
		pieces.push(piece);
	}
	const binary = new Refusal("What was piped in is not text in UTF-8. Pipe text, or name the file in your question.");
	try {
		const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
		if (text.includes("\0")) throw binary;
		return text;
	} catch {
		throw binary;
	}
}
