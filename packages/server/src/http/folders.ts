import { createHash } from "node:crypto";
import { mkdir, mkdtemp, realpath, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type ResolvedPath, ThreadWorkspace, ToolError } from "@segue/assist";
import { resolvedFiles } from "@segue/text/node";
import { Privacy } from "@segue/text/privacy";
import { RequestError } from "./exchange.js";

// What a person finds something in. A larger project is opened in an editor.
const FILES_MAX = 2000;
const FOLDERS_MAX = 2000;
// More than a person has in view. The one that was opened first has to be opened again after that.
const OPENED_MAX = 100;
// There are a handful.
const SAMPLES_MAX = 32;
const SAMPLE_NAME = /^[a-z][a-z0-9-]{0,30}$/;

/** The folders that a person has opened in the page. Nothing outside of them is read or written. */
export class Folders {
	private readonly opened = new Map<string, ThreadWorkspace>();
	/** Where the samples are, once there is one. */
	private samples: Promise<string> | undefined;
	private readonly sampleNames = new Set<string>();
	/** The last of what is being written. Two who write the same file at once must not both find it as it was. */
	private writing: Promise<unknown> = Promise.resolve();

	/**
	 * Opens a folder, because the person said so. Secret and ignored files are not among those it names; where there are too
	 * many others, neither are those that lie deepest.
	 */
	async open(named: string): Promise<{ root: string; name: string; files: string[]; isCut: boolean }> {
		// As a shell would: who types a path is used to it.
		const folder = named.replace(/^~(?=$|\/)/, () => os.homedir());
		if (!path.isAbsolute(folder)) throw new RequestError(400, "Give the full path of a folder, from the top.");
		const found = await stat(folder).catch(() => undefined);
		if (found === undefined) throw new RequestError(404, `There is no folder ${folder}.`);
		if (!found.isDirectory()) throw new RequestError(400, `${folder} is a file. Give the folder that it is in.`);
		const real = await realpath(folder);
		const workspace = this.begin(real);
		const listing = await orRefuse(() => filesIn(workspace));
		return { root: pathToFileURL(real).href, name: path.basename(real) || real, ...listing };
	}

	/** Whether the person has opened a folder. */
	isOpen(root: string): boolean {
		return this.opened.has(root.replace(/\/$/, ""));
	}

	/** Puts a sample project where tools can work on it. It goes with the server. */
	async addSample(name: string, files: readonly { readonly path: string; readonly text: string }[]): Promise<string> {
		if (!SAMPLE_NAME.test(name)) throw new RequestError(400, "That is no name of a sample.");
		const isNew = !this.sampleNames.has(name);
		if (isNew && this.sampleNames.size >= SAMPLES_MAX) throw new RequestError(400, "There are too many samples.");
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
		if (text === undefined) throw new RequestError(404, `There is no file ${written}.`);
		return { text, version: versionOf(text) };
	}

	/**
	 * Writes a file that is of one of those versions, `*` for any, and gives its new one. Without a version it must be a file
	 * that is not there yet.
	 */
	async write(root: string, written: string, text: string, versions: string | undefined): Promise<string> {
		const { workspace, place } = await this.find(root, written);
		await this.put(workspace, place, text, (before) => {
			if (versions === undefined) {
				if (before !== undefined) throw new RequestError(428, `${written} is there already. Open it first.`);
			} else if (before === undefined) {
				throw new RequestError(412, `${written} is no longer on disk.`);
			} else if (!isAmong(versions, versionOf(before))) {
				throw new RequestError(412, `${written} has changed on disk since it was opened. Open it again.`);
			}
		});
		return versionOf(text);
	}

	async close(): Promise<void> {
		if (this.samples !== undefined) await rm(await this.samples, { recursive: true, force: true });
	}

	/** One after the other. `check` sees what is there before anything is written. */
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
		// Who waits for it hears of a failure; the next one does not.
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
		if (workspace === undefined) throw new RequestError(403, "That folder is not open.");
		const place = await placeOf(workspace, written);
		if (place.kind === "folder") throw new RequestError(400, `${written} is a folder.`);
		if (await workspace.isIgnored(place)) {
			const problem = workspace.problem(place);
			throw new RequestError(
				403,
				`${written} is ignored, and left alone.${problem === undefined ? "" : ` ${problem}`}`,
			);
		}
		return { workspace, place };
	}
}

/** Nobody calls it off: a file is read in no time. */
const NEVER = new AbortController().signal;

function placeOf(workspace: ThreadWorkspace, written: string): Promise<ResolvedPath> {
	return orRefuse(() => workspace.resolve(written));
}

/** What a model would be told, a person is told. */
async function orRefuse<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof ToolError) throw new RequestError(403, error.message);
		throw error;
	}
}

/** Whether a version is one of those that If-Match names. */
function isAmong(versions: string, version: string): boolean {
	const named = versions.split(",").map((each) => each.trim());
	return named.includes("*") || named.includes(version);
}

function versionOf(text: string): string {
	return `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
}

/** The files of a folder and of those in it, by their names from the top, in order; and whether there are more. */
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

/** None for a folder that may not be looked into, or has just gone. */
async function placesIn(workspace: ThreadWorkspace, folder: ResolvedPath): Promise<readonly ResolvedPath[]> {
	try {
		return (await workspace.list(folder, false)).entries;
	} catch (error) {
		if (error instanceof ToolError && folder.name !== ".") return [];
		throw error;
	}
}
