/** A file as it is on disk, and what the server calls that version of it. */
export interface DiskFile {
	readonly content: string;
	readonly version: string;
}

/** A file was to be written, and on disk it is no longer what it was. */
export class ChangedOnDisk extends Error {
	constructor(
		/** As it is by now; undefined where it is gone. */
		readonly now: DiskFile | undefined,
	) {
		super("The file has changed on disk.");
		this.name = "ChangedOnDisk";
	}
}

/** A folder on the machine that the server runs on, opened because the person said so. */
export class DiskFolder {
	private constructor(
		private readonly token: string,
		/** As the person has named it. */
		private readonly path: string,
		readonly root: string,
		readonly name: string,
		/** Of its files, from the top of the folder. */
		readonly paths: readonly string[],
		/** It has more of them than the server lists. */
		readonly isCut: boolean,
	) {}

	/** Rejects with a sentence for the person. */
	static async open(path: string, token: string, signal: AbortSignal): Promise<DiskFolder> {
		const { root, name, files, isCut } = await list(path, token, signal);
		return new DiskFolder(token, path, root, name, files, isCut);
	}

	async read(path: string): Promise<DiskFile> {
		const response = await this.ask(path, {});
		// With its byte order mark, which the browser would leave out by itself.
		const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
		return { content: decoder.decode(await response.arrayBuffer()), version: versionOf(response) };
	}

	/** Writes over that version of a file, or anew where it is none. Gives the new version. Rejects with a `ChangedOnDisk`. */
	async write(path: string, content: string, version: string | undefined): Promise<string> {
		const headers: Record<string, string> = version === undefined ? {} : { "if-match": version };
		try {
			return versionOf(await this.ask(path, { method: "PUT", body: content, headers }));
		} catch (error) {
			const isChanged = isRefusal(error, PRECONDITION_FAILED) || isRefusal(error, PRECONDITION_REQUIRED);
			throw isChanged ? new ChangedOnDisk(await this.readIfThere(path)) : error;
		}
	}

	private async readIfThere(path: string): Promise<DiskFile | undefined> {
		try {
			return await this.read(path);
		} catch (error) {
			if (isRefusal(error, NOT_FOUND)) return undefined;
			throw error;
		}
	}

	/** A server that was started anew does not know the folder, so it is told once that this one is open. */
	private async ask(path: string, init: RequestInit): Promise<Response> {
		const address = `/folder/file?${new URLSearchParams({ folder: this.root, path })}`;
		try {
			return await ask(this.token, address, init);
		} catch (error) {
			if (!isRefusal(error, FORBIDDEN)) throw error;
			await list(this.path, this.token);
			return ask(this.token, address, init);
		}
	}
}

async function list(path: string, token: string, signal?: AbortSignal) {
	const init = { method: "POST", body: JSON.stringify({ path }), ...(signal && { signal }) };
	const response = await ask(token, "/folder", init);
	return (await response.json()) as { root: string; name: string; files: string[]; isCut: boolean };
}

function versionOf(response: Response): string {
	return response.headers.get("etag") ?? "";
}

/** Has the server put a sample where tools can work on it; gives the folder's uri. */
export async function keepSample(
	{
		name,
		files,
	}: { readonly name: string; readonly files: readonly { readonly path: string; readonly text: string }[] },
	token: string,
): Promise<string> {
	const response = await ask(token, "/sample", { method: "POST", body: JSON.stringify({ name, files }) });
	return ((await response.json()) as { root: string }).root;
}

/** Whether the server, if it answers at all, wants another token. */
export async function isRefused(token: string): Promise<boolean> {
	const response = await fetch("/folder", { headers: { "x-segue-token": token } }).catch(() => undefined);
	return response?.status === 401;
}

/** Asks the server for something. What it refuses, it says why. */
export async function ask(token: string, address: string, init: RequestInit): Promise<Response> {
	const headers = { ...init.headers, "x-segue-token": token };
	const response = await fetch(address, { ...init, headers }).catch(() => {
		throw new Error("The server does not answer. Is it still running?");
	});
	if (!response.ok) throw new Refusal(response.status, await response.text());
	return response;
}

const FORBIDDEN = 403;
const NOT_FOUND = 404;
const PRECONDITION_FAILED = 412;
const PRECONDITION_REQUIRED = 428;

/** What the server does not do, in its own words. */
class Refusal extends Error {
	constructor(
		readonly status: number,
		why: string,
	) {
		super(why || `The server answered ${status}.`);
		this.name = "Refusal";
	}
}

function isRefusal(error: unknown, status: number): boolean {
	return error instanceof Refusal && error.status === status;
}
