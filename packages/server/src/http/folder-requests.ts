import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod";
import { RequestError, readBody, sendJson, sendText } from "./exchange.js";
import type { Folders } from "./folders.js";

// Large enough for any of the user's files, or for all files in a sample.
const BODY_BYTES_MAX = 8 * 2 ** 20;

/** Handles requests for the files in opened folders. */
export async function answerFolderRequest(
	folders: Folders,
	request: IncomingMessage,
	response: ServerResponse,
	pathname: string,
	query: URLSearchParams,
): Promise<void> {
	const root = query.get("folder") ?? "";
	const file = query.get("path") ?? "";
	switch (`${request.method} ${pathname}`) {
		case "GET /folder":
			sendJson(response, { path: folders.startFolder ?? null });
			return;
		case "POST /folder":
			sendJson(response, await folders.open((await bodyOf(request, opening)).path));
			return;
		case "POST /sample": {
			const { name, files } = await bodyOf(request, sample);
			sendJson(response, { root: await folders.addSample(name, files) });
			return;
		}
		case "GET /folder/file": {
			const { text, version } = await folders.read(root, file);
			response.setHeader("etag", version);
			response.setHeader("cache-control", "no-store");
			if (request.headers["if-none-match"] === version) {
				response.statusCode = 304;
				response.end();
			} else sendText(response, 200, text);
			return;
		}
		case "PUT /folder/file": {
			const text = await readBody(request, BODY_BYTES_MAX);
			response.setHeader("etag", await folders.write(root, file, text, request.headers["if-match"]));
			response.statusCode = 204;
			response.end();
			return;
		}
		default:
			sendText(response, 404, "Not found.");
	}
}

const opening = z.object({ path: z.string() });
const sample = z.object({
	name: z.string(),
	files: z.array(z.object({ path: z.string(), text: z.string() })).max(100),
});

async function bodyOf<T>(request: IncomingMessage, schema: z.ZodType<T>): Promise<T> {
	const text = await readBody(request, BODY_BYTES_MAX);
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		throw new RequestError(400, "The body is not JSON.");
	}
	const { data, error } = schema.safeParse(value);
	if (error !== undefined) throw new RequestError(400, z.prettifyError(error));
	return data;
}
