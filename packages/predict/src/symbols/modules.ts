import { type Document, uriKey } from "@segue/text";

// By what name one file is known to another.

/** How a document names another one to import something from it; undefined where that cannot be told. */
export function moduleOf(other: Document, document: Document): string | undefined {
	switch (document.languageId) {
		case "python":
			return pythonModule(other, document);
		case "rust":
			return rustModule(other.uri, document.uri);
		case "java":
			return packageOf(other, document, /^package\s+([\w.]+)\s*;/m);
		case "csharp":
			return packageOf(other, document, /^namespace\s+([\w.]+)/m);
		case "php":
			return packageOf(other, document, /^namespace\s+([\w\\]+)\s*;/m);
		default:
			return /^(?:java|type)script/.test(document.languageId) ? scriptModule(other, document) : undefined;
	}
}

/** Whether a document means a file by the name of a module, as far as paths tell. */
export function isModule(module: string, { uri: own, languageId }: Document, other: string): boolean {
	// Editors write one path in several ways.
	const [uri, file] = [uriKey(own), uriKey(other)];
	if (languageId === "python") return isPythonModule(module, uri, file);
	if (languageId === "rust") return rustModule(file, uri) === absoluteRustModule(module, uri);
	if (!/^(?:java|type)script/.test(languageId) || !module.startsWith(".")) return false;
	const named = joinPath(folderOf(uri), module.split("/")).replace(SCRIPT_ENDING, "");
	const path = file.replace(SCRIPT_ENDING, "");
	return path === named || path === `${named}/index`;
}

const SCRIPT_ENDING = /(?:\.d)?\.[cm]?[jt]sx?$/;

/** A module is found from a folder above the document on, or in its `src`; one with dots before it, from the document's folder. */
function isPythonModule(module: string, uri: string, file: string): boolean {
	const dots = /^\.*/.exec(module)?.[0].length ?? 0;
	const names = module
		.slice(dots)
		.split(".")
		.filter((name) => name !== "");
	const own = file.replace(/\.pyi?$/, "").replace(/\/__init__$/, "");
	if (dots > 0) return own === joinPath(folderOf(uri), [...Array<string>(dots - 1).fill(".."), ...names]);
	const path = `/${names.join("/")}`;
	if (!own.endsWith(path)) return false;
	const root = own.slice(0, -path.length).replace(/\/src$/, "");
	return folderOf(uri) === root || uri.startsWith(`${root}/`);
}

function absoluteRustModule(module: string, uri: string): string {
	const own = rustModule(uri, uri)?.split("::") ?? [];
	const parts = module.split("::");
	const up = parts.filter((part) => part === "super").length;
	const rest = parts.filter((part) => part !== "super" && part !== "self");
	if (parts[0] !== "super" && parts[0] !== "self") return module;
	return [...own.slice(0, own.length - up), ...rest].join("::");
}

function folderOf(uri: string): string {
	return uri.slice(0, uri.lastIndexOf("/"));
}

function joinPath(folder: string, parts: readonly string[]): string {
	const path = folder.split("/");
	for (const part of parts) {
		if (part === "..") path.pop();
		else if (part !== ".") path.push(part);
	}
	return path.join("/");
}

/** A path from a document's folder, with an ending if that is how the document names others. */
function scriptModule(other: Document, document: Document): string {
	const ending = /\bfrom\s+["']\.[^"']*(\.[cm]?[jt]sx?)["']/.exec(headOf(document))?.[1];
	const path = relativePath(other.uri, document.uri);
	const bare = path.replace(/(?:\.d)?\.[cm]?[jt]sx?$/, "");
	if (ending === undefined) return bare.replace(/\/index$/, "") || ".";
	const own = /\.[cm]?[jt]sx?$/.exec(path)?.[0] ?? "";
	return bare + (/ts/.test(ending) ? own : own.replace("ts", "js"));
}

/** Files of one folder know each other by name, with a dot where the document names others so. */
function pythonModule(other: Document, document: Document): string | undefined {
	const [name, ...folders] = relativePath(other.uri, document.uri).split("/").toReversed();
	const up = folders.filter((one) => one === "..").length;
	const down = folders.filter((one) => one !== ".." && one !== ".").toReversed();
	const module = [...down, ...(name === "__init__.py" ? [] : [name?.replace(/\.pyi?$/, "") ?? ""])].join(".");
	const isRelative = /^from\s+\./m.test(headOf(document));
	if (isRelative) return ".".repeat(up + 1) + module;
	return up === 0 && down.length === 0 && module !== "" ? module : undefined;
}

/** The path from the crate's root, where both files are below one `src`. */
function rustModule(other: string, own: string): string | undefined {
	const [root, path] = splitAtSource(other);
	if (path === undefined || splitAtSource(own)[0] !== root) return undefined;
	const parts = path.replace(/\.rs$/, "").split("/");
	if (["lib", "main", "mod"].includes(parts.at(-1) ?? "")) parts.pop();
	return ["crate", ...parts].join("::");
}

function splitAtSource(uri: string): [string, string | undefined] {
	const at = uri.lastIndexOf("src/");
	return at === -1 ? [uri, undefined] : [uri.slice(0, at), uri.slice(at + "src/".length)];
}

/** What a file says that it belongs to, where the other does not belong to it as well. */
function packageOf(other: Document, document: Document, pattern: RegExp): string | undefined {
	const name = pattern.exec(headOf(other))?.[1];
	return name === pattern.exec(headOf(document))?.[1] ? undefined : name;
}

// What a file says of itself stands at its top.
const HEAD_MAX = 5000;

function headOf({ text }: Document): string {
	return text.slice(0, Math.min(HEAD_MAX, text.length));
}

function relativePath(to: string, from: string): string {
	const target = to.split("/");
	const own = from.split("/").slice(0, -1);
	let common = 0;
	while (common < own.length && common < target.length - 1 && own[common] === target[common]) common++;
	const up = own.length - common;
	return [...(up === 0 ? ["."] : Array.from({ length: up }, () => "..")), ...target.slice(common)].join("/");
}
