import { type Document, sameUri } from "@segue/text";
import { declarationAt, indentOf, sameLanguage } from "./code.js";
import { documentsWith } from "./concordance.js";
import type { Example } from "./example.js";
import { isImportLine } from "./imports.js";
import { type Changed, changedAt, declaredBy, isSameThing, isVariableAt } from "./meaning.js";
import { mentionsOf } from "./mentions.js";
import { isCode, partAt } from "./parts.js";
import { changedBy, type Renaming, reachesOthers, reachOf, renamingsOf, type Use } from "./renaming.js";
import { documentOf, outlineOf, type Scene } from "./scene.js";
import { scopeOf } from "./scope.js";

/** An old name and the new one. */
export interface NamePair {
	readonly oldName: string;
	readonly newName: string;
}

/**
 * The declarations that the user gave a name that is already declared where the old name is used. Such a rename is spread nowhere:
 * some of the places would change their meaning. The same applies to a variable that the user replaced once by another variable.
 */
export function takenNames(scene: Scene, examples: readonly Example[]): NamePair[] {
	if (!isCode(scene.document.languageId)) return [];
	return renamingsOf(examples).flatMap((renaming) => {
		const changed = changedBy(scene, renaming);
		const declared = changed && declaredBy(scene, changed);
		const pair = { oldName: renaming.old.text, newName: renaming.now.text };
		if (renaming.declaration === undefined && declared === undefined) {
			return isOtherVariable(scene, renaming, changed) ? [pair] : [];
		}
		const isShared = declared?.isShared ?? reachesOthers(renaming);
		const home = documentOf(scene, (renaming.declaration ?? (renaming.uses[0] as Use)).example.file.uri);
		const documents = new Set(isShared ? documentsWith(scene, renaming.old) : []);
		if (home !== undefined) documents.add(home);
		const isAnywhere = [...documents].some((document) => isDeclaredIn(scene, document, renaming, changed));
		return isAnywhere ? [pair] : [];
	});
}

/**
 * Whether the new name already means something in a document, other than what the user renamed. What is declared under it
 * is told apart by its scope, where that is known, and so are parts of other things.
 */
export function isTaken(scene: Scene, document: Document, renaming: Renaming): boolean {
	const { now, uses, mayBeMember } = renaming;
	const found = now.in(document.text);
	if (found === undefined) return true;
	if (found.length === 0) return false;
	const here = uses.filter(({ example }) => sameUri(example.file.uri, document.uri));
	const own = new Set(here.map(({ example }) => document.text.lineAt(example.at)));
	const outline = outlineOf(scene, document);
	const changed = changedBy(scene, renaming);
	const isHere = changed !== undefined && sameUri(changed.document.uri, document.uri);
	const scope = isHere ? declaredBy(scene, changed)?.scope : undefined;
	return found.some((at) => {
		if (own.has(document.text.lineAt(at)) || partAt(document, at) !== "code") return false;
		const role = outline?.roleAt(at);
		if (role === "property") return mayBeMember;
		if (scope !== undefined && outline?.declaredAt(at)?.scope === scope) return true;
		return role === undefined || typeof outline?.meaningOf(now.text, at) !== "object";
	});
}

/**
 * Tells whether the new name is declared at an offset of a document by anything but the user's rename. The renamed declarations
 * themselves, such as an import that was renamed along, don't count.
 */
export function foreignDeclarations(
	scene: Scene,
	document: Document,
	{ now, uses, old }: Renaming,
): (at: number) => boolean {
	const outline = outlineOf(scene, document);
	if (outline === undefined) return () => false;
	const own = new Set(
		uses.flatMap(({ example, from }) => {
			const edit = example.edits.find((one) => one.from === from && one.to === from + old.text.length);
			const changed = edit && changedAt(scene, example, edit);
			return changed !== undefined && sameUri(changed.document.uri, document.uri) ? [changed.at] : [];
		}),
	);
	const declarations = outline.declarationsNamed(now.text);
	return (at) => {
		const meaning = outline.meaningOf(now.text, at);
		if (typeof meaning !== "object") return false;
		return declarations.some((one) => one.index === meaning.index && !own.has(one.at));
	};
}

/** Whether the user replaced a variable at one place by another one, and both are declared there. */
function isOtherVariable(scene: Scene, { old, now, uses }: Renaming, changed: Changed | undefined): boolean {
	if (changed === undefined || uses.length > 1) return false;
	const { document, at } = changed;
	const [wasVariable, isVariable] = [old, now].map(({ text }) => isVariableAt(scene, changed, text));
	if (wasVariable !== undefined && isVariable !== undefined) return wasVariable && isVariable;
	const { from, to } = scopeOf(document, at);
	if (from === 0 && to === document.text.length) return false;
	const { text } = document;
	return [old, now].every((name) => {
		return mentionsOf(document, name).some((mention) => {
			if (mention.at < from || mention.at >= at || !mention.isDeclaration) return false;
			const start = text.lineStart(mention.line);
			return declarationAt(text.line(mention.line), mention.at - start, name.text) === "local";
		});
	});
}

/** Whether the new name is declared by something else where a document still uses the old one, or beside the renamed declaration. */
function isDeclaredIn(scene: Scene, document: Document, renaming: Renaming, changed: Changed | undefined): boolean {
	const { old, now, uses } = renaming;
	if (!sameLanguage(document.languageId, uses[0]?.example.file.languageId ?? "")) return false;
	if ((now.in(document.text)?.length ?? 0) === 0) return false;
	const outline = outlineOf(scene, document);
	const mentions = mentionsOf(document, old);
	if (outline === undefined) {
		const isInReach = reachOf(document, renaming);
		const here = uses.filter(({ example }) => sameUri(example.file.uri, document.uri));
		const own = new Set(here.map(({ example }) => document.text.lineAt(example.at)));
		if (!mentions.some(({ line }) => isInReach(line))) return false;
		const isBeside = besideOf(document, renaming);
		return mentionsOf(document, now).some(({ line, isDeclaration }) => {
			if (own.has(line) || !(isInReach(line) || isBeside(line))) return false;
			return isDeclaration || isImportLine(document, line);
		});
	}
	const isForeign = foreignDeclarations(scene, document, renaming);
	const isHome = changed !== undefined && sameUri(changed.document.uri, document.uri);
	if (isHome && declaredBy(scene, changed) !== undefined && isForeign(changed.at)) return true;
	return mentions.some(({ at, isMember }) => {
		if (isMember || outline.roleAt(at) === "property" || !isForeign(at)) return false;
		return !(changed && isSameThing(scene, changed, { document, at }) === false);
	});
}

/** Tells the lines above a declaration that belong to its block, but not to a block inside it. */
function besideOf({ text, uri }: Document, { declaration }: Renaming): (line: number) => boolean {
	if (declaration?.reach !== "local" || !sameUri(declaration.example.file.uri, uri)) return () => false;
	const last = text.lineAt(declaration.example.at);
	const depth = indentOf(declaration.line).length;
	let first = last;
	for (; first > 0; first--) {
		const above = text.line(first - 1);
		const indent = indentOf(above).length;
		if (indent < depth && indent < above.length) break;
	}
	return (line) => first <= line && line < last && indentOf(text.line(line)).length === depth;
}
