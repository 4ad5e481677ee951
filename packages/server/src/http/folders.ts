import { createHash } from "node:crypto";
import { mkdir, mkdtemp, realpath, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type ResolvedPath, ThreadWorkspace, ToolError } from "@segue/assist";
import { resolvedFiles } from "@segue/text/node";
import { Privacy } from "@segue/text/privacy";
import { RequestError } from "./exchange.js";

// Users open larger projects in an editor, not in the page.
const FILES_MAX = 2000;
const FOLDERS_MAX = 2000;
// More than users keep open. Above this limit, the folder that was opened first is evicted.
const OPENED_MAX = 100;
// The page has only a few samples.
const SAMPLES_MAX = 32;
const SAMPLE_NAME = /^[a-z][a-z0-9-]{0,30}$/;

/** The folders that the user has opened in the page. Files outside them are never read or written. */
export class Folders {
	private readonly opened = new Map<string, ThreadWorkspace>();
	/** The folder that contains the samples, once a sample has been added. */
	private samples: Promise<string> | undefined;
	private readonly sampleNames = new Set<string>();
	/**
	 * Resolves after the last write. Writes run one at a time, so two writers cannot both see the same old version of a
	 * file.
	 */
	private writing: Promise<unknown> = Promise.resolve();

	constructor(
		/** The absolute path of the folder that a new page opens, or undefined if it opens a sample. */
		readonly startFolder?: string | undefined,
	) {}

	/**
	 * Opens a folder that the user selected. The listing omits secret and ignored files and, if there are too many, the
	 * most deeply nested ones.
	 */
	async open(typed: string): Promise<{ root: string; name: string; files: string[]; isCut: boolean }> {
		// Expand `~` as a shell would.
		const folder = typed.replace(/^~(?=$|\/)/, () => os.homedir());
		if (!path.isAbsolute(folder)) throw new RequestError(400, "Enter the absolute path of a folder.");
		const found = await stat(folder).catch(() => undefined);
		if (found === undefined) throw new RequestError(404, `Folder not found: ${folder}`);
		if (!found.isDirectory()) throw new RequestError(400, `${folder} is a file. Enter its folder instead.`);
		const real = await realpath(folder);
		const workspace = this.begin(real);
		const listing = await orRefuse(() => filesIn(workspace));
		return { root: pathToFileURL(real).href, name: path.basename(real) || real, ...listing };
	}

	/** Whether the user has opened a folder. */
	isOpen(root: string): boolean {
		return this.opened.has(root.replace(/\/$/, ""));
	}

	/** Writes a sample project to a temporary folder, so tools can work on it. `close` deletes it. */
	async addSample(name: string, files: readonly { readonly path: string; readonly text: string }[]): Promise<string> {
		if (!SAMPLE_NAME.test(name)) throw new RequestError(400, "Invalid sample name.");
		const isNew = !this.sampleNames.has(name);
		if (isNew && this.sampleNames.size >= SAMPLES_MAX) throw new RequestError(400, "Too many samples.");
		this.sampleNames.add(name);
		this.samples ??= mkdtemp(path.join(os.tmpdir(), "segue-play-")).then((folder) => realpath(folder));
		const root = path.join(await this.samples, name);
		await mkdir(root, { recursive: true });
		const workspace = this.begin(root);
		for (const { path: written, text } of files) await this.put(workspace, await placeOf(workspace, written), text);
		return pathToFileURL(root).href;
	}

	async read(root: string, written: string): Promise<{ text: string; version: string }> {
		const { workspace, place } = await this.find(root, written);
		const text = await orRefuse(() => workspace.textOf(place, undefined, NEVER));
		if (text === undefined) throw new RequestError(404, `File not found: ${written}`);
		return { text, version: versionOf(text) };
	}

	/**
	 * Writes a file if its current version is one of `versions` (`*` for any), and returns the new version. Without
	 * `versions`, the file must not exist.
	 */
	async write(root: string, written: string, text: string, versions: string | undefined): Promise<string> {
		const { workspace, place } = await this.find(root, written);
		await this.put(workspace, place, text, (before) => {
			if (versions === undefined) {
				if (before !== undefined) throw new RequestError(428, `${written} already exists. Open it first.`);
			} else if (before === undefined) {
				throw new RequestError(412, `${written} no longer exists on disk.`);
			} else if (!isAmong(versions, versionOf(before))) {
				throw new RequestError(412, `${written} has changed on disk. Open it again.`);
			}
		});
		return versionOf(text);
	}

	async close(): Promise<void> {
		if (this.samples !== undefined) await rm(await this.samples, { recursive: true, force: true });
	}

	/** Writes a file after all earlier writes. `check` receives the current text and can throw to prevent the write. */
	private put(
		workspace: ThreadWorkspace,
		place: ResolvedPath,
		text: string,
		check: (before: string | undefined) => void = () => {},
	): Promise<void> {
		const written = this.writing.then(async () => {
			const before = await orRefuse(() => workspace.textOf(place, undefined, NEVER));
			check(before);
			await orRefuse(() => workspace.write(place, before, text, undefined, NEVER));
		});
		// The caller handles the error, which must not affect the next write.
		this.writing = written.catch(() => {});
		return written;
	}

	private begin(folder: string): ThreadWorkspace {
		const uri = pathToFileURL(folder).href;
		const known = this.opened.get(uri);
		if (known !== undefined) return known;
		const privacy = new Privacy(
			resolvedFiles(() => ({ folders: [{ uri, name: "" }] })),
			() => [uri],
		);
		const workspace = new ThreadWorkspace([folder], privacy);
		this.opened.set(uri, workspace);
		const [oldest] = this.opened.keys();
		if (this.opened.size > OPENED_MAX && oldest !== undefined) this.opened.delete(oldest);
		return workspace;
	}

	private async find(root: string, written: string): Promise<{ workspace: ThreadWorkspace; place: ResolvedPath }> {
		const workspace = this.opened.get(root);
		if (workspace === undefined) throw new RequestError(409, "This folder is not open.");
		const place = await placeOf(workspace, written);
		if (place.kind === "folder") throw new RequestError(400, `${written} is a folder.`);
		if (await workspace.isIgnored(place)) {
			const problem = workspace.problem(place);
			throw new RequestError(
				403,
				`${written} is ignored, so it cannot be opened.${problem === undefined ? "" : ` ${problem}`}`,
			);
		}
		return { workspace, place };
	}
}

/** Reading a file is fast, so it is never cancelled. */
const NEVER = new AbortController().signal;

function placeOf(workspace: ThreadWorkspace, written: string): Promise<ResolvedPath> {
	return orRefuse(() => workspace.resolve(written));
}

/** Converts a tool error to an error response. */
async function orRefuse<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof ToolError) throw new RequestError(403, error.message);
		throw error;
	}
}

/** Whether an If-Match header matches a version. */
function isAmong(versions: string, version: string): boolean {
	const named = versions.split(",").map((each) => each.trim());
	return named.includes("*") || named.includes(version);
}

function versionOf(text: string): string {
	return `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
}

/** Returns the sorted relative paths of all files in a folder, and whether the list is incomplete. */
async function filesIn(workspace: ThreadWorkspace): Promise<{ files: string[]; isCut: boolean }> {
	const files: string[] = [];
	const folders = [await placeOf(workspace, ".")];
	let isCut = false;
	for (let i = 0; i < folders.length && !isCut; i++) {
		isCut = i >= FOLDERS_MAX;
		for (const place of isCut ? [] : await placesIn(workspace, folders[i] as ResolvedPath)) {
			if (place.kind === "folder") folders.push(place);
			else if (files.length < FILES_MAX) files.push(place.name);
			else isCut = true;
		}
	}
	return { files: files.sort(), isCut };
}

/** Lists a folder. Returns nothing for a subfolder that is unreadable or was just deleted. */
async function placesIn(workspace: ThreadWorkspace, folder: ResolvedPath): Promise<readonly ResolvedPath[]> {
	try {
		return (await workspace.list(folder, false)).entries;
	} catch (error) {
		if (error instanceof ToolError && folder.name !== ".") return [];
		throw error;
	}
}
