import { type Document, sameUri } from "@segue/text";
import type { Finding } from "../candidate.js";
import type { Example } from "../example.js";
import { touchedIn } from "../history.js";
import { declarationAt, isKey, isMember, isName, LINE_MAX, wordsOf } from "../languages/identifiers.js";
import { addImport, familyOf, importSyntaxOf, importsIn, isImportLine } from "../languages/imports.js";
import { partAt } from "../languages/parts.js";
import { outlineOf, type Scene } from "../scene.js";
import { filesWith } from "../search/scene-search.js";
import { Search } from "../search/search.js";
import { exporterOf, packageUsed } from "../symbols/exports.js";
import { isDeclaredIn, mentionsOf } from "../symbols/mentions.js";
import { roleAt } from "../symbols/name-role.js";

// Only names on recently changed lines are imported.
const EXAMPLES_MAX = 3;
const NAMES_MAX = 6;
// Shorter names are usually variables that the user is about to declare.
const NAME_MIN = 3;

/**
 * Imports a name that the user has just written, if the file does not define it and exactly one file in the workspace
 * exports it. This requires no diagnostics, but it does require a workspace index, to be certain that no other file
 * exports the name.
 */
export function proposeImports(scene: Scene, examples: readonly Example[]): Finding[] {
	const { document, folder } = scene;
	const builtins = importSyntaxOf(document.languageId)?.builtins;
	if (folder === undefined || builtins === undefined) return [];
	return writtenNames(scene, examples, builtins).flatMap(({ name, at }): Finding[] => {
		const search = new Search(name);
		// The cheapest check comes first: most names occur in no other file.
		if (!filesWith(scene, search).some((one) => one !== document)) return [];
		if (!isReference(scene, name, at) || !isUnknown(scene, search, at) || hidesImports(document)) return [];
		const source = document.languageId === "go" ? packageUsed(search, scene) : exporterOf(search, scene);
		const edit = source && addImport(document, name, source);
		if (edit === undefined || source === undefined) return [];
		return [
			{
				proposal: { kind: "edit", uri: document.uri, edits: [edit] },
				predictor: "diagnostic",
				rule: `import ${name} from ${source.module}`,
				why: () => `\`${name}\` is not imported; it is available from \`${source.module}\``,
				features: [{ import: 1, asked: scene.trigger === "manual" ? 1 : 0 }],
			},
		];
	});
}

interface Written {
	readonly name: string;
	readonly at: number;
}

/** Returns the names that the user added on the last changed lines. */
function writtenNames(
	{ document, cursor, trigger }: Scene,
	examples: readonly Example[],
	builtins: ReadonlySet<string>,
): Written[] {
	const written = new Map<string, Written>();
	for (const { file, before = "", after = "", at: start } of examples.slice(-EXAMPLES_MAX).toReversed()) {
		if (!sameUri(file.uri, document.uri) || after.length > LINE_MAX) continue;
		const known = new Set(wordsOf(before));
		for (const { 0: name, index } of after.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)) {
			const at = start + index;
			if (name.length < NAME_MIN || known.has(name) || written.has(name) || builtins.has(name)) continue;
			// The user may still be typing the name.
			if (trigger !== "manual" && at <= cursor && cursor <= at + name.length) continue;
			if (isName(name, document.languageId) && !isMember(after, index)) written.set(name, { name, at });
			if (written.size >= NAMES_MAX) return [...written.values()];
		}
	}
	return [...written.values()];
}

/** Whether a name is a reference that an import could resolve. */
function isReference({ document }: Scene, name: string, at: number): boolean {
	const { languageId, text } = document;
	const { line: number, start } = text.locate(at);
	const line = text.line(number);
	const index = at - start;
	const rest = line.slice(index + name.length);
	if (partAt(document, at) !== "code" || isImportLine(document, number)) return false;
	if (declarationAt(line, index, name) !== undefined || roleAt(document, at, name) === "declaration") return false;
	// A Go package is followed by an exported name.
	if (languageId === "go") return /^\.\p{Lu}/u.test(rest);
	// An assignment target is a variable or a named argument, and a macro is not imported as a function.
	if (/^\s*=(?!=)/.test(rest) || (languageId === "rust" && rest.startsWith("!"))) return false;
	return languageId === "python" || !isKey(line, index + name.length);
}

/** Whether a name is not defined in the document, and was not used there before. */
function isUnknown(scene: Scene, search: Search, at: number): boolean {
	const { document, history } = scene;
	const name = search.text;
	if (importsIn(document).some(({ names }) => names.some((one) => one.name.split(".")[0] === name))) return false;
	const outline = outlineOf(scene, document);
	const role = outline?.roleAt(at);
	if (role === "property" || role === "declaration" || typeof outline?.meaningOf(name, at) === "object") return false;
	if (isDeclaredIn(document, search)) return false;
	// A name that the file already used without importing it is defined in some other way.
	const isTouched = touchedIn(history, document);
	return mentionsOf(document, search).every(({ line, isMember: isPart }) => isPart || isTouched(line));
}

const ALL_NAMES = /^\s*(?:from\s+\S+\s+import\s+\*|(?:pub\s+)?use\s+[\w:]+::\*|\.\s+")/m;
const REQUIRES = /\brequire\s*\(/;
// Imports are at the top of a file.
const HEAD_MAX = 10_000;

/** Whether a document has imports that don't list their names, such as `import *`. */
function hidesImports({ text, languageId }: Document): boolean {
	const head = text.slice(0, Math.min(HEAD_MAX, text.length));
	return ALL_NAMES.test(head) || (familyOf(languageId) === "script" && REQUIRES.test(head));
}
