import { decodeText, type RestrictedView } from "@segue/assist";
import { ToolError, Unreachable } from "@segue/assist/failures";
import type * as threads from "@segue/protocol/threads";
import { ErrorCode, type ParamsOf, type ResultOf, RpcError } from "@segue/rpc";
import { FileVersions, type RangedFile } from "@segue/text/node";

type Read = ResultOf<typeof threads.readTextFile>;

// Of one answer. A byte of text may become six in JSON, and this stays below what a connection reads.
const CONTENT_BYTES_MAX = 4 * 2 ** 20;
// More than anybody looks at; who finds more looks for too much.
const MATCHES_MAX = 10_000;

/** Files of threads' workspaces, as a peer reads them. One for each connection, which has versions of its own. */
export class ThreadFiles {
	private readonly versions = new FileVersions();

	/** Lines end with \n, and each is read with its end. */
	readText(visit: RestrictedView, params: ParamsOf<typeof threads.readTextFile>, signal: AbortSignal): Promise<Read> {
		const { path, lineOffset, lineLimit } = params;
		return this.read(visit, path, async (file, name) => {
			if (file.whole !== undefined) decodeText(file.whole, name); // a part of it may look like text
			const from = await file.lineAt(0, lineOffset ?? 0, Number.POSITIVE_INFINITY, signal);
			const furthest = from + CONTENT_BYTES_MAX;
			const to = lineLimit == null ? file.size : await file.lineAt(from, lineLimit, furthest, signal);
			if (to > furthest) throw tooMuch(name, "lineLimit");
			return decodeText(await file.bytes(from, to), name);
		});
	}

	readBinary(
		visit: RestrictedView,
		{ path, byteOffset, byteLimit }: ParamsOf<typeof threads.readBinaryFile>,
	): Promise<Read> {
		return this.read(visit, path, async (file, name) => {
			const from = Math.min(byteOffset ?? 0, file.size);
			const to = Math.min(from + (byteLimit ?? Number.POSITIVE_INFINITY), file.size);
			if (to - from > CONTENT_BYTES_MAX) throw tooMuch(name, "byteLimit");
			return (await file.bytes(from, to)).toString("base64");
		});
	}

	async stat(visit: RestrictedView, path: string): Promise<ResultOf<typeof threads.stat>> {
		const { kind } = await about("path", () => visit.resolve(path).catch(nothingBehind));
		return { exists: kind !== "nothing", isDirectory: kind === "folder" };
	}

	async glob(visit: RestrictedView, pattern: string): Promise<ResultOf<typeof threads.globSearch>> {
		const matches = await about("pattern", () => visit.find(pattern));
		return { matches: matches.slice(0, MATCHES_MAX) };
	}

	private async read(
		visit: RestrictedView,
		path: string,
		contentOf: (file: RangedFile, name: string) => Promise<string>,
	): Promise<Read> {
		return about("path", async () => {
			const place = await visit.resolve(path);
			if (place.kind === "nothing") throw new ToolError(`There is no file ${place.name}.`);
			if (place.kind === "folder") throw new ToolError(`${place.name} is a folder.`);
			const open = () => visit.open(place);
			return this.versions.read(place.real, open, (file) => contentOf(file, place.name));
		});
	}
}

function tooMuch(name: string, limit: string): RpcError {
	const why = `${name} has more than ${CONTENT_BYTES_MAX} bytes there, which is too much at once; ask for less`;
	return new RpcError(ErrorCode.invalidParams, `Invalid params: params.${limit}: ${why}`);
}

/** A way that leads through a file, or in a circle, has nothing at its end. */
function nothingBehind(error: unknown): { kind: "nothing" } {
	if (error instanceof Unreachable) return { kind: "nothing" };
	throw error;
}

/** Says which field it is that asks for what cannot be done. */
async function about<T>(field: string, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof ToolError)) throw error;
		throw new RpcError(ErrorCode.invalidParams, `Invalid params: params.${field}: ${error.message}`);
	}
}
