import { type Document, sameUri } from "@segue/text";
import type { Example } from "../example.js";
import { type DeclarationReach, declarationAt, indentOf, isKey, isMember, isName } from "../languages/identifiers.js";
import { languageById } from "../languages/languages.js";
import type { Scene } from "../scene.js";
import { Search } from "../search/search.js";
import { roleAt } from "../symbols/name-role.js";
import { type ChangedName, changedNameAt, declaredBy } from "../symbols/symbol-meaning.js";

// A single letter names something else in every function.
const NAME_MIN = 2;
// What the user renamed longer ago is done by now.
const RENAMINGS_MAX = 6;

/** The renames that the last few examples are part of, the newest first. */
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

/** One name that became another, and wherever that is known to have happened. */
export interface Renaming {
	readonly old: Search;
	readonly now: Search;
	/** In the order in which they were made. */
	readonly uses: readonly Use[];
	/** The newest one that declares the name. */
	readonly declaration: (Use & { readonly reach: DeclarationReach }) | undefined;
	/** In all uses it is looked up in something else. */
	readonly wasMember: boolean;
	/** In some it is, or it is declared as what is looked up. */
	readonly mayBeMember: boolean;
	/** In some use it is a key or a label. */
	readonly wasKey: boolean;
}

export interface Use {
	readonly example: Example;
	/** The old line, and where in it the old name was. */
	readonly line: string;
	readonly from: number;
}

// Each is asked for by the rename itself, and by rules of bare names.
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
			// Two names that changed places are not renamed: each still stands for what it did.
			if (line.slice(from, to) === newName && insert === oldName) return undefined;
			if (line.slice(from, to) !== oldName) continue;
			if (insert === newName) uses.push({ example, line, from });
			else if (isName(insert)) return undefined; // the name became two others, so a third place could become either
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

/** Whether the name is a parameter where it was renamed, as far as the brackets around it tell. */
function parameterAt({ example, line, from }: Use, newName: string): DeclarationReach | undefined {
	const { file, at, edits } = example;
	let now = at + from;
	for (const edit of edits) if (edit.from < from) now += edit.insert.length - (edit.to - edit.from);
	const { uri, languageId, now: text } = file;
	if (now + newName.length > text.length || !line.slice(0, from).includes("(")) return undefined;
	return roleAt({ uri, languageId, version: 0, text }, now, newName) === "declaration" ? "parameter" : undefined;
}

/** Where variables are not declared, the first line that has the name does, if it assigns to it. */
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

/** Whether a function is declared inside something, or for a type. */
function isMethod({ line, from }: Use): boolean {
	return indentOf(line) !== "" || /\)\s*$/.test(line.slice(0, from));
}

// The rename asks for it in each document, and so do the rules that repeat it.
const CHANGED = new WeakMap<Scene, Map<Renaming, ChangedName | undefined>>();

/** Where the name was changed: at its declaration, or else where the user did it last. */
export function changedNameOf(scene: Scene, renaming: Renaming): ChangedName | undefined {
	const known = CHANGED.get(scene) ?? new Map<Renaming, ChangedName | undefined>();
	CHANGED.set(scene, known);
	if (!known.has(renaming)) {
		const changed = changedNamesOf(scene, renaming);
		known.set(renaming, changed.findLast((one) => declaredBy(scene, one) !== undefined) ?? changed.at(-1));
	}
	return known.get(renaming);
}

/** Where the user wrote the new name, in the documents of the scene. */
export function changedNamesOf(scene: Scene, { uses, old }: Renaming): ChangedName[] {
	return uses.flatMap(({ example, from }) => {
		const edit = example.edits.find((one) => one.from === from && one.to === from + old.text.length);
		return (edit && changedNameAt(scene, example, edit)) ?? [];
	});
}

/** Whether the name can be meant in other documents. */
export function reachesOthers({ uses, declaration, wasMember }: Renaming): boolean {
	if (declaration !== undefined) {
		return declaration.reach === "shared" || (declaration.reach === "local" && indentOf(declaration.line) === "");
	}
	return uses.some((use) => !sameUri(use.example.file.uri, uses[0]?.example.file.uri ?? "")) || wasMember;
}

/** Whether a name is of one block only. */
export function isBound(declaration: Renaming["declaration"]): boolean {
	if (declaration === undefined || declaration.reach === "shared") return false;
	return declaration.reach === "parameter" || indentOf(declaration.line) !== "";
}

/**
 * Tells the lines on which a name means what was declared. The block of a declaration ends where a line is indented
 * less; that of a parameter, where one is indented no more than the function, and does not merely close it.
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
