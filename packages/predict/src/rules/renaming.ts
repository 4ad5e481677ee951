import { type Document, sameUri } from "@segue/text";
import type { Example } from "../example.js";
import { type DeclarationReach, declarationAt, indentOf, isKey, isMember, isName } from "../languages/identifiers.js";
import { languageById } from "../languages/languages.js";
import type { Scene } from "../scene.js";
import { Search } from "../search/search.js";
import { roleAt } from "../symbols/name-role.js";
import { type ChangedName, changedNameAt, declaredBy } from "../symbols/symbol-meaning.js";

// A single-letter name means something different in each function.
const NAME_MIN = 2;
// Older renames are finished.
const RENAMINGS_MAX = 6;

/** Returns the renames that the examples are part of, newest first. */
export function renamingsOf(examples: readonly Example[]): Renaming[] {
	const renamings = new Map<string, Renaming>();
	for (const { before = "", edits } of examples.toReversed()) {
		for (const { from, to, insert } of edits) {
			const oldName = before.slice(from, to);
			const key = `${oldName} ${insert}`;
			if (renamings.has(key)) continue;
			const renaming = renamingOf(examples, oldName, insert);
			if (renaming !== undefined) renamings.set(key, renaming);
			if (renamings.size >= RENAMINGS_MAX) return [...renamings.values()];
		}
	}
	return [...renamings.values()];
}

/** A rename: the old name, the new name, and the uses that the user renamed. */
export interface Renaming {
	readonly old: Search;
	readonly now: Search;
	/** Oldest first. */
	readonly uses: readonly Use[];
	/** The newest use that declares the name. */
	readonly declaration: (Use & { readonly reach: DeclarationReach }) | undefined;
	/** The name is a member in all uses. */
	readonly wasMember: boolean;
	/** The name is a member in some use, or is declared as one. */
	readonly mayBeMember: boolean;
	/** The name is a key or a label in some use. */
	readonly wasKey: boolean;
}

export interface Use {
	readonly example: Example;
	/** The line before the rename. */
	readonly line: string;
	/** The offset of the old name in `line`. */
	readonly from: number;
}

// Used by the rename predictor and by repeat rules.
const RENAMINGS = new WeakMap<readonly Example[], Map<string, Renaming | undefined>>();

export function renamingOf(examples: readonly Example[], oldName: string, newName: string): Renaming | undefined {
	if (!isName(oldName) || !isName(newName) || oldName.length < NAME_MIN || newName.length < NAME_MIN) return undefined;
	let known = RENAMINGS.get(examples);
	if (known === undefined) {
		known = new Map();
		RENAMINGS.set(examples, known);
	}
	const key = `${oldName} ${newName}`;
	if (!known.has(key)) known.set(key, readRenaming(examples, oldName, newName));
	return known.get(key);
}

function readRenaming(examples: readonly Example[], oldName: string, newName: string): Renaming | undefined {
	const uses: Use[] = [];
	for (const example of examples) {
		const line = example.before ?? "";
		for (const { from, to, insert } of example.edits) {
			// Two names were swapped, which is not a rename.
			if (line.slice(from, to) === newName && insert === oldName) return undefined;
			if (line.slice(from, to) !== oldName) continue;
			if (insert === newName) uses.push({ example, line, from });
			else if (isName(insert)) return undefined; // either replacement could apply at a third site
		}
	}
	const declarations = uses.flatMap((use) => {
		const reach =
			declarationAt(use.line, use.from, oldName) ?? firstAssignment(use, oldName) ?? parameterAt(use, newName);
		return reach === undefined ? [] : [{ reach, ...use }];
	});
	const declaration = declarations.at(-1);
	return {
		old: new Search(oldName),
		now: new Search(newName),
		uses,
		declaration,
		wasMember: uses.every(isMemberUse),
		mayBeMember: uses.some(isMemberUse) || (declaration?.reach === "shared" && isMethod(declaration)),
		wasKey: uses.some((use) => isKey(use.line, use.from + oldName.length)),
	};
}

/** Returns "parameter" if the brackets around the renamed name show that it is a parameter. */
function parameterAt({ example, line, from }: Use, newName: string): DeclarationReach | undefined {
	const { file, at, edits } = example;
	let now = at + from;
	for (const edit of edits) if (edit.from < from) now += edit.insert.length - (edit.to - edit.from);
	const { uri, languageId, now: text } = file;
	if (now + newName.length > text.length || !line.slice(0, from).includes("(")) return undefined;
	return roleAt({ uri, languageId, version: 0, text }, now, newName) === "declaration" ? "parameter" : undefined;
}

/** In languages without declarations, the first line that contains a name declares it if the line assigns to it. */
function firstAssignment({ example, line, from }: Use, name: string): DeclarationReach | undefined {
	const { file } = example;
	if (!languageById(file.languageId).hasNoDeclarations) return undefined;
	const isAssigned = indentOf(line).length === from && /^\s*=(?!=)/.test(line.slice(from + name.length));
	if (!isAssigned) return undefined;
	const first = new Search(name).in(file.start)?.[0];
	return first !== undefined && file.start.line(file.start.lineAt(first)) === line ? "local" : undefined;
}

function isMemberUse({ line, from }: Use): boolean {
	return isMember(line, from);
}

/** Whether a function is nested or declared on a type. */
function isMethod({ line, from }: Use): boolean {
	return indentOf(line) !== "" || /\)\s*$/.test(line.slice(0, from));
}

// Used for every document, by the rename predictor and by repeat rules.
const CHANGED = new WeakMap<Scene, Map<Renaming, ChangedName | undefined>>();

/** Returns the position where the user changed the name: its declaration, or else the newest use. */
export function changedNameOf(scene: Scene, renaming: Renaming): ChangedName | undefined {
	const known = CHANGED.get(scene) ?? new Map<Renaming, ChangedName | undefined>();
	CHANGED.set(scene, known);
	if (!known.has(renaming)) {
		const changed = changedNamesOf(scene, renaming);
		known.set(renaming, changed.findLast((one) => declaredBy(scene, one) !== undefined) ?? changed.at(-1));
	}
	return known.get(renaming);
}

/** Returns the positions where the user wrote the new name. */
export function changedNamesOf(scene: Scene, { uses, old }: Renaming): ChangedName[] {
	return uses.flatMap(({ example, from }) => {
		const edit = example.edits.find((one) => one.from === from && one.to === from + old.text.length);
		return (edit && changedNameAt(scene, example, edit)) ?? [];
	});
}

/** Whether other documents can refer to the name. */
export function reachesOthers({ uses, declaration, wasMember }: Renaming): boolean {
	if (declaration !== undefined) {
		return declaration.reach === "shared" || (declaration.reach === "local" && indentOf(declaration.line) === "");
	}
	return uses.some((use) => !sameUri(use.example.file.uri, uses[0]?.example.file.uri ?? "")) || wasMember;
}

/** Whether a declaration is visible only in one block. */
export function isBound(declaration: Renaming["declaration"]): boolean {
	if (declaration === undefined || declaration.reach === "shared") return false;
	return declaration.reach === "parameter" || indentOf(declaration.line) !== "";
}

/**
 * Returns a test for the lines in the scope of a declaration. The block of a declaration ends at a line with less
 * indent; the block of a parameter ends at a line with the function's indent or less that does not begin with a
 * bracket.
 */
export function reachOf(document: Document, { declaration }: Renaming): (line: number) => boolean {
	if (declaration === undefined || !isBound(declaration)) return () => true;
	if (!sameUri(declaration.example.file.uri, document.uri)) return () => false;
	const { text } = document;
	const first = text.lineAt(declaration.example.at);
	const depth = indentOf(declaration.line).length;
	const isParameter = declaration.reach === "parameter";
	let end = first + 1;
	for (; end < text.lineCount; end++) {
		const line = text.line(end);
		const indent = indentOf(line).length;
		if (indent === line.length) continue;
		if (indent < depth) break;
		if (isParameter && indent === depth && !/^\s*[)\]}{]/.test(line)) break;
	}
	return (line) => first <= line && line < end;
}
