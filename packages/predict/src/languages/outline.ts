import type { Text } from "@segue/text";

/**
 * The role of one occurrence of a name:
 *
 * - `use`: a reference to the declaration of that name, here or in another file.
 * - `declaration`: the name's declaration.
 * - `shorthand`: a variable and a key in one: `f({ name })`.
 * - `property`: a member, key, label or argument name. Not a reference to the declaration of that name.
 */
export type NameRole = (typeof NAME_ROLES)[number];
export const NAME_ROLES = ["use", "declaration", "shorthand", "property"] as const;

export type DeclarationKind = (typeof DECLARATION_KINDS)[number];
export const DECLARATION_KINDS = ["variable", "parameter", "function", "type", "import", "field"] as const;

/**
 * - `block`: declarations are visible in it and in all nested scopes.
 * - `function`: like `block`.
 * - `closed`: a function that cannot access the variables around it.
 * - `class`: like `block`; declarations are also members of its instances.
 * - `hidden`: a class whose names are visible to its own statements, but not in its functions.
 */
export type ScopeKind = (typeof SCOPE_KINDS)[number];
export const SCOPE_KINDS = ["block", "function", "closed", "class", "hidden"] as const;

/** An outline in the form produced by a parser: flat arrays, which are cheap to transfer between threads. */
export interface OutlineData {
	/** The declared names, without duplicates. */
	readonly words: readonly string[];
	/** Four numbers per scope, outer scopes first: from, to, index of the parent or -1, kind. */
	readonly scopes: Int32Array;
	/**
	 * Six numbers per declaration, in order: from, word, scope, offset where it takes effect, kind, whether it is shared.
	 */
	readonly declarations: Int32Array;
	/** Three numbers per name, in order: from, to, role. Names that are not listed are unknown. */
	readonly names: Int32Array;
	/**
	 * Whether a later declaration of a name in a scope replaces an earlier one. Otherwise both declare the same symbol.
	 */
	readonly isSequential: boolean;
	/** The text has syntax errors. */
	readonly isBroken: boolean;
}

const SCOPE_SIZE = 4;
export const DECLARATION_SIZE = 6;
const NAME_SIZE = 3;

/** A symbol declared in a text. */
export interface DeclaredSymbol {
	/**
	 * The symbol's index among the outline's declarations. If a symbol has several declarations, they share the index
	 * of the first.
	 */
	readonly index: number;
	readonly kind: DeclarationKind;
	/** Index of the scope that contains the declaration. */
	readonly scope: number;
	/** Other files can refer to it. */
	readonly isShared: boolean;
}

// If more text than this is unparsed, it may contain any declaration, so the outline is useless.
const UNPARSED_MAX = 2000;

/**
 * The scopes and declarations of one version of a text. It can be used for a later version, where the changed part is
 * unknown. If only a single name was changed, the new name has the role of the old one. Methods return undefined for
 * "unknown", never for "no".
 */
export class Outline {
	private readonly later = new WeakMap<Text, { readonly outline: Outline | undefined }>();

	/** The start of the changed name, if the change is within a single name. */
	private readonly renamed: number | undefined;

	/**
	 * `parsed` is the text that the data describes. It has the first `head` and last `tail` characters in common with
	 * `text`.
	 */
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

	/** This outline for another version of its text; undefined if the versions differ too much. */
	for(text: Text): Outline | undefined {
		if (text === this.text) return this;
		let known = this.later.get(text);
		if (known === undefined) {
			known = { outline: this.carriedTo(text) };
			this.later.set(text, known);
		}
		return known.outline;
	}

	/** The role of the name that begins at an offset. */
	roleAt(at: number): NameRole | undefined {
		const { names } = this.data;
		const index = this.indexAt(names, NAME_SIZE, at);
		if (index === undefined) return undefined;
		// A name that ends where the text was changed may now be a different name.
		const isKnown = at === this.renamed || this.isKept(names[index + 1] as number);
		return isKnown ? NAME_ROLES[names[index + 2] as number] : undefined;
	}

	/** The symbol declared by the name that begins at an offset. */
	declaredAt(at: number): DeclaredSymbol | undefined {
		if (this.roleAt(at) !== "declaration") return undefined;
		const index = this.indexAt(this.data.declarations, DECLARATION_SIZE, at);
		return index === undefined ? undefined : this.declaredOf(index / DECLARATION_SIZE);
	}

	/** The declarations of a name. Excludes those in the changed part of the text. */
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
	 * Resolves a name at an offset: the innermost visible declaration, or `free` if the text does not declare it. The
	 * name need not occur there. With `assumed`, resolves as if that symbol were declared with this name.
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
		// If the text has syntax errors, the name may be declared even though no declaration was found.
		return this.data.isBroken ? undefined : "free";
	}

	/** Whether a name occurs in the changed part of the text, which may declare it. */
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

	/** The start of the name that contains the whole change. */
	private renamedName(): number | undefined {
		const { names } = this.data;
		const [from, to] = [this.head, this.parsed.length - this.tail];
		const index = lastUpTo(names, NAME_SIZE, from);
		const written = this.text.slice(from, this.text.length - this.tail);
		if (index < 0 || (names[index + 1] as number) < to || !LETTERS.test(written)) return undefined;
		return names[index];
	}

	/** Maps an offset to the parsed text; undefined in and next to the changed part. */
	private former(at: number): number | undefined {
		if (at < this.head || at === this.renamed) return at;
		return at > this.text.length - this.tail ? at - this.text.length + this.parsed.length : undefined;
	}

	/** Whether the text at and right before an offset of the parsed text is unchanged. */
	private isKept(at: number): boolean {
		return at < this.head || at > this.parsed.length - this.tail;
	}

	/** The index of the entry that starts with an offset, in a sorted list. */
	private indexAt(list: Int32Array, size: number, at: number): number | undefined {
		const place = this.former(at);
		if (place === undefined) return undefined;
		const index = lastUpTo(list, size, place);
		return index >= 0 && list[index] === place ? index : undefined;
	}

	/** The innermost scope at an offset of the parsed text. */
	private scopeAt(place: number): number {
		const { scopes } = this.data;
		let scope = lastUpTo(scopes, SCOPE_SIZE, place) / SCOPE_SIZE;
		while (scope > 0 && (scopes[scope * SCOPE_SIZE + 1] as number) <= place) {
			scope = scopes[scope * SCOPE_SIZE + 2] as number;
		}
		return Math.max(scope, 0);
	}

	/** Resolves a word in one scope. */
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

	/** Whether the declared name at an offset of the parsed text is unchanged. */
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

/** The index of each word, and the declarations of each word in order. */
interface Index {
	readonly words: ReadonlyMap<string, number>;
	readonly declarations: readonly (readonly number[])[];
}

// Shared by all versions of a text that use the same data.
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

/** The words in a range, including words that are cut off at its ends. */
function wordsAround(text: Text, from: number, to: number): readonly string[] {
	const before = text.slice(Math.max(from - NAME_MAX, 0), from);
	const after = text.slice(to, Math.min(to + NAME_MAX, text.length));
	const start = LETTERS_LAST.exec(before)?.[0] ?? "";
	const end = LETTERS_FIRST.exec(after)?.[0] ?? "";
	return (start + text.slice(from, to) + end).match(/[\p{L}\p{N}\p{M}_$]+/gu) ?? [];
}

// Longer names are not handwritten.
const NAME_MAX = 200;
const LETTERS_FIRST = /^[\p{L}\p{N}\p{M}_$]+/u;
const LETTERS_LAST = /[\p{L}\p{N}\p{M}_$]+$/u;

const LETTERS = /^[\p{L}\p{N}\p{M}_$]*$/u;

const NONE: readonly number[] = [];

/** Whether a symbol is not visible in `closed` functions. */
function isVariable({ kind }: DeclaredSymbol): boolean {
	return kind === "variable" || kind === "parameter";
}

/** The index of the last entry whose first number is at most `value`, in a sorted list. */
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
