import { signal } from "@preact/signals";
import { RequestRefused, type ServerAccess } from "../server-access.js";

/** A file on disk, with the server's id for this version. */
export interface DiskFile {
	readonly content: string;
	readonly version: string;
}

/** Thrown instead of overwriting a file that has changed on disk since the page last read or wrote it. */
export class ChangedOnDisk extends Error {
	constructor(
		/** The file as it is now; undefined if it was deleted. */
		readonly now: DiskFile | undefined,
	) {
		super("The file has changed on disk.");
		this.name = "ChangedOnDisk";
	}
}

/** A folder on the server's machine that the user opened. */
export class DiskFolder {
	/** Paths of its files, relative to the folder and sorted. */
	readonly paths = signal<readonly string[]>([]);
	/** True if the folder has more files than the server lists. */
	readonly isCut = signal(false);

	private constructor(
		private readonly server: ServerAccess,
		/** Absolute path. */
		readonly path: string,
		readonly root: string,
		readonly name: string,
	) {}

	/** Rejects with an error message for the user. */
	static async open(path: string, server: ServerAccess, signal?: AbortSignal): Promise<DiskFolder> {
		const { root, name, files, isCut } = await listFolder(path, server, signal);
		const folder = new DiskFolder(server, pathOf(root), root, name);
		folder.paths.value = files;
		folder.isCut.value = isCut;
		return folder;
	}

	/** Lists the files again. */
	async refresh(): Promise<void> {
		const { files, isCut } = await listFolder(this.path, this.server);
		if (files.join("\n") !== this.paths.value.join("\n")) this.paths.value = files;
		this.isCut.value = isCut;
	}

	async read(path: string): Promise<DiskFile> {
		return fileIn(await this.request(path, {}));
	}

	/** Reads a file if its version is no longer `version`. Otherwise, resolves to undefined. */
	async readIfChanged(path: string, version: string): Promise<DiskFile | undefined> {
		const response = await this.request(path, { headers: { "if-none-match": version } });
		return response.status === NOT_MODIFIED ? undefined : fileIn(response);
	}

	/**
	 * Overwrites a file that still has this version, or creates a file if there is no version. Returns the new version.
	 * Rejects with a `ChangedOnDisk`.
	 */
	async write(path: string, content: string, version: string | undefined): Promise<string> {
		const headers: Record<string, string> = version === undefined ? {} : { "if-match": version };
		try {
			return versionOf(await this.request(path, { method: "PUT", body: content, headers }));
		} catch (error) {
			const isChanged = hasStatus(error, PRECONDITION_FAILED) || hasStatus(error, PRECONDITION_REQUIRED);
			throw isChanged ? new ChangedOnDisk(await this.readIfPresent(path)) : error;
		}
	}

	/** Reads a file. Resolves to undefined if there is no such file. */
	async readIfPresent(path: string): Promise<DiskFile | undefined> {
		try {
			return await this.read(path);
		} catch (error) {
			if (hasStatus(error, NOT_FOUND)) return undefined;
			throw error;
		}
	}

	/** Sends a request for a file. A restarted server has no open folders, so reopens the folder and retries once. */
	private async request(path: string, init: RequestInit): Promise<Response> {
		const address = `/folder/file?${new URLSearchParams({ folder: this.root, path })}`;
		try {
			return await this.server.request(address, init);
		} catch (error) {
			if (!hasStatus(error, NOT_OPEN)) throw error;
			await listFolder(this.path, this.server);
			return this.server.request(address, init);
		}
	}
}

/** Lists the files in the folder with this path. */
async function listFolder(path: string, server: ServerAccess, signal?: AbortSignal) {
	const init = { method: "POST", body: JSON.stringify({ path }), ...(signal && { signal }) };
	const response = await server.request("/folder", init);
	return (await response.json()) as { root: string; name: string; files: string[]; isCut: boolean };
}

/** Whether the server can list the folder with this path. */
export async function isFolder(path: string, server: ServerAccess): Promise<boolean> {
	return listFolder(path, server).then(
		() => true,
		() => false,
	);
}

/**
 * Resolves to the folder that `segue play FOLDER` was started with; undefined if there is no such folder or no server.
 */
export async function startFolderOf(server: ServerAccess): Promise<string | undefined> {
	try {
		const { path } = (await (await server.request("/folder")).json()) as { path: string | null };
		return path ?? undefined;
	} catch {
		return undefined;
	}
}

/** Writes a sample to the server's disk, where the chat's tools can work on it. Resolves to the folder's uri. */
export async function writeSample(
	{
		name,
		files,
	}: { readonly name: string; readonly files: readonly { readonly path: string; readonly text: string }[] },
	server: ServerAccess,
): Promise<string> {
	const response = await server.request("/sample", { method: "POST", body: JSON.stringify({ name, files }) });
	return ((await response.json()) as { root: string }).root;
}

/** Returns the path that a file uri refers to. On Windows it starts with a drive letter. */
export function pathOf(uri: string): string {
	return decodeURIComponent(uri.replace(/^file:\/\//, "")).replace(/^\/(?=[a-z]:)/i, "");
}

async function fileIn(response: Response): Promise<DiskFile> {
	// Browsers drop a byte order mark by default, but saving has to write it back.
	const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
	return { content: decoder.decode(await response.arrayBuffer()), version: versionOf(response) };
}

function versionOf(response: Response): string {
	return response.headers.get("etag") ?? "";
}

const NOT_MODIFIED = 304;
/** The server has not opened the folder, for example because it was restarted. */
const NOT_OPEN = 409;
const NOT_FOUND = 404;
const PRECONDITION_FAILED = 412;
const PRECONDITION_REQUIRED = 428;

function hasStatus(error: unknown, status: number): boolean {
	return error instanceof RequestRefused && error.status === status;
}
