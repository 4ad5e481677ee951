import type { Document, Text } from "@segue/text";
import { declarationAt, isKey, isMember, LINE_MAX } from "../languages/identifiers.js";
import { partAt } from "../languages/parts.js";
import type { Search } from "../search/search.js";
import { VersionCache } from "../version-cache.js";

/** An occurrence of a name in code, with properties derived from its line. */
export interface Mention {
	readonly at: number;
	readonly line: number;
	readonly isMember: boolean;
	readonly isKey: boolean;
	readonly isDeclaration: boolean;
}

// The same names are looked up on every keystroke, until the user renames something else.
const NAMES_MAX = 16;

// A request checks all added and deleted names, in every document that contains them.
const DECLARED_MAX = 256;

interface Known {
	readonly languageId: string;
	readonly mentions: Map<string, readonly Mention[]>;
	readonly declared: Map<string, boolean>;
}

const KNOWN = new VersionCache<Known>();

/** All mentions of a name in the code of a document, in order. Empty if the name is too frequent. */
export function mentionsOf(document: Document, name: Search): readonly Mention[] {
	const found = name.in(document.text) ?? [];
	if (found.length === 0) return NONE;
	const { mentions } = knownOf(document);
	let known = mentions.get(name.text);
	if (known === undefined) {
		known = found.flatMap((at) => mentionAt(document, at, name.text) ?? []);
		if (mentions.size >= NAMES_MAX) mentions.clear();
		mentions.set(name.text, known);
	}
	return known;
}

const NONE: readonly Mention[] = [];

function knownOf({ text, languageId }: Document): Known {
	let known = KNOWN.get(text);
	if (known?.languageId !== languageId) {
		known = { languageId, mentions: new Map(), declared: new Map() };
		KNOWN.set(text, known);
	}
	return known;
}

/** Whether a document declares a name. Faster than `mentionsOf`. */
export function isDeclaredIn(document: Document, name: Search): boolean {
	const { text } = document;
	const found = name.in(text) ?? [];
	if (found.length === 0) return false;
	const { declared } = knownOf(document);
	let known = declared.get(name.text);
	if (known === undefined) {
		// Checking the line first is cheap, whereas checking that a position is in code requires lexing the document
		// up to it.
		known = found.some((at) => declaresAt(text, at, name.text) && mentionAt(document, at, name.text) !== undefined);
		if (declared.size >= DECLARED_MAX) declared.clear();
		declared.set(name.text, known);
	}
	return known;
}

function mentionAt(document: Document, at: number, name: string): Mention | undefined {
	const { text } = document;
	const { line, start } = text.locate(at);
	if (text.lineEnd(line) - start > LINE_MAX || partAt(document, at) !== "code") return undefined;
	return {
		at,
		line,
		isMember: isMember(text, at),
		isKey: isKey(text, at + name.length),
		isDeclaration: declaresAt(text, at, name),
	};
}

/** Whether a name is declared at an offset, assuming that it is code. */
function declaresAt(text: Text, at: number, name: string): boolean {
	const { line, start } = text.locate(at);
	if (text.lineEnd(line) - start > LINE_MAX || isMember(text, at)) return false;
	return declarationAt(text.line(line), at - start, name) !== undefined;
}
