/** A folder on the machine that the server runs on, opened because the person said so. */
export class Folder {
	/** What each file was when it was read last, as the server names it. */
	private readonly versions = new Map<string, string>();

	private constructor(
		private readonly token: string,
		readonly root: string,
		readonly name: string,
		/** Of its files, from the top of the folder. */
		readonly paths: readonly string[],
		/** It has more of them than the server lists. */
		readonly isCut: boolean,
	) {}

	/** Rejects with a sentence for the person. */
	static async open(path: string, token: string): Promise<Folder> {
		const response = await ask(token, "/folder", { method: "POST", body: JSON.stringify({ path }) });
		const listing = (await response.json()) as { root: string; name: string; files: string[]; isCut: boolean };
		return new Folder(token, listing.root, listing.name, listing.files, listing.isCut);
	}

	async read(path: string): Promise<string> {
		const response = await ask(this.token, this.addressOf(path), {});
		this.versions.set(path, response.headers.get("etag") ?? "");
		return response.text();
	}

	/** Rejects where the file has become another since it was read. */
	async write(path: string, text: string): Promise<void> {
		const headers = { "if-match": this.versions.get(path) ?? "*" };
		const response = await ask(this.token, this.addressOf(path), { method: "PUT", body: text, headers });
		this.versions.set(path, response.headers.get("etag") ?? "");
	}

	private addressOf(path: string): string {
		return `/folder/file?${new URLSearchParams({ folder: this.root, path })}`;
	}
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
	if (!response.ok) throw new Error((await response.text()) || `The server answered ${response.status}.`);
	return response;
}
