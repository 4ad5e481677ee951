import type { Document } from "@segue/text";
import { LINE_MAX, sameLanguage } from "../languages/identifiers.js";
import {
	familyOf,
	type Import,
	importSyntaxOf,
	importsIn,
	isModule,
	moduleAt,
	moduleOf,
} from "../languages/imports.js";
import type { ImportSource } from "../languages/language.js";
import { partAt } from "../languages/parts.js";
import { documentOf, type Scene } from "../scene.js";
import { documentsWith, filesWith } from "../search/scene-search.js";
import { Search } from "../search/search.js";
import { isDeclaredIn, mentionsOf } from "./mentions.js";
import { isImportedFrom } from "./symbol-meaning.js";

/**
 * Returns the import source for an undeclared name: an open file that exports it, or the module that another file
 * imports it from. Undefined unless there is exactly one such source.
 */
export function sourceOf(name: string, scene: Scene): ImportSource | undefined {
	const { document } = scene;
	const search = new Search(name);
	const sources = new Map<string, ImportSource>();
	for (const other of documentsWith(scene, search)) {
		if (other === document || !sameLanguage(other.languageId, document.languageId)) continue;
		const found = search.in(other.text) ?? [];
		if (found.length === 0) continue;
		for (const source of [...exportedBy(other, name, found, document), ...importedBy(other, name, document)]) {
			sources.set(source.module, source);
		}
	}
	const [only] = sources.values();
	return sources.size === 1 ? only : undefined;
}

/**
 * Returns the import source for the only file in the workspace that exports a name. Undefined if another file exports
 * it or may export it, imports it from a different module, or uses it without an import.
 */
export function exporterOf(search: Search, scene: Scene): ImportSource | undefined {
	const { document, folder } = scene;
	if (folder?.hasAll(search.query) !== true) return undefined;
	const exporters: { readonly file: Document; readonly source: ImportSource | undefined }[] = [];
	const users: Document[] = [];
	for (const file of filesWith(scene, search)) {
		if (file === document || !sameLanguage(file.languageId, document.languageId)) continue;
		const exported = exportedIn(file, search.text, search.in(file.text) ?? []);
		// Tests are imported only by tests.
		const isForTests = isTestFile(file.uri) && !isTestFile(document.uri);
		if (exported !== undefined && !isForTests) exporters.push({ file, source: sourceIn(file, document, exported) });
		else if (!isForTests && mayExport(file, search)) return undefined;
		else users.push(file);
	}
	const [only] = exporters;
	if (exporters.length !== 1 || only === undefined) return undefined;
	const { uri } = only.file;
	const isOther = (file: Document) => {
		const isUsed = mentionsOf(file, search).some((one) => !one.isMember && !one.isKey);
		return isUsed && !isImportedFrom(file, search, [uri]) && !isDeclaredIn(file, search);
	};
	if (users.some(isOther)) return undefined;
	// If the path does not determine the module name, use the name that other files use.
	const modules = users.flatMap((file) => mentionsOf(file, search).flatMap(({ line }) => moduleAt(file, line) ?? []));
	const module = modules.find((one) => !one.startsWith(".") && isModule(one, document, uri));
	if (only.source !== undefined) {
		const isOwn = !isOfOtherPackage(only.source.module) && isSamePackage(scene, uri);
		return isOwn ? inPackage(only.source, module, scene) : undefined;
	}
	return module === undefined ? undefined : { module, form: "named" };
}

/**
 * Adjusts the import of a Python file in the same folder. In a package, the module name is `module`, which other files
 * use, or starts with a dot. Returns undefined while it is unknown whether the folder is a package.
 */
function inPackage(source: ImportSource, module: string | undefined, scene: Scene): ImportSource | undefined {
	const { languageId, uri } = scene.document;
	if (languageId !== "python" || source.module.includes(".")) return source;
	const init = fileAt(scene, `${directoryOf(uri)}__init__.py`);
	if (init === undefined) return undefined;
	return init === "missing" ? source : { ...source, module: module ?? `.${source.module}` };
}

/**
 * Returns the Go package for a name: the one that all other files import under this name, or the only one in a folder
 * with that name. Undefined if there are several, or if a file in the same folder declares the name.
 */
export function packageUsed(search: Search, scene: Scene): ImportSource | undefined {
	const { document, folder } = scene;
	if (folder?.hasAll(search.query) !== true) return undefined;
	const sources = new Map<string, ImportSource>();
	const homes = new Set<string>();
	for (const file of filesWith(scene, search)) {
		if (file === document || file.languageId !== document.languageId) continue;
		const isBeside = directoryOf(file.uri) === directoryOf(document.uri);
		if (isBeside && declaresPackageName(file, search)) return undefined;
		for (const source of importedBy(file, search.text, document)) sources.set(source.module, source);
		if (!isBeside && isOfPackage(file, search)) homes.add(directoryOf(file.uri));
	}
	if (sources.size > 0) {
		const [only] = sources.values();
		return sources.size === 1 ? only : undefined;
	}
	const [home] = homes;
	const module = homes.size === 1 && home !== undefined ? goPackage(home, scene) : undefined;
	return module === undefined ? undefined : { module, form: "whole" };
}

/** Whether a Go file declares a package-level name. */
function declaresPackageName(file: Document, search: Search): boolean {
	const { text } = file;
	return mentionsOf(file, search).some(({ at, line }) => {
		const before = text.slice(text.lineStart(line), at);
		if (/^(?:const|func|type|var)\s+(?:\w+\s*,\s*)*$/.test(before)) return true;
		if (!/^\s+(?:\w+\s*,\s*)*$/.test(before)) return false;
		let above = line - 1;
		while (above >= 0 && line - above < BLOCK_LINES_MAX && /^(?:\s|$)/.test(text.line(above).slice(0, 1))) above--;
		return above >= 0 && /^(?:const|type|var)\s*\(/.test(text.line(above).slice(0, LINE_MAX));
	});
}

// Longer declaration blocks are data tables.
const BLOCK_LINES_MAX = 500;

/** Whether a file belongs to an importable Go package with the same name as its folder. */
function isOfPackage(file: Document, search: Search): boolean {
	if (!directoryOf(file.uri).endsWith(`/${search.text}/`) || file.uri.endsWith("_test.go")) return false;
	return mentionsOf(file, search).some(({ at, line }) => {
		return /^package\s+$/.test(file.text.slice(file.text.lineStart(line), at));
	});
}

/** Returns the import path of the package in a folder; undefined if the document belongs to a different module. */
function goPackage(home: string, scene: Scene): string | undefined {
	const own = goModuleAbove(directoryOf(scene.document.uri), scene);
	const module = goModuleAbove(home, scene);
	if (own === undefined || module === undefined || own.folder !== module.folder) return undefined;
	const path = home.slice(module.folder.length, -1);
	const parents = path.split("/");
	const internal = parents.lastIndexOf("internal");
	const root =
		module.folder +
		parents
			.slice(0, Math.max(internal, 0))
			.map((name) => `${name}/`)
			.join("");
	if (internal !== -1 && !scene.document.uri.startsWith(root)) return undefined;
	return `${module.name}/${path}`;
}

interface GoModule {
	readonly name: string;
	/** Ends with a slash. */
	readonly folder: string;
}

function goModuleAbove(folder: string, scene: Scene): GoModule | undefined {
	let at = folder;
	let isSure = true;
	for (let depth = 0; depth < DEPTH_MAX && at.length > 1; depth++) {
		const file = fileAt(scene, `${at}go.mod`);
		if (file === undefined) isSure = false;
		else if (file !== "missing") {
			const name = /^module\s+"?([\w./~-]+)/m.exec(headOf(file))?.[1];
			return name === undefined || !isSure ? undefined : { name, folder: at };
		}
		// Continues even if a file is not loaded yet, so that all files are requested at once.
		at = directoryOf(at.slice(0, -1));
	}
	return undefined;
}

// Real paths are not deeper than this.
const DEPTH_MAX = 32;

function fileAt(scene: Scene, uri: string): Document | "missing" | undefined {
	return documentOf(scene, uri) ?? scene.folder?.fileAt(uri);
}

/** Whether two JavaScript files belong to the same package: no folder between them has a package.json. */
function isSamePackage(scene: Scene, uri: string): boolean {
	if (familyOf(scene.document.languageId) !== "script") return true;
	const [own, other] = [directoryOf(scene.document.uri).split("/"), directoryOf(uri).split("/")];
	let shared = 0;
	while (shared < own.length - 1 && own[shared] === other[shared]) shared++;
	const folders = [own, other].flatMap((names) => {
		return names.slice(shared, -1).map((_, i) => names.slice(0, shared + i + 1).join("/"));
	});
	// Requests all the files at the same time.
	const found = folders.slice(0, DEPTH_MAX).map((folder) => fileAt(scene, `${folder}/package.json`));
	return folders.length <= DEPTH_MAX && found.every((file) => file === "missing");
}

const TEST_FILE =
	/(?:^|\/)(?:__tests__|tests?|specs?)\/|[._](?:test|spec)\.\w+$|(?:^|\/)test_[^/]*$|(?:^|\/)conftest\.py$/;

function isTestFile(uri: string): boolean {
	return TEST_FILE.test(uri);
}

/** Whether a file may export a name in a way that `exportedIn` does not recognize. */
function mayExport(file: Document, search: Search): boolean {
	const { text, languageId } = file;
	const family = familyOf(languageId);
	const hasCommonJs = family === "script" && isDeclaredIn(file, search) && COMMON_JS.mayBeIn(text);
	return mentionsOf(file, search).some(({ at, line, isMember }) => {
		if (moduleAt(file, line) !== undefined) return false;
		const start = text.lineStart(line);
		const before = text.slice(start, at);
		if (family === "python") {
			const after = text.slice(at + search.text.length, text.lineEnd(line));
			return /^(?:\w+\s*,\s*)*$/.test(before) && /^\s*(?:,[\w\s,]*)?(?::[^=]+)?=(?!=)/.test(after);
		}
		if (family === "rust") return /^\s*pub\b/.test(before);
		if (family !== "script") return false;
		if (/^\s*export\b/.test(before) || /\bexports\b/.test(before)) return true;
		return !isMember && (hasCommonJs || isInExportList(text, line, before));
	});
}

const COMMON_JS = new Search("exports");

/** Whether a line is part of a multi-line `export` list. */
function isInExportList(text: Document["text"], line: number, before: string): boolean {
	if (!/^[\s\w$,{}:]*$/.test(before)) return false;
	for (let above = line - 1; above >= 0 && line - above < LIST_LINES_MAX; above--) {
		const content = text.line(above).slice(0, LINE_MAX);
		const isOpened = content.lastIndexOf("{") > content.lastIndexOf("}");
		if (isOpened && /^\s*export\b/.test(content)) return !/[=(]|\b(?:class|enum|function|interface)\b/.test(content);
		if (/[;}]/.test(content)) return false;
	}
	return false;
}

// Longer lists are generated.
const LIST_LINES_MAX = 200;

// The module statement is at the top of go.mod.
const HEAD_MAX = 5000;

function headOf({ text }: Document): string {
	return text.slice(0, Math.min(HEAD_MAX, text.length));
}

/** Whether a relative path leads into the `src` folder of another package. */
function isOfOtherPackage(module: string): boolean {
	const names = module.split("/");
	const down = names.filter((name) => name !== "..");
	return names[0] === ".." && down.indexOf("src") > 0;
}

function sourceIn(file: Document, document: Document, form: ImportSource["form"]): ImportSource | undefined {
	const module = moduleOf(file, document);
	return module === undefined ? undefined : { module, form };
}

/**
 * Returns how a file exports a name that it declares; undefined if it does not. Python variables count only if they
 * are constants.
 */
function exportedIn(file: Document, name: string, found: readonly number[]): ImportSource["form"] | undefined {
	const isVariable = (at: number) => file.languageId === "python" && at === file.text.lineStart(file.text.lineAt(at));
	const isConstant = name === name.toUpperCase();
	const own = found.filter((at) => {
		return moduleAt(file, file.text.lineAt(at)) === undefined && (isConstant || !isVariable(at));
	});
	return formIn(file, name, own);
}

function exportedBy(other: Document, name: string, found: readonly number[], document: Document): ImportSource[] {
	const module = moduleOf(other, document);
	const form = module === undefined ? undefined : formIn(other, name, found);
	return module === undefined || form === undefined ? [] : [{ module, form }];
}

/** Returns the form of the first export among these mentions of a name. */
function formIn(other: Document, name: string, found: readonly number[]): ImportSource["form"] | undefined {
	const pattern = importSyntaxOf(other.languageId)?.exports;
	if (pattern === undefined) return undefined;
	for (const at of found) {
		const { line, start } = other.text.locate(at);
		if (other.text.lineEnd(line) - start > LINE_MAX || partAt(other, at) !== "code") continue;
		const content = other.text.line(line);
		const before = content.slice(0, at - start);
		const after = content.slice(at - start + name.length);
		// In Python, a name at the start of a line is declared only by an assignment.
		if (before === "" && !/^\s*(?::[^=]+)?=(?!=)/.test(after)) continue;
		const isListed = /^export\s*\{[^}]*$/.test(before) && /^\s*[,}]/.test(after);
		if (!pattern.test(before) && !isListed) continue;
		const isType = /^export\s+(?:declare\s+)?(?:interface|type)\s/.test(before);
		return /^export\s+default\s/.test(before) ? "default" : isType ? "type" : "named";
	}
	return undefined;
}

/** Returns the imports of a name in another file that are also valid in this one. */
function importedBy(other: Document, name: string, document: Document): ImportSource[] {
	return importsIn(other).flatMap(({ module, names, form }: Import): ImportSource[] => {
		if (!names.some((one) => one.name === name)) return [];
		const isRelative = /^\.|^(?:self|super)\b/.test(module);
		if (!isRelative) return [{ module, form }];
		const isBeside = directoryOf(other.uri) === directoryOf(document.uri);
		return isBeside ? [{ module, form }] : [];
	});
}

function directoryOf(uri: string): string {
	return uri.slice(0, uri.lastIndexOf("/") + 1);
}
