import type { Document } from "@segue/text";
import { LINE_MAX, sameLanguage } from "./code.js";
import { documentsWith } from "./concordance.js";
import { Search } from "./find.js";
import { familyOf, type Import, importsIn, type Source } from "./imports.js";
import { moduleOf } from "./modules.js";
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

function exportedBy(other: Document, name: string, found: readonly number[], document: Document): Source[] {
	const pattern = EXPORTS[familyOf(other.languageId)];
	const module = pattern && moduleOf(other, document);
	if (pattern === undefined || module === undefined) return [];
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
		return [{ module, form: /^export\s+default\s/.test(before) ? "default" : isType ? "type" : "named" }];
	}
	return [];
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
