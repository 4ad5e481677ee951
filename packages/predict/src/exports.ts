import type { Document } from "@segue/text";
import { LINE_MAX, sameLanguage } from "./code.js";
import { documentsWith, filesWith } from "./concordance.js";
import { Search } from "./find.js";
import { familyOf, type Import, importsIn, moduleAt, type Source } from "./imports.js";
import { isImportedFrom } from "./meaning.js";
import { isDeclaredIn, mentionsOf } from "./mentions.js";
import { isModule, moduleOf } from "./modules.js";
import { partAt } from "./parts.js";
import type { Scene } from "./scene.js";

// What stands before a name where a file makes it known to others.
const EXPORTS: Readonly<Record<string, RegExp>> = {
	script:
		/^export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:class|const|enum|function\*?|interface|let|type|var)\s+$/,
	python: /^(?:class|(?:async\s+)?def)\s+$|^$/,
	rust: /^pub\s+(?:(?:async|const|unsafe)\s+)*(?:const|enum|fn|static|struct|trait|type|union)\s+$/,
	java: /^public\s+(?:(?:abstract|final|sealed|static)\s+)*(?:@?interface|class|enum|record)\s+$/,
	csharp: /^\s*public\s+(?:(?:abstract|partial|sealed|static)\s+)*(?:class|enum|interface|record|struct)\s+$/,
	php: /^(?:(?:abstract|final)\s+)*(?:class|enum|interface|trait)\s+$/,
};

/**
 * Where a document would get a name from that it does not know: from a file that exports it, or from where another file
 * has it. Undefined where there is none, or more than one.
 */
export function sourceOf(name: string, scene: Scene): Source | undefined {
	const { document } = scene;
	const search = new Search(name);
	const sources = new Map<string, Source>();
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
 * The only file of the workspace that exports a name, as a document would import it. Undefined where that is not sure: another file
 * exports it as well, or has it from elsewhere, or uses it without an import.
 */
export function exporterOf(search: Search, scene: Scene): Source | undefined {
	const { document, folder } = scene;
	if (folder?.hasAll(search.wanted) !== true) return undefined;
	const exporters: { readonly file: Document; readonly source: Source | undefined }[] = [];
	const users: Document[] = [];
	for (const file of filesWith(scene, search)) {
		if (file === document || !sameLanguage(file.languageId, document.languageId)) continue;
		const exported = exportedIn(file, search.text, search.in(file.text) ?? []);
		if (exported === undefined) users.push(file);
		else exporters.push({ file, source: sourceIn(file, document, exported) });
	}
	const [only] = exporters;
	if (exporters.length !== 1 || only === undefined) return undefined;
	const { uri } = only.file;
	const isOther = (file: Document) => {
		const isUsed = mentionsOf(file, search).some((one) => !one.isMember && !one.isKey);
		return isUsed && !isImportedFrom(file, search, [uri]) && !isDeclaredIn(file, search);
	};
	if (users.some(isOther)) return undefined;
	if (only.source !== undefined) return isOfOtherPackage(only.source.module) ? undefined : only.source;
	// Other files tell the name of the module where the path does not.
	const modules = users.flatMap((file) => mentionsOf(file, search).flatMap(({ line }) => moduleAt(file, line) ?? []));
	const module = modules.find((one) => !one.startsWith(".") && isModule(one, document, uri));
	return module === undefined ? undefined : { module, form: "named" };
}

/** The package that all files seen mean by a name which stands before what it exports. */
export function packageUsed(search: Search, scene: Scene): Source | undefined {
	const sources = new Map<string, Source>();
	for (const file of filesWith(scene, search)) {
		if (file === scene.document || file.languageId !== scene.document.languageId) continue;
		for (const source of importedBy(file, search.text, scene.document)) sources.set(source.module, source);
	}
	const [only] = sources.values();
	return sources.size === 1 ? only : undefined;
}

/** Whether a path goes up, and then into the sources of something else. */
function isOfOtherPackage(module: string): boolean {
	const names = module.split("/");
	const down = names.filter((name) => name !== "..");
	return names[0] === ".." && down.indexOf("src") > 0;
}

function sourceIn(file: Document, document: Document, form: Source["form"]): Source | undefined {
	const module = moduleOf(file, document);
	return module === undefined ? undefined : { module, form };
}

/** How a file exports a name that it declares; undefined where it does not. A variable of Python is meant for others if it is a constant. */
function exportedIn(file: Document, name: string, found: readonly number[]): Source["form"] | undefined {
	const isVariable = (at: number) => file.languageId === "python" && at === file.text.lineStart(file.text.lineAt(at));
	const isConstant = name === name.toUpperCase();
	const own = found.filter((at) => {
		return moduleAt(file, file.text.lineAt(at)) === undefined && (isConstant || !isVariable(at));
	});
	return formIn(file, name, own);
}

function exportedBy(other: Document, name: string, found: readonly number[], document: Document): Source[] {
	const module = moduleOf(other, document);
	const form = module === undefined ? undefined : formIn(other, name, found);
	return module === undefined || form === undefined ? [] : [{ module, form }];
}

/** How a file exports a name, at the first of some places that does. */
function formIn(other: Document, name: string, found: readonly number[]): Source["form"] | undefined {
	const pattern = EXPORTS[familyOf(other.languageId)];
	if (pattern === undefined) return undefined;
	for (const at of found) {
		const { line, start } = other.text.locate(at);
		if (other.text.lineEnd(line) - start > LINE_MAX || partAt(other, at) !== "code") continue;
		const content = other.text.line(line);
		const before = content.slice(0, at - start);
		const after = content.slice(at - start + name.length);
		// A name at the start of a line of Python is one where it is assigned to.
		if (before === "" && !/^\s*(?::[^=]+)?=(?!=)/.test(after)) continue;
		const isListed = /^export\s*\{[^}]*$/.test(before) && /^\s*[,}]/.test(after);
		if (!pattern.test(before) && !isListed) continue;
		const isType = /^export\s+(?:declare\s+)?(?:interface|type)\s/.test(before);
		return /^export\s+default\s/.test(before) ? "default" : isType ? "type" : "named";
	}
	return undefined;
}

/** What another file imports by that name, as this one would. */
function importedBy(other: Document, name: string, document: Document): Source[] {
	return importsIn(other).flatMap(({ module, names, form }: Import): Source[] => {
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
