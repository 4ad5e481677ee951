import type { Dirent } from "node:fs";
import path from "node:path";
import { type Disk, readFolder } from "./disk.js";
import { canBeWritten, isSecret, type Place } from "./place.js";
import { ToolError } from "./tool.js";

/** What is in a folder, as far as tools may know it. */
export interface Listing {
	/** Files and folders, in the order that their paths have with all that is below them. */
	readonly places: readonly Place[];
	/** Links, which lead anywhere: whoever wants to know resolves them. */
	readonly links: readonly string[];
	/** How many are not in it: secret, ignored, or nothing that a tool could be told of. */
	readonly left: number;
}

export async function listFolder(folder: Place, disk: Disk): Promise<Listing> {
	if (folder.kind === "nothing") throw new ToolError(`There is no folder ${folder.name}.`);
	if (folder.kind !== "folder") throw new ToolError(`${folder.name} is no folder.`);
	const entries = await readFolder(folder, disk);
	const places = entries
		.flatMap((entry) => placeOf(folder, entry) ?? [])
		.map((place) => ({ place, key: place.kind === "folder" ? `${place.name}/` : place.name }))
		.sort((a, b) => (a.key < b.key ? -1 : 1))
		.map(({ place }) => place);
	const links = entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
	return { places, links, left: entries.length - places.length - links.length };
}

function placeOf(folder: Place, entry: Dirent): Place | undefined {
	const kind = entry.isFile() ? "file" : entry.isDirectory() ? "folder" : undefined;
	if (kind === undefined || !canBeWritten(entry.name)) return undefined;
	const file = path.join(folder.path, entry.name);
	const real = path.join(folder.real, entry.name);
	if (kind === "file" && (isSecret(file) || isSecret(real))) return undefined;
	const below = (name: string) => (name === "." ? entry.name : `${name}/${entry.name}`);
	return { path: file, real, name: below(folder.name), realName: below(folder.realName), kind };
}
