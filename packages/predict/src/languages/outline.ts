import type { Text } from "@segue/text";

// What a parser saw in a text: where names mean something, where they are declared, and what each does where it stands.

/**
 * - `use`: it stands for what is declared under that name, here or elsewhere.
 * - `declaration`: it is declared there.
 * - `shorthand`: it is a variable and a key in one: `f({ name })`.
 * - `property`: it is looked up in something, or is a part of something, a key, a label or the name of an argument. It does
 *   not mean what is declared under that name.
 */
export type NameRole = (typeof NAME_ROLES)[number];
export const NAME_ROLES = ["use", "declaration", "shorthand", "property"] as const;

export type DeclarationKind = (typeof DECLARATION_KINDS)[number];
export const DECLARATION_KINDS = ["variable", "parameter", "function", "type", "import", "field"] as const;

/**
 * - `block`: what is declared in it is seen in it and in all scopes inside.
 * - `function`: the same, of a function.
 * - `closed`: a function that does not see the variables around it.
 * - `class`: the same as a block; what is declared in it is also looked up in its values.
 * - `hidden`: a class whose names are seen by its own statements, but not by its functions.
 */
export type ScopeKind = (typeof SCOPE_KINDS)[number];
export const SCOPE_KINDS = ["block", "function", "closed", "class", "hidden"] as const;

/** An outline as a parser hands it over: flat lists of numbers, which cost nothing to pass from one thread to another. */
export interface OutlineData {
	/** The words that are declared anywhere, each once. */
	readonly words: readonly string[];
	/** For each scope, those around it first: from, to, the index of the one around it or -1, its kind. */
	readonly scopes: Int32Array;
	/** For each declaration in its order: from, the word, the scope, from where on it is meant, its kind, whether others see it. */
	readonly declarations: Int32Array;
	/** For each name in its order: from, to, its role. What is not here is not known. */
	readonly names: Int32Array;
	/** A later declaration of a word in a scope takes the place of an earlier one; otherwise both declare the same. */
	readonly isSequential: boolean;
	/** The text could not be parsed throughout. */
	readonly isBroken: boolean;
}

const SCOPE_SIZE = 4;
export const DECLARATION_SIZE = 6;
const NAME_SIZE = 3;

/** Something that is declared in a text. */
export interface DeclaredSymbol {
	/** Its place among all of the outline. Several declarations of the same thing have that of the first. */
	readonly index: number;
	readonly kind: DeclarationKind;
	/** The scope in which it is declared, by its place among all. */
	readonly scope: number;
	/** Other files can mean it. */
	readonly isShared: boolean;
}

// More than a few lines that are not parsed yet may hold anything, and then nothing is known for sure.
const UNPARSED_MAX = 2000;

/**
 * The scopes and declarations of one version of a text. It can be asked for a later version, too: then what was changed
 * since is not known, unless it is a single name, which then does what the old one did. Where it does not know, it says so
 * with undefined, which never means no.
 */
export class Outline {
	private readonly later = new WeakMap<Text, { readonly outline: Outline | undefined }>();

	/** Where a name begins that is all that was changed. */
	private readonly renamed: number | undefined;

	/** The data is of a text of which so much at both ends is as in the present one. */
	private constructor(
		private readonly data: OutlineData,
		readonly text: Text,
		private readonly parsed: Text,
		private readonly head: number,
		private readonly tail: number,
	) {
		this.renamed = parsed === text ? undefined : this.renamedName();
	}

	static of(text: Text, data: OutlineData): Outline {
		return new Outline(data, text, text, text.length + 1, text.length + 1);
	}

	/** The same outline for another version of its text; undefined where the two have too little in common. */
	for(text: Text): Outline | undefined {
		if (text === this.text) return this;
		let known = this.later.get(text);
		if (known === undefined) {
			known = { outline: this.carriedTo(text) };
			this.later.set(text, known);
		}
		return known.outline;
	}

	/** What the name that begins at an offset does there. */
	roleAt(at: number): NameRole | undefined {
		const { names } = this.data;
		const index = this.indexAt(names, NAME_SIZE, at);
		if (index === undefined) return undefined;
		// A name that ends where the text was changed may have become another.
		const isKnown = at === this.renamed || this.isKept(names[index + 1] as number);
		return isKnown ? NAME_ROLES[names[index + 2] as number] : undefined;
	}

	/** What is declared by the name that begins at an offset. */
	declaredAt(at: number): DeclaredSymbol | undefined {
		if (this.roleAt(at) !== "declaration") return undefined;
		const index = this.indexAt(this.data.declarations, DECLARATION_SIZE, at);
		return index === undefined ? undefined : this.declaredOf(index / DECLARATION_SIZE);
	}

	/** Where a name is declared, and as what. What was declared where the text has changed since is left out. */
	declarationsNamed(name: string): readonly (DeclaredSymbol & { readonly at: number })[] {
		const word = indexOf(this.data).words.get(name) ?? -1;
		return this.declarationsOf(word).flatMap((index) => {
			const place = this.data.declarations[index * DECLARATION_SIZE] as number;
			if (!this.isStanding(place)) return [];
			const at = place < this.head ? place : place - this.parsed.length + this.text.length;
			return [{ ...this.declaredOf(index), at }];
		});
	}

	/**
	 * What a name means at an offset: the innermost declaration that reaches there, or `free` where it is declared nowhere
	 * in the text. The name need not stand there. With `assumed`, it is taken to be what is declared under that name there.
	 */
	meaningOf(name: string, at: number, assumed?: DeclaredSymbol): DeclaredSymbol | "free" | undefined {
		const place = this.former(at);
		if (place === undefined) return undefined;
		if (assumed === undefined && this.isWritten(name)) {
			const declared = this.renamed === undefined ? undefined : this.declaredAt(this.renamed);
			return declared && this.wordAt(this.renamed as number) === name ? this.meaningOf(name, at, declared) : undefined;
		}
		const word = indexOf(this.data).words.get(name) ?? -1;
		if (word === -1 && assumed === undefined) return this.data.isBroken ? undefined : "free";
		const { scopes, declarations } = this.data;
		const own = this.scopeAt(place);
		let isClosed = false;
		for (let scope = own; scope !== -1; scope = scopes[scope * SCOPE_SIZE + 2] as number) {
			const kind = SCOPE_KINDS[scopes[scope * SCOPE_SIZE + 3] as number];
			if (kind !== "hidden" || scope === own) {
				const found = this.declaredIn(scope, word, place, isClosed);
				const isAssumed =
					assumed?.scope === scope &&
					(declarations[assumed.index * DECLARATION_SIZE + 3] as number) <= place &&
					!(isClosed && isVariable(assumed));
				if (isAssumed && (found === undefined || !this.data.isSequential || found.index < assumed.index))
					return assumed;
				if (found !== undefined) return found;
			}
			isClosed ||= kind === "closed";
		}
		// Only of a text that was parsed throughout is it known what is not declared in it.
		return this.data.isBroken ? undefined : "free";
	}

	/** Whether a name is in what was written since the text was parsed, where it may be declared. */
	private isWritten(name: string): boolean {
		if (this.parsed === this.text) return false;
		this.written ??= wordsAround(this.text, this.head, this.text.length - this.tail);
		return this.written.includes(name);
	}

	private written: readonly string[] | undefined;

	private wordAt(from: number): string | undefined {
		return LETTERS_FIRST.exec(this.text.slice(from, Math.min(from + NAME_MAX, this.text.length)))?.[0];
	}

	private carriedTo(text: Text): Outline | undefined {
		const { head, tail } = this.parsed.common(text);
		const changed = Math.max(this.parsed.length, text.length) - head - tail;
		return changed > UNPARSED_MAX ? undefined : new Outline(this.data, text, this.parsed, head, tail);
	}

	/** The name that the text was changed in, where the change is one of its letters or all of them. */
	private renamedName(): number | undefined {
		const { names } = this.data;
		const [from, to] = [this.head, this.parsed.length - this.tail];
		const index = lastUpTo(names, NAME_SIZE, from);
		const written = this.text.slice(from, this.text.length - this.tail);
		if (index < 0 || (names[index + 1] as number) < to || !LETTERS.test(written)) return undefined;
		return names[index];
	}

	/** An offset of the present text in the one that was parsed; undefined where they differ, and right beside that. */
	private former(at: number): number | undefined {
		if (at < this.head || at === this.renamed) return at;
		return at > this.text.length - this.tail ? at - this.text.length + this.parsed.length : undefined;
	}

	/** Whether what stands at an offset of the text that was parsed, and right before it, is in the present one, too. */
	private isKept(at: number): boolean {
		return at < this.head || at > this.parsed.length - this.tail;
	}

	/** Where the entry of a sorted list begins that begins with an offset. */
	private indexAt(list: Int32Array, size: number, at: number): number | undefined {
		const place = this.former(at);
		if (place === undefined) return undefined;
		const index = lastUpTo(list, size, place);
		return index >= 0 && list[index] === place ? index : undefined;
	}

	/** The innermost scope around an offset of the text that was parsed. */
	private scopeAt(place: number): number {
		const { scopes } = this.data;
		let scope = lastUpTo(scopes, SCOPE_SIZE, place) / SCOPE_SIZE;
		while (scope > 0 && (scopes[scope * SCOPE_SIZE + 1] as number) <= place) {
			scope = scopes[scope * SCOPE_SIZE + 2] as number;
		}
		return Math.max(scope, 0);
	}

	/** What a word means by what is declared in one scope. */
	private declaredIn(scope: number, word: number, place: number, isClosed: boolean): DeclaredSymbol | undefined {
		const { declarations, isSequential } = this.data;
		let found: DeclaredSymbol | undefined;
		for (const index of this.declarationsOf(word)) {
			const at = index * DECLARATION_SIZE;
			if (declarations[at + 2] !== scope || (declarations[at + 3] as number) > place) continue;
			if (!this.isStanding(declarations[at] as number)) continue;
			const declared = this.declaredOf(index);
			if (isClosed && isVariable(declared)) continue;
			if (!isSequential) return declared;
			found = declared;
		}
		return found;
	}

	/** Whether the name that was declared at an offset of the text that was parsed is still there. */
	private isStanding(at: number): boolean {
		if (this.parsed === this.text) return true;
		const index = lastUpTo(this.data.names, NAME_SIZE, at);
		return this.isKept(at) && this.isKept(this.data.names[index + 1] as number);
	}

	private declarationsOf(word: number): readonly number[] {
		return indexOf(this.data).declarations[word] ?? NONE;
	}

	private declaredOf(own: number): DeclaredSymbol {
		const { declarations, isSequential } = this.data;
		const [, word, scope, reach, kind, isShared] = declarations.subarray(own * DECLARATION_SIZE);
		const isSame = (other: number) => {
			const at = other * DECLARATION_SIZE;
			return declarations[at + 2] === scope && (!isSequential || declarations[at + 3] === reach);
		};
		const index = this.declarationsOf(word as number).find(isSame) ?? own;
		return {
			index,
			kind: DECLARATION_KINDS[kind as number] ?? "variable",
			scope: scope as number,
			isShared: isShared === 1,
		};
	}
}

/** Where each word is in the list of words, and for each of them its declarations in their order. */
interface Index {
	readonly words: ReadonlyMap<string, number>;
	readonly declarations: readonly (readonly number[])[];
}

// Names are asked for at many places of many versions of a text, and the data is the same for all of them.
const INDICES = new WeakMap<OutlineData, Index>();

function indexOf(data: OutlineData): Index {
	let index = INDICES.get(data);
	if (index === undefined) {
		const declarations: number[][] = data.words.map(() => []);
		for (let at = 0; at < data.declarations.length; at += DECLARATION_SIZE) {
			declarations[data.declarations[at + 1] as number]?.push(at / DECLARATION_SIZE);
		}
		index = { words: new Map(data.words.map((word, i) => [word, i])), declarations };
		INDICES.set(data, index);
	}
	return index;
}

/** The words in a part of a text, and those that it begins and ends in the middle of. */
function wordsAround(text: Text, from: number, to: number): readonly string[] {
	const before = text.slice(Math.max(from - NAME_MAX, 0), from);
	const after = text.slice(to, Math.min(to + NAME_MAX, text.length));
	const start = LETTERS_LAST.exec(before)?.[0] ?? "";
	const end = LETTERS_FIRST.exec(after)?.[0] ?? "";
	return (start + text.slice(from, to) + end).match(/[\p{L}\p{N}\p{M}_$]+/gu) ?? [];
}

// A longer name was not written by hand.
const NAME_MAX = 200;
const LETTERS_FIRST = /^[\p{L}\p{N}\p{M}_$]+/u;
const LETTERS_LAST = /[\p{L}\p{N}\p{M}_$]+$/u;

const LETTERS = /^[\p{L}\p{N}\p{M}_$]*$/u;

const NONE: readonly number[] = [];

/** Whether something is seen only where it is declared, and not in functions that are closed. */
function isVariable({ kind }: DeclaredSymbol): boolean {
	return kind === "variable" || kind === "parameter";
}

/** Where the last entry of a sorted list begins whose first number is not greater than one. */
function lastUpTo(list: Int32Array, size: number, value: number): number {
	let low = 0;
	let high = list.length / size;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((list[middle * size] as number) <= value) low = middle + 1;
		else high = middle;
	}
	return (low - 1) * size;
}
