import { type Document, type Edit, sameUri } from "@segue/text";
import type { Finding } from "../candidate.js";
import { ageOf, type Example } from "../example.js";
import { explanationOf } from "../explanation.js";
import { touchedIn } from "../history.js";
import { isName, sameLanguage } from "../languages/identifiers.js";
import { importsFile, isImportLine } from "../languages/imports.js";
import { isCode } from "../languages/languages.js";
import { areMany, editsIn, findingsOf, type Site } from "../ranking/site.js";
import { documentOf, isOpen, type Scene } from "../scene.js";
import { filesWith } from "../search/scene-search.js";
import { Search } from "../search/search.js";
import { mentionsOf } from "../symbols/mentions.js";
import { type ChangedName, declaredBy, isImportedFrom, isSameThing } from "../symbols/symbol-meaning.js";
import {
	changedNameOf,
	isBound,
	type Renaming,
	reachesOthers,
	reachOf,
	renamingOf,
	renamingsOf,
	type Use,
} from "./renaming.js";
import { foreignDeclarations, isTaken } from "./taken-name.js";

// Short names often refer to something else at the next site.
const SHORT_MAX = 3;

/** Continues renames that the user has started: one of the last changed lines has a new name in place of an old one. */
export function proposeRename(scene: Scene, examples: readonly Example[]): Finding[] {
	return renamingsOf(examples).flatMap((renaming) => proposeOne(scene, examples, renaming));
}

function proposeOne(scene: Scene, examples: readonly Example[], renaming: Renaming): Finding[] {
	const { uses } = renaming;
	const oldName = renaming.old.text;
	const newName = renaming.now.text;
	const own = uses.filter(({ example }) => !example.isAccepted);
	if (!isCode(scene.document.languageId) || isUnderWay(scene, oldName, newName)) return [];

	const { clear, unclear, isDeclared } = placesOf(scene, renaming);
	const isRenamed = {
		only: isDeclared && isOnlyChange(examples, uses) ? 1 : 0,
		confirmed: isDeclared && own.length < uses.length ? 1 : 0,
	};
	const change = `Renaming \`${oldName}\` to \`${newName}\``;
	const leftOf = ({ document, edits }: Site) => edits.map(({ from, to }) => ({ document, from, to, edits }));
	const left = clear.flatMap(leftOf);
	const places = [
		...clear.map((place) => ({ ...place, features: isRenamed })),
		...unclear.map((place) => {
			const why = explanationOf(scene, change, [...left, ...leftOf(place)]);
			return { ...place, isUnclear: true, why };
		}),
	];
	const age = ageOf(examples, (uses.at(-1) as Use).example);
	const rule = renameRule(oldName, newName);
	const why = explanationOf(scene, change, left);
	const findings = findingsOf(scene, {
		predictor: "rename",
		rule,
		why,
		examples: uses.map(({ example }) => example),
		sites: places,
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
			// The search must match only the sites found: `\b` also matches next to `$` and non-ASCII letters.
			const search = `\\b${oldName}\\b`;
			const hits = document.text.toString().match(new RegExp(search, "gum"))?.length;
			if (hits !== all.length) return undefined;
			return { kind: "searchAndReplace", uri, search, replace: newName.replaceAll("$", "$$$$"), isRegex: true };
		},
	});
	const next = findings.find(({ isUnclear }) => !isUnclear);
	if (!isDeclared || age > 0 || next?.proposal.kind !== "edit" || !scene.kinds.has("jump")) return findings;
	// If the user has also changed something else, a renamed declaration may be part of a rewrite. A jump takes the
	// user to the next use before anything is changed.
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

/** Returns the remaining sites of the rename that this rule describes, without the unclear ones. */
export function sitesOfRule(scene: Scene, examples: readonly Example[], rule: string): readonly Site[] {
	const renaming = renamingsOf(examples).find(({ old, now }) => renameRule(old.text, now.text) === rule);
	return renaming === undefined ? [] : placesOf(scene, renaming).clear;
}

/** Finds the remaining sites of a rename: those that refer to the renamed symbol, and those that may refer to it. */
function placesOf(scene: Scene, renaming: Renaming) {
	const { languageId } = scene.document;
	const changed = changedNameOf(scene, renaming);
	const declared = changed && declaredBy(scene, changed);
	const isShared = declared?.isShared ?? reachesOthers(renaming);
	const documents = isShared ? filesWith(scene, renaming.old) : [scene.document];
	const clear: Site[] = [];
	const unclear: Site[] = [];
	for (const document of documents) {
		if (!sameLanguage(languageId, document.languageId)) continue;
		const found = placesIn(scene, document, renaming, changed);
		const isMeant = found.length > 0 && isMeantIn(scene, document, renaming, changed);
		if (isMeant !== false) (isMeant ? clear : unclear).push(...found);
	}
	return { clear, unclear, isDeclared: renaming.declaration !== undefined || declared !== undefined };
}

export function renameRule(oldName: string, newName: string): string {
	return `rename ${oldName} to ${newName}`;
}

/** Whether the user has changed nothing but this name. */
function isOnlyChange(examples: readonly Example[], uses: readonly Use[]): boolean {
	return examples.every((example) => {
		const renamed = uses.filter((use) => use.example === example).length;
		return renamed > 0 && renamed === example.edits.length;
	});
}

/**
 * Returns a test for sites where a rename may apply. It does not apply if the user also replaced the old name with a
 * different name, in documents where the new name is taken, or outside the scope of the declaration.
 */
export function renameBounds(
	scene: Scene,
	examples: readonly Example[],
	oldName: string,
	newName: string,
): (place: Site) => boolean {
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
 * Returns a test for sites within the scope of the renamed declaration. If the user renamed a use outside that scope,
 * every site passes.
 */
export function renameReach(
	scene: Scene,
	examples: readonly Example[],
	oldName: string,
	newName: string,
): (place: Site) => boolean {
	const renaming = renamingOf(examples, oldName, newName);
	if (renaming === undefined) return () => true;
	const changed = changedNameOf(scene, renaming);
	const meant = new Map<Document, boolean | undefined>();
	const isMeant = (document: Document) => {
		if (!meant.has(document)) meant.set(document, isMeantIn(scene, document, renaming, changed));
		return meant.get(document);
	};
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
		if (named && isMeant(document) === false) return false;
		const isSame = changed && named && isSameThing(scene, changed, { document, at: named.from });
		return isSame ?? isIn(document, line);
	};
}

/** Whether the user is deleting the old name letter by letter, so the new name is not known yet. */
function isUnderWay({ document, cursor, trigger }: Scene, oldName: string, newName: string): boolean {
	if (trigger === "manual" || !oldName.startsWith(newName)) return false;
	return document.text.slice(Math.max(cursor - newName.length, 0), cursor) === newName;
}

/**
 * Whether the old name refers to the renamed thing in a document. True if it was renamed there too, is imported from a
 * file where it was renamed, or belongs to the same package. False if it would have to be imported but is not.
 * Undefined if unknown: the name may be imported from a file that re-exports it.
 */
function isMeantIn(
	scene: Scene,
	document: Document,
	renaming: Renaming,
	changed: ChangedName | undefined,
): boolean | undefined {
	const { old, uses, declaration, mayBeMember } = renaming;
	const homes = uses.map(({ example }) => example.file.uri);
	if (changed !== undefined) homes.push(changed.document.uri);
	if (homes.some((uri) => sameUri(uri, document.uri))) return true;
	const isImported = isImportedFrom(document, old, homes);
	// In files that are not open, the same name is often unrelated.
	if (isImported || !isOpen(scene, document)) return isImported;
	const imports = mentionsOf(document, old).filter(({ line }) => isImportLine(document, line));
	if (imports.some(({ line }) => homes.some((uri) => importsFile(document, line, uri)))) return true;
	if (declaration?.reach === "parameter" || mayBeMember || declaration === undefined) return undefined;
	const home = documentOf(scene, declaration.example.file.uri);
	if (home === undefined || !mustImport(document, home)) return undefined;
	return imports.every(({ line }) => IMPORTS_PACKAGE.test(document.text.line(line))) ? false : undefined;
}

// Matches the import of a package by its bare name. Other paths can lead to a file in the workspace that re-exports the
// name.
const IMPORTS_PACKAGE = /\bfrom\s+["'](?:node:[^"']*|\w[\w-]*)["']/;
const EXPORT = new Search("export");
const REQUIRE = new Search("require");
const IMPORT_ALL = /^\s*from\s+\S+\s+import\s+\*/m;

/** Whether a document must import a name explicitly from another document to use it. */
function mustImport({ languageId, text }: Document, home: Document): boolean {
	if (languageId === "python") return !IMPORT_ALL.test(text.toString());
	// Scripts without exports share their globals. `mayBeIn` is faster than finding the offsets in a large file.
	return /^(?:java|type)script/.test(languageId) && EXPORT.mayBeIn(home.text) && REQUIRE.in(text)?.length === 0;
}

/** Returns the lines of a document where the old name still refers to the renamed thing. */
function placesIn(scene: Scene, document: Document, renaming: Renaming, changed: ChangedName | undefined): Site[] {
	const { uses, declaration } = renaming;
	const mentions = mentionsOf(document, renaming.old).map((mention) => {
		return { ...mention, isSame: changed && isSameThing(scene, changed, { document, at: mention.at }) };
	});
	if (mentions.length === 0 || isTaken(scene, document, renaming)) return [];

	const { text, languageId } = document;
	const declaredAgain = mentions.filter(({ isDeclaration, isSame }) => isDeclaration && isSame === undefined);
	// The name is declared twice. Only a declaration inside a block has a known end.
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

function isChanged(uses: readonly Use[], { uri, text }: Document, line: number): boolean {
	const { example } = uses.at(-1) ?? {};
	return example !== undefined && sameUri(example.file.uri, uri) && text.lineAt(example.at) === line;
}
