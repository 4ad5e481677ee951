import type { Workspace } from "@segue/predict";
import { uriKey } from "@segue/text";

// A file outside the workspace is identified by its folder and name. The folders above would identify the user rather
// than the file.
const PARTS_OUTSIDE = 2;

/**
 * Returns the path of a document for prompts: relative to its workspace folder, with slashes. If the document is in a
 * workspace folder other than `own`, the path starts with that folder's name.
 */
export function promptPathOf(uri: string, languageId: string, workspace: Workspace, own: string): string {
	const path = pathWithin(uri, workspace, own) ?? pathOutside(uri, languageId);
	// A line break in a name would split the line in the prompt.
	return path.replace(/\p{Cc}/gu, "_");
}

function pathWithin(uri: string, workspace: Workspace, own: string): string | undefined {
	const folder = folderOf(uri, workspace);
	if (folder === undefined) return undefined;
	const path = plain(uri).slice(folder.prefix.length);
	return folder.prefix === folderOf(own, workspace)?.prefix || folder.name === "" ? path : `${folder.name}/${path}`;
}

/**
 * Returns the name of the workspace folder that contains a document. Undefined for a document outside all folders, and
 * for a home folder, because its name is the user's name.
 */
export function folderNameOf(uri: string, workspace: Workspace): string | undefined {
	const folder = folderOf(uri, workspace);
	if (folder === undefined || isHome(folder.prefix)) return undefined;
	const name = folder.name === "" ? folder.prefix.split("/").at(-2) : folder.name;
	return name?.replace(/\p{Cc}/gu, "_");
}

interface Folder {
	/** Ends with a slash. */
	readonly prefix: string;
	readonly name: string;
}

/** Returns the innermost workspace folder that contains a document. */
function folderOf(uri: string, { uri: root, folders }: Workspace): Folder | undefined {
	const all = root === undefined ? folders : [...folders, { uri: root, name: "" }];
	return all
		.map((folder) => ({ prefix: `${plain(folder.uri).replace(/\/+$/, "")}/`, name: folder.name }))
		.filter(({ prefix }) => plain(uri).startsWith(prefix))
		.reduce<Folder | undefined>((best, one) => {
			return best === undefined || one.prefix.length > best.prefix.length ? one : best;
		}, undefined);
}

/** Removes the query and the fragment, which some editors use to refer to other versions of a file. */
function plain(uri: string): string {
	return uriKey(uri).replace(/[?#].*$/s, "");
}

function pathOutside(uri: string, languageId: string): string {
	const [, scheme, rest = ""] = /^([a-z][a-z0-9+.-]+:)?(.*)$/is.exec(plain(uri)) ?? [];
	if (scheme === undefined && !rest.startsWith("/")) return rest;
	const parts = rest
		.replace(HOME, "")
		.split("/")
		.filter((part) => part !== "")
		.slice(-PARTS_OUTSIDE);
	if (scheme !== "untitled:" && parts.length > 0) return parts.join("/");
	const name = parts.at(-1) ?? "";
	return /\.\w+$/.test(name) ? name : `untitled.${EXTENSIONS.get(languageId) ?? "txt"}`;
}

// Matches everything up to the user's name.
const HOME = /^.*\/(?:home|users|documents and settings)\/[^/]+\//i;

/** Whether a URI is a home folder, whose name is the user's name. */
export function isHome(uri: string): boolean {
	return /^\w+:\/*(?:[^/]+\/){0,2}(?:home|users|documents and settings)\/[^/]+\/?$/i.test(plain(uri));
}

/** The usual file extension of each language. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map(
	Object.entries({
		c: "c",
		cpp: "cpp",
		csharp: "cs",
		css: "css",
		go: "go",
		html: "html",
		java: "java",
		javascript: "js",
		javascriptreact: "jsx",
		json: "json",
		kotlin: "kt",
		lua: "lua",
		markdown: "md",
		php: "php",
		python: "py",
		ruby: "rb",
		rust: "rs",
		shellscript: "sh",
		sql: "sql",
		swift: "swift",
		typescript: "ts",
		typescriptreact: "tsx",
		yaml: "yaml",
	}),
);
