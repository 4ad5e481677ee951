import type { IncomingMessage, ServerResponse } from "node:http";

/** An error response. The message is sent to the client. */
export class RequestError extends Error {
	override readonly name = "RequestError";

	constructor(
		readonly status: 400 | 403 | 404 | 409 | 412 | 413 | 428,
		message: string,
	) {
		super(message);
	}
}

/**
 * Reads a UTF-8 body. A body that is too large is read to its end and discarded, because a client that is disconnected
 * while sending does not see the response. Rejects with a `RequestError` or a connection error.
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
				reject(new RequestError(413, `The body is larger than ${bytesMax} bytes.`));
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
