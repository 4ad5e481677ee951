import type { Workspace } from "@segue/predict";
import { uriKey } from "@segue/text";

// A file outside of the workspace is told by its folder and its name. What lies above says who the user is rather than
// what the file is about.
const PARTS_OUTSIDE = 2;

/**
 * The path that a model is told for a document: relative to its workspace folder, with slashes. One in another folder
 * of the workspace than `own` begins with that folder's name.
 */
export function promptPathOf(uri: string, languageId: string, workspace: Workspace, own: string): string {
	const path = pathWithin(uri, workspace, own) ?? pathOutside(uri, languageId);
	// A line end in a name would end the line of the prompt that the name is on.
	return path.replace(/\p{Cc}/gu, "_");
}

function pathWithin(uri: string, workspace: Workspace, own: string): string | undefined {
	const folder = folderOf(uri, workspace);
	if (folder === undefined) return undefined;
	const path = plain(uri).slice(folder.prefix.length);
	return folder.prefix === folderOf(own, workspace)?.prefix || folder.name === "" ? path : `${folder.name}/${path}`;
}

/** The name of the workspace folder that a document is in. Undefined outside of all folders, and for a home folder, which has the user's name. */
export function folderNameOf(uri: string, workspace: Workspace): string | undefined {
	const folder = folderOf(uri, workspace);
	if (folder === undefined || isHome(folder.prefix)) return undefined;
	const name = folder.name === "" ? folder.prefix.split("/").at(-2) : folder.name;
	return name?.replace(/\p{Cc}/gu, "_");
}

interface Folder {
	/** Up to the slash before the paths of its files. */
	readonly prefix: string;
	readonly name: string;
}

/** The innermost folder of the workspace that a document lies in. */
function folderOf(uri: string, { uri: root, folders }: Workspace): Folder | undefined {
	const all = root === undefined ? folders : [...folders, { uri: root, name: "" }];
	return all
		.map((folder) => ({ prefix: `${plain(folder.uri).replace(/\/+$/, "")}/`, name: folder.name }))
		.filter(({ prefix }) => plain(uri).startsWith(prefix))
		.reduce<Folder | undefined>((best, one) => {
			return best === undefined || one.prefix.length > best.prefix.length ? one : best;
		}, undefined);
}

/** Without what some editors put behind a path to name another version of a file. */
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

// Up to the name of whose folder it is.
const HOME = /^.*\/(?:home|users|documents and settings)\/[^/]+\//i;

/** Whether a URI is that of a home folder, whose name is the user's. */
export function isHome(uri: string): boolean {
	return /^\w+:\/*(?:[^/]+\/){0,2}(?:home|users|documents and settings)\/[^/]+\/?$/i.test(plain(uri));
}

/** How a file of a language is most often named. */
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
