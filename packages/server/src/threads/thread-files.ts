import { decodeText, type RestrictedView } from "@segue/assist";
import { ToolError, Unreachable } from "@segue/assist/failures";
import type * as threads from "@segue/protocol/threads";
import { ErrorCode, type ParamsOf, type ResultOf, RpcError } from "@segue/rpc";
import { FileVersions, type RangedFile } from "@segue/text/node";

type Read = ResultOf<typeof threads.readTextFile>;

// Limit per response. A byte can become six in JSON, and the response must stay below the connection's message limit.
const CONTENT_BYTES_MAX = 4 * 2 ** 20;
// A search with more matches is too broad to be useful.
const MATCHES_MAX = 10_000;

/** Serves files from threads' workspaces. Each connection has its own file versions. */
export class ThreadFiles {
	private readonly versions = new FileVersions();

	/** Reads a range of lines. Lines end with \n and include their line break. */
	readText(view: RestrictedView, params: ParamsOf<typeof threads.readTextFile>, signal: AbortSignal): Promise<Read> {
		const { path, lineOffset, lineLimit } = params;
		return this.read(view, path, async (file, name) => {
			if (file.whole !== undefined) decodeText(file.whole, name); // part of a binary file may look like text
			const from = await file.lineAt(0, lineOffset ?? 0, Number.POSITIVE_INFINITY, signal);
			const furthest = from + CONTENT_BYTES_MAX;
			const to = lineLimit == null ? file.size : await file.lineAt(from, lineLimit, furthest, signal);
			if (to > furthest) throw tooMuch(name, "lineLimit");
			return decodeText(await file.bytes(from, to), name);
		});
	}

	readBinary(
		view: RestrictedView,
		{ path, byteOffset, byteLimit }: ParamsOf<typeof threads.readBinaryFile>,
	): Promise<Read> {
		return this.read(view, path, async (file, name) => {
			const from = Math.min(byteOffset ?? 0, file.size);
			const to = Math.min(from + (byteLimit ?? Number.POSITIVE_INFINITY), file.size);
			if (to - from > CONTENT_BYTES_MAX) throw tooMuch(name, "byteLimit");
			return (await file.bytes(from, to)).toString("base64");
		});
	}

	async stat(view: RestrictedView, path: string): Promise<ResultOf<typeof threads.stat>> {
		const { kind } = await naming("path", () => view.resolve(path).catch(treatAsMissing));
		return { exists: kind !== "nothing", isDirectory: kind === "folder" };
	}

	async glob(view: RestrictedView, pattern: string): Promise<ResultOf<typeof threads.globSearch>> {
		const matches = await naming("pattern", () => view.find(pattern));
		return { matches: matches.slice(0, MATCHES_MAX) };
	}

	private async read(
		view: RestrictedView,
		path: string,
		contentOf: (file: RangedFile, name: string) => Promise<string>,
	): Promise<Read> {
		return naming("path", async () => {
			const resolved = await view.resolve(path);
			if (resolved.kind === "nothing") throw new ToolError(`${resolved.name} does not exist.`);
			if (resolved.kind === "folder") throw new ToolError(`${resolved.name} is a folder.`);
			const open = () => view.open(resolved);
			return this.versions.read(resolved.real, open, (file) => contentOf(file, resolved.name));
		});
	}
}

function tooMuch(name: string, limit: string): RpcError {
	const why = `${name} has more than ${CONTENT_BYTES_MAX} bytes in this range; request less`;
	return new RpcError(ErrorCode.invalidParams, `Invalid params: params.${limit}: ${why}`);
}

/** Treats a path that leads through a file or a cycle of links as missing. */
function treatAsMissing(error: unknown): { kind: "nothing" } {
	if (error instanceof Unreachable) return { kind: "nothing" };
	throw error;
}

/** Adds the name of the request field to errors. */
async function naming<T>(field: string, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof ToolError)) throw error;
		throw new RpcError(ErrorCode.invalidParams, `Invalid params: params.${field}: ${error.message}`);
	}
}
