import type { IncomingMessage, ServerResponse } from "node:http";

/** A request that cannot be answered. The message is a sentence for the client. */
export class RequestError extends Error {
	override readonly name = "RequestError";

	constructor(
		readonly status: 400 | 403 | 404 | 412 | 413 | 428,
		message: string,
	) {
		super(message);
	}
}

/**
 * Reads a body of UTF-8. One that is too large is read to its end and dropped, because a client that is cut off while it writes does
 * not see the answer. Rejects with a `RequestError`, or with the error of a connection that broke.
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
				reject(new RequestError(413, `The body has more than ${bytesMax} bytes.`));
			}
		});
		request.on("end", () => {
			try {
				resolve(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks)));
			} catch {
				reject(new RequestError(400, "The body is not UTF-8."));
			}
		});
		request.on("error", reject);
	});
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
	send(response, status, "application/json", JSON.stringify(value));
}

export function sendText(response: ServerResponse, status: number, text: string): void {
	send(response, status, "text/plain; charset=utf-8", text);
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
	response.statusCode = status;
	response.setHeader("content-type", type);
	response.setHeader("x-content-type-options", "nosniff");
	if (!response.hasHeader("cache-control")) response.setHeader("cache-control", "no-store");
	response.end(body);
}
