import type { Document } from "@segue/text";
import type { Example } from "../example.js";
import type { EditedFile } from "../history.js";
import { isName } from "../languages/identifiers.js";
import { isCode } from "../languages/languages.js";
import { Search } from "../search/search.js";
import { type Parameter, type Signature, signatureAround, signatureOn } from "./signature.js";

// Calls affected by an earlier signature change have already been updated.
const EXAMPLES_MAX = 12;

/** A function whose parameters have changed. */
export interface Revision {
	readonly file: EditedFile;
	readonly signature: Signature;
	/** The function's name before the edits. */
	readonly oldName: string;
	readonly before: readonly Parameter[];
	readonly kind: "added" | "removed" | "moved";
	/** The changed lines of the parameters. */
	readonly examples: readonly Example[];
	/** The number of lines changed since then. */
	readonly age: number;
}

/** The functions with recently changed parameters. */
export function revisionsIn(examples: readonly Example[]): Revision[] {
	const revisions = new Map<string, Revision>();
	const recent = examples.slice(-EXAMPLES_MAX);
	for (const [i, example] of recent.entries()) {
		const { file } = example;
		if (!isCode(file.languageId)) continue;
		const now = { ...file, version: 0, text: file.now };
		const signature = signatureAround(now, file.now.lineAt(example.at));
		if (signature === undefined) continue;
		const oldName = oldNameIn(example, signature);
		const old = onlyOne({ ...now, text: file.start }, { ...signature, name: oldName });
		const only = onlyOne(now, signature);
		if (old === undefined || only === undefined || old.isMethod !== signature.isMethod) continue;
		const kind = kindOf(old.parameters, signature.parameters);
		if (kind === undefined) continue;
		const key = JSON.stringify([file.uri, signature.name]);
		const known = revisions.get(key)?.examples ?? [];
		const age = recent.length - 1 - i;
		const changed = { examples: [...known, example], age };
		revisions.set(key, { file, signature, oldName, before: old.parameters, kind, ...changed });
	}
	return [...revisions.values()];
}

/** Returns the name that a function had before the edits to its line. */
function oldNameIn({ before = "", edits }: Example, { name }: Signature): string {
	const renaming = edits.find(({ from, to, insert }) => insert === name && isName(before.slice(from, to)));
	return renaming === undefined ? name : before.slice(renaming.from, renaming.to);
}

/** Returns the function with that name; undefined if a document declares several. */
function onlyOne(document: Document, { name, isConstructor }: Signature): Signature | undefined {
	const { text } = document;
	const names = isConstructor ? ["constructor", "__init__", "__construct", name] : [name];
	const lines = new Set(names.flatMap((one) => new Search(one).in(text) ?? []).map((at) => text.lineAt(at)));
	const all = [...lines].flatMap((line) => signatureOn(document, line) ?? []).filter((one) => one.name === name);
	return all.length === 1 ? all[0] : undefined;
}

/** Returns the kind of a parameter change; undefined if it is mixed or calls need no update. */
function kindOf(before: readonly Parameter[], after: readonly Parameter[]): Revision["kind"] | undefined {
	const [old, now] = [before, after].map((list) => list.map(({ name }) => name)) as [string[], string[]];
	if (new Set(old).size < old.length || new Set(now).size < now.length) return undefined;
	// With a rest parameter, the position of an argument does not identify its parameter.
	if ([...before, ...after].some(({ isMany }) => isMany)) return undefined;
	if (old.length < now.length && isWithin(old, now)) {
		return after.some(({ name, isOptional }) => !old.includes(name) && !isOptional) ? "added" : undefined;
	}
	if (old.length > now.length && isWithin(now, old)) return "removed";
	const isMoved = old.length === now.length && old.every((name) => now.includes(name));
	return isMoved && old.some((name, i) => name !== now[i]) ? "moved" : undefined;
}

/** Whether one list is a subsequence of another. */
function isWithin(part: readonly string[], whole: readonly string[]): boolean {
	return whole.filter((name) => part.includes(name)).join() === part.join();
}
