import type { IncomingMessage } from "node:http";

/** A body that cannot be used. The message is a sentence for the client. */
export class BodyError extends Error {
	constructor(
		readonly status: 400 | 413,
		message: string,
	) {
		super(message);
	}
}

/**
 * Reads a body of UTF-8. One that is too large is read to its end and dropped, because a client that is cut off while it writes does
 * not see the answer. Rejects with a `BodyError`, or with the error of a connection that broke.
 */
export function readBody(request: IncomingMessage, bytesMax: number): Promise<string> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let size = 0;
		request.on("data", (chunk: Buffer) => {
			size += chunk.length;
			if (size <= bytesMax) chunks.push(chunk);
			else {
				chunks.length = 0;
				reject(new BodyError(413, `The body has more than ${bytesMax} bytes.`));
			}
		});
		request.on("end", () => {
			try {
				resolve(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks)));
			} catch {
				reject(new BodyError(400, "The body is not UTF-8."));
			}
		});
		request.on("error", reject);
	});
}
