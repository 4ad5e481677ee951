import { type Document, type Edit, sameUri } from "@segue/text";
import type { Example } from "../example.js";
import { BRACE_OPEN, PARENTHESIS_OPEN } from "../languages/brackets.js";
import { declarationAt, indentOf, isMember, sameLanguage, wordsOf } from "../languages/identifiers.js";
import { isImportLine } from "../languages/imports.js";
import { isCode, languageById } from "../languages/languages.js";
import { partAt } from "../languages/parts.js";
import { closeOf, isIndented, openAt, type Scope, scopeOf } from "../languages/scope.js";
import { documentOf, outlineOf, type Scene } from "../scene.js";
import { documentsWith } from "../search/scene-search.js";
import type { Search } from "../search/search.js";
import { type BracketPurpose, purposeOf } from "../symbols/code-context.js";
import { type DeclaredMember, isOfItself, membersNamed, ownerAt, typeAround } from "../symbols/members.js";
import { type Mention, mentionsOf } from "../symbols/mentions.js";
import { roleAt } from "../symbols/name-role.js";
import { type ChangedName, declaredBy, isSameThing, isVariableAt } from "../symbols/symbol-meaning.js";
import {
	changedNameOf,
	changedNamesOf,
	type Renaming,
	reachesOthers,
	reachOf,
	renamingsOf,
	type Use,
} from "./renaming.js";

// Longer lines are not handwritten. In longer lines, edits are checked one by one instead of as whole words.
const SPREAD_LENGTH_MAX = 4000;
// The maximum length of a return type between the parameters and the body of a function.
const HEAD_LENGTH_MAX = 400;

/** An old name and its replacement. */
interface NamePair {
	readonly oldName: string;
	readonly newName: string;
}

/**
 * Returns the renames whose new name is already declared where the old one is used, as a variable or as a member of
 * the same type. Such a rename must not be repeated, because it would change the meaning of the code. The same applies
 * when the user replaced one variable or member with another.
 */
export function takenNames(scene: Scene, examples: readonly Example[]): NamePair[] {
	if (!isCode(scene.document.languageId)) return [];
	return renamingsOf(examples).flatMap((renaming) => {
		const pair = { oldName: renaming.old.text, newName: renaming.now.text };
		return isTakenMember(scene, renaming) || isTakenVariable(scene, renaming) ? [pair] : [];
	});
}

/** Whether edits replace the old name with the new one, even if they change only parts of it. */
export function spreads({ text }: Document, written: readonly Edit[], { oldName, newName }: NamePair): boolean {
	const edits = written.toSorted((a, b) => a.from - b.from);
	const first = edits[0];
	const last = edits.at(-1);
	if (first === undefined || last === undefined) return false;
	// Compare whole lines, because an edit can begin or end inside a word.
	const from = text.lineStart(text.lineAt(first.from));
	const to = text.lineEnd(text.lineAt(last.to));
	if (to - from > SPREAD_LENGTH_MAX) {
		return edits.some((edit) => edit.insert === newName && text.slice(edit.from, edit.to) === oldName);
	}
	const count = (source: string, name: string) => wordsOf(source).filter((word) => word === name).length;
	const before = text.slice(from, to);
	if (count(before, oldName) === 0) return false;
	let after = "";
	let done = from;
	for (const edit of edits) {
		after += text.slice(done, edit.from) + edit.insert;
		done = edit.to;
	}
	after += text.slice(done, to);
	return count(after, oldName) < count(before, oldName) && count(after, newName) > count(before, newName);
}

/**
 * Whether a document already uses the new name for something other than the renamed thing. With an outline,
 * declarations in other scopes and members of other types don't count.
 */
export function isTaken(scene: Scene, document: Document, renaming: Renaming): boolean {
	const { now, uses, mayBeMember } = renaming;
	const found = now.in(document.text);
	if (found === undefined) return true;
	if (found.length === 0) return false;
	const here = uses.filter(({ example }) => sameUri(example.file.uri, document.uri));
	const own = new Set(here.map(({ example }) => document.text.lineAt(example.at)));
	const outline = outlineOf(scene, document);
	const changed = changedNameOf(scene, renaming);
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
 * Returns a test for offsets where the new name refers to a declaration that is not part of the rename. The renamed
 * declarations themselves, including imports, don't count.
 */
export function foreignDeclarations(scene: Scene, document: Document, renaming: Renaming): (at: number) => boolean {
	const outline = outlineOf(scene, document);
	if (outline === undefined) return () => false;
	const places = changedNamesOf(scene, renaming).filter((one) => sameUri(one.document.uri, document.uri));
	const own = new Set(places.map(({ at }) => at));
	const declarations = outline.declarationsNamed(renaming.now.text);
	return (at) => {
		const meaning = outline.meaningOf(renaming.now.text, at);
		if (typeof meaning !== "object") return false;
		return declarations.some((one) => one.index === meaning.index && !own.has(one.at));
	};
}

/** Whether the new name is already declared as a variable, function, type or import where the old name is used. */
function isTakenVariable(scene: Scene, renaming: Renaming): boolean {
	const changed = changedNameOf(scene, renaming);
	const declared = changed && declaredBy(scene, changed);
	if (renaming.declaration === undefined && declared === undefined && !isDeclaredByRename(scene, renaming)) {
		return isOtherVariable(scene, renaming, changed);
	}
	const isShared = declared?.isShared ?? reachesOthers(renaming);
	const home = documentOf(scene, (renaming.declaration ?? (renaming.uses[0] as Use)).example.file.uri);
	const documents = new Set(isShared ? documentsWith(scene, renaming.old) : []);
	if (home !== undefined) documents.add(home);
	return [...documents].some((document) => isDeclaredIn(scene, document, renaming, changed));
}

/**
 * Whether the user renamed a declaration that is only recognizable from the code around it, for example in a pattern.
 */
function isDeclaredByRename(scene: Scene, renaming: Renaming): boolean {
	return changedNamesOf(scene, renaming).some(({ document, at }) => {
		if (outlineOf(scene, document)?.roleAt(at) !== undefined) return false;
		return isVariableRole(document, at, renaming.now.text);
	});
}

/** Whether the user replaced one variable with another at a single site, and both are declared there. */
function isOtherVariable(scene: Scene, renaming: Renaming, changed: ChangedName | undefined): boolean {
	const { old, now, uses } = renaming;
	if (changed === undefined || uses.length > 1 || isMember(changed.document.text, changed.at)) return false;
	const { document, at } = changed;
	const [wasVariable, isVariable] = [old, now].map(({ text }) => isVariableAt(scene, changed, text));
	if (wasVariable !== undefined && isVariable !== undefined) return wasVariable && isVariable;
	return [old, now].every((name) => {
		return mentionsOf(document, name).some((mention) => {
			if (mention.at >= at || mention.isMember || !declaresVariable(document, mention, name)) return false;
			const { from, to } = regionOf(document, mention);
			return from <= at && at < to;
		});
	});
}

/**
 * Whether something else declares the new name where a document uses the old one, or next to the renamed declaration.
 */
function isDeclaredIn(scene: Scene, document: Document, renaming: Renaming, changed: ChangedName | undefined): boolean {
	const { old, now, uses } = renaming;
	if (!sameLanguage(document.languageId, uses[0]?.example.file.languageId ?? "")) return false;
	if ((now.in(document.text)?.length ?? 0) === 0) return false;
	const outline = outlineOf(scene, document);
	const mentions = mentionsOf(document, old);
	const own = changedNamesOf(scene, renaming).filter((one) => sameUri(one.document.uri, document.uri));
	if (outline === undefined) return isDeclaredAround(document, renaming, mentions, own);
	const isForeign = foreignDeclarations(scene, document, renaming);
	if (own.some(({ at }) => declaredBy(scene, { document, at, oldName: old.text }) && isForeign(at))) return true;
	// The user wrote the name of an existing variable. An import of the new name is part of the rename.
	const isOther = (at: number) => outline.roleAt(at) === "use" && isVariableAt(scene, { document, at }, now.text);
	if (own.some(({ at }) => isOther(at) && isForeign(at))) return true;
	if (own.some(({ at }) => isLocalAt(scene, document, at) && isParameterAround(document, now, at))) return true;
	return mentions.some(({ at, isMember }) => {
		if (isMember || outline.roleAt(at) === "property" || !isForeign(at)) return false;
		return !(changed && isSameThing(scene, changed, { document, at }) === false);
	});
}

/** `isDeclaredIn` without an outline: checks the code around the mentions of the new name. */
function isDeclaredAround(
	document: Document,
	renaming: Renaming,
	mentions: readonly Mention[],
	own: readonly ChangedName[],
): boolean {
	const { now, uses } = renaming;
	const { text } = document;
	const isInReach = reachOf(document, renaming);
	const left = mentions.filter(({ line }) => isInReach(line));
	if (left.length === 0) return false;
	// If the positions of the user's own mentions are unknown, ignore all mentions on changed lines.
	const isHere = uses.filter(({ example }) => sameUri(example.file.uri, document.uri));
	const lines = new Set(own.length > 0 ? [] : isHere.map(({ example }) => text.lineAt(example.at)));
	const isBeside = besideOf(document, renaming);
	const used = [...left, ...own].map(({ at }) => at);
	return mentionsOf(document, now).some((mention) => {
		const { at, line } = mention;
		if (mention.isMember || lines.has(line) || own.some((one) => one.at === at)) return false;
		if (isImportLine(document, line)) return isInReach(line) || isBeside(line);
		if (!mention.isDeclaration && !isVariableRole(document, at, now.text)) return false;
		if (!isInReach(line) && !isBeside(line)) return own.some((one) => isParameterAround(document, now, one.at));
		const { from, to } = regionOf(document, mention);
		return used.some((place) => from <= place && place < to);
	});
}

/** Whether a mention declares a variable or a parameter, rather than a function or a type. */
function declaresVariable(document: Document, { at, line }: Mention, { text: name }: Search): boolean {
	const { text } = document;
	const declaration = declarationAt(text.line(line), at - text.lineStart(line), name);
	return declaration === undefined ? isVariableRole(document, at, name) : declaration !== "shared";
}

/** Whether the code around a name declares it as a variable or a parameter, possibly inside a pattern. */
function isVariableRole(document: Document, at: number, name: string): boolean {
	const role = roleAt(document, at, name);
	return role === "declaration" || role === "pattern";
}

function isLocalAt(scene: Scene, document: Document, at: number): boolean {
	return outlineOf(scene, document)?.declaredAt(at)?.kind === "variable";
}

/**
 * Whether a name is a parameter of the function around an offset, if the offset is directly in its body and not in a
 * nested block. A variable there cannot have the same name as a parameter, except in Rust, where it shadows the
 * parameter.
 */
function isParameterAround(document: Document, name: Search, at: number): boolean {
	if (document.languageId === "rust") return false;
	const { from, to } = scopeOf(document, at);
	if (from === 0 && to === document.text.length) return false;
	return mentionsOf(document, name).some((mention) => {
		if (mention.at >= at || mention.isMember || !isVariableRole(document, mention.at, name.text)) return false;
		return isInParentheses(document, mention.at) && regionOf(document, mention).to === to;
	});
}

function isInParentheses(document: Document, at: number): boolean {
	return openAt(document, at).at(-1)?.code === PARENTHESIS_OPEN;
}

/** Returns the part of a document in which a variable is visible: its block, or the function whose parameter it is. */
function regionOf(document: Document, { at, line }: Mention): Scope {
	const open = openAt(document, at).findLast(({ code }) => code === PARENTHESIS_OPEN);
	const block = blockAround(document, at);
	if (open === undefined || open.at < block.from) return block;
	const { text } = document;
	const close = closeOf(document, open.at);
	if (isIndented(document.languageId)) {
		const below = text.lineAt(close) + 1;
		const body = below < text.lineCount ? scopeOf(document, text.lineStart(below)) : block;
		return body.from === text.lineStart(text.lineAt(open.at)) ? body : block;
	}
	// An unclosed bracket extends to the end of the document.
	if (close >= text.length) return { from: open.at, to: text.length };
	const head = text.slice(close + 1, Math.min(close + 1 + HEAD_LENGTH_MAX, text.length));
	const brace = /^[^;{}]*\{/.exec(head)?.[0].length;
	// An arrow function without braces ends with its line.
	if (brace === undefined)
		return { from: open.at, to: text.lineEnd(text.lineAt(Math.max(close, text.lineStart(line)))) };
	return { from: open.at, to: closeOf(document, close + brace) };
}

/** The innermost block around an offset. The braces of a pattern are not a block. */
function blockAround(document: Document, at: number): Scope {
	if (isIndented(document.languageId)) return scopeOf(document, at);
	const open = openAt(document, at);
	const index = open.findLastIndex(({ code }, i) => {
		return code === BRACE_OPEN && !NO_BLOCKS.has(purposeOf(document, open.slice(0, i + 1)));
	});
	const brace = open[index];
	if (brace === undefined) return { from: 0, to: document.text.length };
	return { from: brace.at, to: closeOf(document, brace.at) };
}

const NO_BLOCKS: ReadonlySet<BracketPurpose> = new Set<BracketPurpose>(["import", "object", "pattern", "type"]);

/** Whether a type already has another member with the new name. */
function isTakenMember(scene: Scene, renaming: Renaming): boolean {
	const { old, now } = renaming;
	const places = changedNamesOf(scene, renaming).filter(({ document, at }) => {
		return isOfItself(document, at) || isMember(document.text, at) || ownerAt(document, at, now.text) !== undefined;
	});
	const [place] = places;
	if (place === undefined) return false;
	const isPrivate = isPrivateAt(place);
	const isMethod = isMethodAt(place, now);
	const documents = new Set([...places.map(({ document }) => document), ...documentsWith(scene, old)]);
	return [...documents].some((document) => {
		if (!sameLanguage(document.languageId, place.document.languageId)) return false;
		const own = places.filter((one) => sameUri(one.document.uri, document.uri)).map(({ at }) => at);
		const taken = membersNamed(document, now).filter(({ at }) => {
			if (own.includes(at) || isPrivateAt({ document, at }) !== isPrivate) return false;
			return !languageById(document.languageId).hasSeparateMethods || isMethodAt({ document, at }, now) === isMethod;
		});
		if (taken.length === 0) return false;
		const has = (owner: Scope) => (one: { readonly owner: Scope }) => one.owner.from === owner.from;
		const renamed = places.flatMap((one) => {
			const owner = ownerAt(one.document, one.at, now.text);
			return owner === undefined ? [] : [{ uri: one.document.uri, owner }];
		});
		// The user renamed a declaration, so the type of the member is known.
		if (renamed.length > 0) {
			return renamed.some(({ uri, owner }) => sameUri(uri, document.uri) && taken.some(has(owner)));
		}
		// The user changed only uses. They refer to another member if a type declares both names, or the new one
		// twice. In the second case the user renamed a declaration, but it is unknown which of the two equal lines.
		const kept = [...membersNamed(document, old), ...repeatedFields(document, now, taken)];
		const around = own.filter((at) => isOfItself(document, at)).map((at) => typeAround(document, at));
		const known = around.filter((owner) => [...taken, ...kept].some(has(owner)));
		return taken.some(({ owner }) => {
			return kept.some(has(owner)) && (known.length === 0 || known.some((one) => one.from === owner.from));
		});
	});
}

/** Returns the fields that are declared a second time in their type. Methods and accessors can be declared twice. */
function repeatedFields(document: Document, name: Search, members: readonly DeclaredMember[]): DeclaredMember[] {
	const fields = members.filter(({ at }) => !isOfItself(document, at) && !isMethodAt({ document, at }, name));
	return fields.filter(({ owner }, i) => fields.findIndex((one) => one.owner.from === owner.from) < i);
}

/** Whether a declared or called method has this name, based on the adjacent characters. */
function isMethodAt({ document: { text }, at }: Pick<ChangedName, "document" | "at">, { text: name }: Search): boolean {
	const to = at + name.length;
	if (/\bdef\s$/.test(text.slice(Math.max(at - 5, 0), at))) return true;
	return /^\s*[(<]/.test(text.slice(to, Math.min(to + 4, text.length)));
}

/** Whether a name has the `#` of a private JavaScript member. The same name without it is another member. */
function isPrivateAt({ document, at }: Pick<ChangedName, "document" | "at">): boolean {
	return at > 0 && document.text.slice(at - 1, at) === "#";
}

/** Returns a test for the lines above a declaration that are directly in its block. */
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
