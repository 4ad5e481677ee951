import { type Document, type Edit, sameUri } from "@segue/text";
import type { Finding } from "./candidate.js";
import { type Declaration, declarationAt, indentOf, isKey, isMember, isName, sameLanguage } from "./code.js";
import { documentsWith } from "./concordance.js";
import { ageOf, type Example } from "./example.js";
import { Search } from "./find.js";
import { touchedIn } from "./history.js";
import { importsFile, isImportLine } from "./imports.js";
import { type Changed, changedAt, declaredBy, isSameThing, isVariableAt } from "./meaning.js";
import { mentionsOf } from "./mentions.js";
import { roleAt } from "./names.js";
import { isCode, partAt } from "./parts.js";
import { areMany, editsIn, findingsOf, type Place } from "./place.js";
import { documentOf, outlineOf, type Scene } from "./scene.js";
import { scopeOf } from "./scope.js";
import { whyOf } from "./why.js";

// A single letter names something else in every function.
const NAME_MIN = 2;
const SHORT_MAX = 3;
// What the user renamed longer ago is done by now.
const RENAMINGS_MAX = 6;

/** Goes on with renames that the user has begun: a name became another on one of the lines that were changed last. */
export function proposeRename(scene: Scene, examples: readonly Example[]): Finding[] {
	return renamingsOf(examples).flatMap((renaming) => proposeOne(scene, examples, renaming));
}

function proposeOne(scene: Scene, examples: readonly Example[], renaming: Renaming): Finding[] {
	const { uses, declaration } = renaming;
	const oldName = renaming.old.text;
	const newName = renaming.now.text;
	const own = uses.filter(({ example }) => !example.isAccepted);
	if (!isCode(scene.document.languageId) || isUnderWay(scene, oldName, newName)) return [];

	const { languageId } = scene.document;
	const changed = changedBy(scene, renaming);
	const declared = changed && declaredBy(scene, changed);
	const isShared = declared?.isShared ?? reachesOthers(renaming);
	const documents = isShared ? documentsWith(scene, renaming.old) : [scene.document];
	const named = documents.filter((one) => sameLanguage(languageId, one.languageId));
	const isDeclared = declaration !== undefined || declared !== undefined;
	const isRenamed = {
		only: isDeclared && isOnlyChange(examples, uses) ? 1 : 0,
		confirmed: isDeclared && own.length < uses.length ? 1 : 0,
	};
	const became = `\`${oldName}\` became \`${newName}\``;
	const leftOf = ({ document, edits }: Place) => edits.map(({ from, to }) => ({ document, from, to, edits }));
	const clear: Place[] = [];
	const unclear: Place[] = [];
	for (const document of named) {
		const found = placesIn(scene, document, renaming, changed);
		const isMeant = found.length > 0 && isMeantIn(scene, document, renaming, changed);
		if (isMeant !== false) (isMeant ? clear : unclear).push(...found);
	}
	const left = clear.flatMap(leftOf);
	const places = [
		...clear.map((place) => ({ ...place, features: isRenamed })),
		...unclear.map((place) => {
			const why = whyOf(scene, became, uses.length, [...left, ...leftOf(place)]);
			return { ...place, isUnclear: true, why };
		}),
	];
	const age = ageOf(examples, (uses.at(-1) as Use).example);
	const rule = renameRule(oldName, newName);
	const why = whyOf(scene, became, uses.length, left);
	const findings = findingsOf(scene, {
		predictor: "rename",
		rule,
		why,
		examples: uses.map(({ example }) => example),
		places,
		features: {
			support: own.length,
			age,
			declared: isDeclared ? 1 : 0,
			short: oldName.length <= SHORT_MAX ? 1 : 0,
		},
		atOnce: ({ document, edits }, left) => {
			const { uri } = document;
			if (scene.kinds.has("rename")) return { kind: "rename", uri, at: edits[0]?.from ?? 0, oldName, newName };
			const all = renaming.old.in(document.text);
			const isSafe = /^\w+$/.test(oldName) && all?.length === editsIn(document, left);
			if (!isSafe || !areMany(scene, document, left)) return undefined;
			// The search must hit what was found and no more: it takes `$` and letters beyond ASCII for the end of a word.
			const search = `\\b${oldName}\\b`;
			const hits = document.text.toString().match(new RegExp(search, "gum"))?.length;
			if (hits !== all.length) return undefined;
			return { kind: "searchAndReplace", uri, search, replace: newName.replaceAll("$", "$$$$"), isRegex: true };
		},
	});
	const next = findings.find(({ isUnclear }) => !isUnclear);
	if (!isDeclared || age > 0 || next?.proposal.kind !== "edit" || !scene.kinds.has("jump")) return findings;
	// Among other changes, a new name in a declaration may be part of a rewrite. The user sees the next use before it is edited.
	const jump: Finding = {
		proposal: { kind: "jump", uri: next.proposal.uri, at: next.proposal.edits[0]?.from ?? 0 },
		predictor: "jump",
		rule,
		why,
		features: [{ rename: 1, left: left.length }],
		leadsTo: next.proposal.edits,
	};
	return [...findings, jump];
}

export function renameRule(oldName: string, newName: string): string {
	return `rename ${oldName} to ${newName}`;
}

/** Whether the rename is all that the user has changed since editing began. */
function isOnlyChange(examples: readonly Example[], uses: readonly Use[]): boolean {
	return examples.every((example) => {
		const renamed = uses.filter((use) => use.example === example).length;
		return renamed > 0 && renamed === example.edits.length;
	});
}

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

/**
 * Tells of places with a name whether it may be the one that became another there. Where the name became two others, where
 * the new one is taken, and out of the reach of what was declared, it is not.
 */
export function renameBounds(
	scene: Scene,
	examples: readonly Example[],
	oldName: string,
	newName: string,
): (place: Place) => boolean {
	if (isUnderWay(scene, oldName, newName)) return () => false;
	const isFork = examples.some(({ before = "", edits }) => {
		return edits.some(
			({ from, to, insert }) => before.slice(from, to) === oldName && isName(insert) && insert !== newName,
		);
	});
	if (isFork) return () => false;
	const renaming = renamingOf(examples, oldName, newName);
	const isInReach = renameReach(scene, examples, oldName, newName);
	return (place) => isInReach(place) && !(renaming && isTaken(scene, place.document, renaming));
}

/**
 * Tells of places with a name whether they are in the reach of what was declared under it and became another. Where the user
 * went on out of its reach, all are.
 */
export function renameReach(
	scene: Scene,
	examples: readonly Example[],
	oldName: string,
	newName: string,
): (place: Place) => boolean {
	const renaming = renamingOf(examples, oldName, newName);
	if (renaming === undefined) return () => true;
	const changed = changedBy(scene, renaming);
	const reaches = new Map<Document, (line: number) => boolean>();
	const isIn = (document: Document, line: number) => {
		let reach = reaches.get(document);
		if (reach === undefined) {
			reach = reachOf(document, renaming);
			reaches.set(document, reach);
		}
		return reach(line);
	};
	const isBeyond = renaming.uses.some(({ example }) => {
		const document = documentOf(scene, example.file.uri);
		return document !== undefined && !isIn(document, document.text.lineAt(example.at));
	});
	if (isBeyond) return () => true;
	return ({ document, line, edits }) => {
		const named = edits.find(({ from, to }) => document.text.slice(from, to) === oldName);
		if (named && isMeantIn(scene, document, renaming, changed) === false) return false;
		const isSame = changed && named && isSameThing(scene, changed, { document, at: named.from });
		return isSame ?? isIn(document, line);
	};
}

/** Whether the user is taking the old name back letter by letter, which says nothing of what it will be. */
function isUnderWay({ document, cursor, trigger }: Scene, oldName: string, newName: string): boolean {
	if (trigger === "manual" || !oldName.startsWith(newName)) return false;
	return document.text.slice(Math.max(cursor - newName.length, 0), cursor) === newName;
}

/** One name that became another, and wherever that is known to have happened. */
interface Renaming {
	readonly old: Search;
	readonly now: Search;
	/** In the order in which they were made. */
	readonly uses: readonly Use[];
	/** The newest one that declares the name. */
	readonly declaration: (Use & { readonly reach: Declaration }) | undefined;
	/** In all uses it is looked up in something else. */
	readonly wasMember: boolean;
	/** In some it is, or it is declared as what is looked up. */
	readonly mayBeMember: boolean;
	/** In some use it is a key or a label. */
	readonly wasKey: boolean;
}

interface Use {
	readonly example: Example;
	/** The old line, and where in it the old name was. */
	readonly line: string;
	readonly from: number;
}

/** The renames that the last few examples are part of, the newest first. */
function renamingsOf(examples: readonly Example[]): Renaming[] {
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

// Each is asked for by the rename itself, and by rules of bare names.
const RENAMINGS = new WeakMap<readonly Example[], Map<string, Renaming | undefined>>();

function renamingOf(examples: readonly Example[], oldName: string, newName: string): Renaming | undefined {
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
function parameterAt({ example, line, from }: Use, newName: string): Declaration | undefined {
	const { file, at, edits } = example;
	let now = at + from;
	for (const edit of edits) if (edit.from < from) now += edit.insert.length - (edit.to - edit.from);
	const { uri, languageId, now: text } = file;
	if (now + newName.length > text.length || !line.slice(0, from).includes("(")) return undefined;
	return roleAt({ uri, languageId, version: 0, text }, now, newName) === "declaration" ? "parameter" : undefined;
}

const WITHOUT_DECLARATIONS = new Set(["python", "ruby", "shellscript"]);

/** Where variables are not declared, the first line that has the name does, if it assigns to it. */
function firstAssignment({ example, line, from }: Use, name: string): Declaration | undefined {
	const { file } = example;
	if (!WITHOUT_DECLARATIONS.has(file.languageId)) return undefined;
	const isAssigned = indentOf(line).length === from && /^\s*=(?!=)/.test(line.slice(from + name.length));
	if (!isAssigned) return undefined;
	const first = new Search(name).in(file.start)?.[0];
	return first !== undefined && file.start.line(file.start.lineAt(first)) === line ? "local" : undefined;
}

/** Whether the name can be meant in other documents. */
function reachesOthers({ uses, declaration, wasMember }: Renaming): boolean {
	if (declaration !== undefined) {
		return declaration.reach === "shared" || (declaration.reach === "local" && indentOf(declaration.line) === "");
	}
	return uses.some((use) => !sameUri(use.example.file.uri, uses[0]?.example.file.uri ?? "")) || wasMember;
}

function isMemberUse({ line, from }: Use): boolean {
	return isMember(line, from);
}

/** Where the name was changed: at its declaration, or else where the user did it last. */
function changedBy(scene: Scene, { uses, old }: Renaming): Changed | undefined {
	const changed = uses.flatMap(({ example, from }) => {
		const edit = example.edits.find((one) => one.from === from && one.to === from + old.text.length);
		return (edit && changedAt(scene, example, edit)) ?? [];
	});
	return changed.findLast((one) => declaredBy(scene, one) !== undefined) ?? changed.at(-1);
}

/**
 * Whether the old name means the same in a document as where it was renamed. It does where it was renamed as well, where it is
 * imported from that file, and in the same package. It does not where it would have to be imported and is not. Undefined where
 * that is not known: it may be imported from a file that exports it again.
 */
function isMeantIn(
	scene: Scene,
	document: Document,
	renaming: Renaming,
	changed: Changed | undefined,
): boolean | undefined {
	const { old, uses, declaration, mayBeMember } = renaming;
	const homes = uses.map(({ example }) => example.file.uri);
	if (changed !== undefined) homes.push(changed.document.uri);
	if (homes.some((uri) => sameUri(uri, document.uri))) return true;
	const folderOf = (uri: string) => uri.slice(0, uri.lastIndexOf("/") + 1);
	if (document.languageId === "go" && homes.some((uri) => folderOf(uri) === folderOf(document.uri))) return true;
	const imports = mentionsOf(document, old).filter(({ line }) => isImportLine(document, line));
	if (imports.some(({ line }) => homes.some((uri) => importsFile(document, line, uri)))) return true;
	if (declaration?.reach === "parameter" || mayBeMember || declaration === undefined) return undefined;
	const home = documentOf(scene, declaration.example.file.uri);
	if (home === undefined || !mustImport(document, home)) return undefined;
	return imports.every(({ line }) => IMPORTS_PACKAGE.test(document.text.line(line))) ? false : undefined;
}

// A package by its bare name. Other paths may lead to a file of the workspace that exports the name again.
const IMPORTS_PACKAGE = /\bfrom\s+["'](?:node:[^"']*|\w[\w-]*)["']/;
const EXPORT = new Search("export");
const REQUIRE = new Search("require");
const IMPORT_ALL = /^\s*from\s+\S+\s+import\s+\*/m;

/** Whether a document can use a name of another one only if it imports it by that name. */
function mustImport({ languageId, text }: Document, home: Document): boolean {
	if (languageId === "python") return !IMPORT_ALL.test(text.toString());
	// Scripts that export nothing share their globals. Searching for its place takes long in a large file.
	return /^(?:java|type)script/.test(languageId) && EXPORT.mayBeIn(home.text) && REQUIRE.in(text)?.length === 0;
}

/** The lines of a document that still have the old name, and mean the same. */
function placesIn(scene: Scene, document: Document, renaming: Renaming, changed: Changed | undefined): Place[] {
	const { uses, declaration } = renaming;
	const mentions = mentionsOf(document, renaming.old).map((mention) => {
		return { ...mention, isSame: changed && isSameThing(scene, changed, { document, at: mention.at }) };
	});
	if (mentions.length === 0 || isTaken(scene, document, renaming)) return [];

	const { text, languageId } = document;
	const declaredAgain = mentions.filter(({ isDeclaration, isSame }) => isDeclaration && isSame === undefined);
	// The name of a second thing: only of what is declared in a block is it known where the first one ends.
	const isOwn = uses.some((use) => sameUri(use.example.file.uri, document.uri));
	if (declaredAgain.length > (declaration === undefined && isOwn ? 1 : 0) && !isBound(declaration)) return [];

	const { wasMember, mayBeMember, wasKey } = renaming;
	const { length } = renaming.old.text;
	const insert = renaming.now.text;
	const hasKeys = languageId !== "python";
	const isTouched = touchedIn(scene.history, document);
	const cursorLine = document === scene.document ? text.lineAt(scene.cursor) : -1;
	const isInReach = reachOf(document, renaming);
	const isForeign = foreignDeclarations(scene, document, renaming);

	const places = new Map<number, Edit[]>();
	for (const mention of mentions) {
		const { at, line, isSame } = mention;
		if (isSame === false || isForeign(at)) continue;
		if (isSame === undefined) {
			if ((mention.isMember ? !mayBeMember : wasMember) || !isInReach(line)) continue;
			if (hasKeys && !wasKey && mention.isKey) continue;
		}
		const isNext = line === cursorLine && at >= scene.cursor && isChanged(uses, document, line);
		if (isTouched(line) && !isNext) continue;
		places.set(line, [...(places.get(line) ?? []), { from: at, to: at + length, insert }]);
	}
	return Array.from(places, ([line, edits]) => ({ document, line, edits }));
}

/**
 * Tells whether the new name is declared at an offset of a document by anything but the user's rename. The renamed declarations
 * themselves, such as an import that was renamed along, don't count.
 */
function foreignDeclarations(scene: Scene, document: Document, { now, uses, old }: Renaming): (at: number) => boolean {
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

/**
 * Whether the new name already means something in a document, other than what the user renamed. What is declared under it
 * is told apart by its scope, where that is known, and so are parts of other things.
 */
function isTaken(scene: Scene, document: Document, renaming: Renaming): boolean {
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

/** Whether a name is of one block only. */
function isBound(declaration: Renaming["declaration"]): boolean {
	if (declaration === undefined || declaration.reach === "shared") return false;
	return declaration.reach === "parameter" || indentOf(declaration.line) !== "";
}

/** Whether a function is declared inside something, or for a type. */
function isMethod({ line, from }: Use): boolean {
	return indentOf(line) !== "" || /\)\s*$/.test(line.slice(0, from));
}

function isChanged(uses: readonly Use[], { uri, text }: Document, line: number): boolean {
	const { example } = uses.at(-1) ?? {};
	return example !== undefined && sameUri(example.file.uri, uri) && text.lineAt(example.at) === line;
}

/**
 * Tells the lines on which a name means what was declared. The block of a declaration ends where a line is indented
 * less; that of a parameter, where one is indented no more than the function, and does not merely close it.
 */
function reachOf(document: Document, { declaration }: Renaming): (line: number) => boolean {
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
