import { brotliCompressSync, constants } from "node:zlib";
import { EventBuffer } from "../../events.js";
import { type ReplyReader, WholeReader } from "../../framing.js";
import { rootUrl } from "../../http-request.js";
import { parseJson } from "../../reply-stream.js";
import { type EditApi, postRequest } from "./api.js";

/** Sweep's own API, hosted or local. */
export const sweepService: EditApi = (ask, settings) => {
	if (ask.kind !== "sweep") return undefined;
	const buffer = new EventBuffer();
	const { url, headers, body } = postRequest(rootUrl(settings, "/backend/next_edit_autocomplete"), settings, ask.body);
	return {
		request: { url, headers: { ...headers, "content-encoding": "br" }, body: compress(body) },
		decoder: { framing: new WholeReader(), reader: new WholeBodyReader(buffer), events: buffer },
	};
};

/** The user is waiting, and maximum compression takes a hundred times as long as good compression. */
const QUALITY = 4;

function compress(body: string | Uint8Array): Uint8Array<ArrayBuffer> {
	return new Uint8Array(brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }));
}

/** Passes on the whole body as text for the format to parse. */
class WholeBodyReader implements ReplyReader {
	isWhole = false;

	constructor(private readonly buffer: EventBuffer) {}

	read(data: string): unknown {
		const error = errorIn(parseJson(data));
		if (error !== undefined) return error;
		this.buffer.text(data);
		this.buffer.add({ type: "end", reason: "done" });
		this.isWhole = true;
		return undefined;
	}

	close(): void {}
}

/** Finds an error that was sent with a success status instead of completions. */
function errorIn(reply: unknown): unknown {
	const { completion, completions, error, detail } = Object(reply) as Readonly<Record<string, unknown>>;
	if (completion !== undefined || completions !== undefined) return undefined;
	return error != null || detail != null ? reply : undefined;
}
