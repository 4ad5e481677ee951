import { type Document, type Edit, sameUri } from "@segue/text";
import type { Features } from "../candidate.js";
import type { Example } from "../example.js";
import { isModule, moduleAt } from "../languages/imports.js";
import type { DeclaredSymbol } from "../languages/outline.js";
import { readLine, type Token } from "../line.js";
import { documentOf, outlineOf, type Scene } from "../scene.js";
import type { Search } from "../search/search.js";
import { mentionsOf } from "./mentions.js";

// Resolves names with the help of outlines, to find out whether a remaining mention of the old name refers to the
// renamed symbol.

/** A name that the user changed. */
export interface ChangedName {
	readonly document: Document;
	/** The offset of the new name. */
	readonly at: number;
	readonly oldName: string;
}

/** An occurrence of a name. */
interface Mentioned {
	readonly document: Document;
	readonly at: number;
}

/** The meaning of a name: a declared symbol, a name that its file does not declare, or a property. */
type SymbolMeaning = DeclaredSymbol | "free" | "property";

/** Returns the name written by an edit in an example; undefined if the example's file is not in the scene. */
export function changedNameAt(scene: Scene, example: Example, edit: Example["edits"][number]): ChangedName | undefined {
	const { file, before = "", at, edits } = example;
	const document = documentOf(scene, file.uri);
	// Another program may have changed the file since the user's edit.
	if (document?.text.length !== file.now.length) return undefined;
	let shift = 0;
	for (const other of edits) if (other.from < edit.from) shift += other.insert.length - (other.to - other.from);
	return { document, at: at + edit.from + shift, oldName: before.slice(edit.from, edit.to) };
}

/** Returns the symbol declared by a changed name; undefined if the name is not a declaration. */
export function declaredBy(scene: Scene, { document, at }: ChangedName): DeclaredSymbol | undefined {
	return outlineOf(scene, document)?.declaredAt(at);
}

/** Whether an occurrence of the old name refers to the renamed symbol. Undefined if unknown. */
export function isSameThing(scene: Scene, changed: ChangedName, place: Mentioned): boolean | undefined {
	const isHere = sameUri(place.document.uri, changed.document.uri);
	const then = meaningThen(scene, changed);
	const now = meaningAt(scene, place, changed.oldName, isHere ? then : undefined);
	if (then === undefined || now === undefined) return undefined;
	if (!isHere) return isOutOfReach(then) || isOwn(now) ? false : undefined;
	// Properties of different objects can be the same field, and a field can be used with or without its object.
	if (then === "property" || now === "property") return isPart(then) && isPart(now) ? undefined : false;
	if (then === "free" || now === "free") return then === now;
	return then.index === now.index;
}

/** Whether other files cannot refer to a symbol. */
function isOutOfReach(meaning: SymbolMeaning): boolean {
	return typeof meaning === "object" && !meaning.isShared;
}

/**
 * Whether a symbol is declared in its own file, so it cannot be a symbol from another file. Fields are excluded,
 * because they may belong to a shared type.
 */
function isOwn(meaning: SymbolMeaning): boolean {
	return typeof meaning === "object" && meaning.kind !== "import" && meaning.kind !== "field";
}

function isPart(meaning: SymbolMeaning): boolean {
	return meaning === "property" || (meaning !== "free" && meaning.kind === "field");
}

/**
 * Returns the meaning of the old name. If the user changed a declaration, this is the symbol now declared under the
 * new name.
 */
function meaningThen(scene: Scene, changed: ChangedName): SymbolMeaning | undefined {
	return declaredBy(scene, changed) ?? meaningAt(scene, changed, changed.oldName, undefined);
}

/** Returns the meaning of a name at an offset, as if `assumed` were still declared with that name. */
function meaningAt(
	scene: Scene,
	{ document, at }: Mentioned,
	name: string,
	assumed: SymbolMeaning | undefined,
): SymbolMeaning | undefined {
	const outline = outlineOf(scene, document);
	const role = outline?.roleAt(at);
	if (outline === undefined || role === undefined) return undefined;
	if (role === "property") return "property";
	if (role === "declaration") return outline.declaredAt(at);
	return outline.meaningOf(name, at, typeof assumed === "object" ? assumed : undefined);
}

/** Whether a name at an offset refers to a variable. Undefined if unknown. */
export function isVariableAt(scene: Scene, { document, at }: Mentioned, name: string): boolean | undefined {
	const meaning = outlineOf(scene, document)?.meaningOf(name, at);
	if (typeof meaning !== "object") return meaning && false;
	return meaning.kind === "variable" || meaning.kind === "parameter";
}

// Sites are compared with their rule's newest examples.
const COMPARED_MAX = 3;

/**
 * Features of an edit, based on the meaning of its names: whether a replaced name refers to the same symbol as in the
 * user's edits, whether it refers to a declared symbol at all, and whether an inserted name is declared at the site if
 * it is declared where the user wrote it.
 */
export function meaningFeatures(
	scene: Scene,
	examples: readonly Example[],
	document: Document,
	edits: readonly Edit[],
): Features {
	const features = { sameThing: 0, otherThing: 0, kept: 0, lost: 0, bound: 0, unbound: 0 };
	const outline = outlineOf(scene, document);
	if (outline === undefined) return features;
	const newest = examples.slice(-COMPARED_MAX);
	const last = newest.at(-1);
	const known = last === undefined ? NO_NAMES : declaredIn(scene, last);
	for (const edit of edits) {
		for (const { text: name, from } of readLine(document.text.slice(edit.from, edit.to)).names) {
			const place = edit.from + from;
			const isSame =
				edit.to === place + name.length ? isSameAsIn(scene, newest, name, { document, at: place }) : undefined;
			if (isSame === true) features.sameThing = 1;
			else if (isSame === false) features.otherThing = 1;
			const role = outline.roleAt(place);
			if (edit.insert.includes(name) || role === undefined || role === "property") continue;
			const meaning = outline.meaningOf(name, place);
			if (meaning === "free") features.lost = 1;
			else if (meaning !== undefined) features.kept = 1;
		}
		for (const { text: name } of readLine(edit.insert).names) {
			if (!known.has(name)) continue;
			const here = outline.meaningOf(name, edit.from);
			if (here === "free") features.unbound = 1;
			else if (here !== undefined) features.bound = 1;
		}
	}
	return features;
}

function isSameAsIn(scene: Scene, examples: readonly Example[], name: string, place: Mentioned): boolean | undefined {
	let isSame: boolean | undefined;
	for (const example of examples) {
		for (const edit of example.edits) {
			if (example.before?.slice(edit.from, edit.to) !== name) continue;
			const changed = changedNameAt(scene, example, edit);
			isSame ??= changed && isSameThing(scene, changed, place);
		}
	}
	return isSame;
}

const NO_NAMES: ReadonlySet<string> = new Set();

// All sites of a rule are compared with its last example, and several rules share an example.
const DECLARED = new WeakMap<Scene, Map<Example, ReadonlySet<string>>>();

/** Returns the names on an example's new line that are declared in its file. */
function declaredIn(scene: Scene, example: Example): ReadonlySet<string> {
	const known = DECLARED.get(scene) ?? new Map<Example, ReadonlySet<string>>();
	DECLARED.set(scene, known);
	const names = known.get(example) ?? readDeclared(scene, example);
	known.set(example, names);
	return names;
}

function readDeclared(scene: Scene, { file, after = "", at }: Example): ReadonlySet<string> {
	const document = documentOf(scene, file.uri);
	const outline = document?.text.length === file.now.length ? outlineOf(scene, document) : undefined;
	if (outline === undefined) return NO_NAMES;
	const isDeclared = ({ text, from }: Token) => {
		return outline.roleAt(at + from) !== "property" && typeof outline.meaningOf(text, at + from) === "object";
	};
	return new Set(
		readLine(after)
			.names.filter(isDeclared)
			.map(({ text }) => text),
	);
}

/**
 * Whether a document gets a name from one of these files: by an import whose path resolves to the file, or because
 * both are in the same package. False if the paths do not show it.
 */
export function isImportedFrom(document: Document, name: Search, files: readonly string[]): boolean {
	const folderOf = (uri: string) => uri.slice(0, uri.lastIndexOf("/"));
	const isBeside = files.some((uri) => folderOf(uri) === folderOf(document.uri));
	if (document.languageId === "go" && isBeside) return true;
	return mentionsOf(document, name).some(({ line }) => {
		const module = moduleAt(document, line);
		return module !== undefined && files.some((uri) => isModule(module, document, uri));
	});
}
