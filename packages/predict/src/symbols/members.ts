import type { Document } from "@segue/text";
import { BRACE_OPEN } from "../languages/brackets.js";
import { closeOf, isIndented, openAt, type Scope, scopeOf } from "../languages/scope.js";
import type { Search } from "../search/search.js";
import { purposeOf } from "./code-context.js";
import { mentionsOf } from "./mentions.js";
import { roleAt } from "./name-role.js";

// Members of classes, interfaces and structs. Outlines list them only as properties, so they are recognized by the
// code around a name.

/** The offset of a member's declaration, and the body of its type. */
export interface DeclaredMember {
	readonly at: number;
	readonly owner: Scope;
}

/**
 * The declarations of members with this name, for example `name = 0` in a class or `self.name = 0` in its constructor.
 */
export function membersNamed(document: Document, name: Search): readonly DeclaredMember[] {
	return mentionsOf(document, name).flatMap(({ at }) => {
		const owner = ownerAt(document, at, name.text);
		return owner === undefined ? [] : [{ at, owner }];
	});
}

/** Returns the body of the type whose member is declared at an offset; undefined if no member is declared there. */
export function ownerAt(document: Document, at: number, name: string): Scope | undefined {
	if (isOfItself(document, at)) return isAssigned(document, at + name.length) ? typeAround(document, at) : undefined;
	return roleAt(document, at, name) === "field" ? scopeOf(document, at) : undefined;
}

// Enough for `self.` with whitespace around the dot.
const RECEIVER_LENGTH = 12;
const RECEIVER = /(?:(?<![\w$.])(?:self|this)\s*(?:\.|\?\.|->)\s*#?|(?<!@)@@?)$/;

/** Whether the name at an offset is a member of the current object: `this.name`, `self.name`, `@name`. */
export function isOfItself({ text }: Document, at: number): boolean {
	return RECEIVER.test(text.slice(Math.max(at - RECEIVER_LENGTH, 0), at));
}

// The maximum length of a type annotation between a name and its value.
const ANNOTATION_LENGTH = 60;

function isAssigned({ text }: Document, to: number): boolean {
	return /^\s*(?::[^=\n]*)?=(?![=>~])/.test(text.slice(to, Math.min(to + ANNOTATION_LENGTH, text.length)));
}

// Handwritten classes and functions are not nested deeper.
const DEPTH_MAX = 20;

/**
 * Returns the body of the class around an offset. Outside of all classes, returns the outermost block or the document.
 */
export function typeAround(document: Document, at: number): Scope {
	if (isIndented(document.languageId)) return indentedTypeAround(document, at);
	const open = openAt(document, at).slice(0, DEPTH_MAX);
	const braces = open.flatMap(({ code }, i) => (code === BRACE_OPEN ? [open.slice(0, i + 1)] : []));
	const body = braces.findLast((brackets) => purposeOf(document, brackets) === "class") ?? braces[0];
	const brace = body?.at(-1);
	if (brace === undefined) return { from: 0, to: document.text.length };
	return { from: brace.at, to: closeOf(document, brace.at) };
}

function indentedTypeAround(document: Document, at: number): Scope {
	const { text } = document;
	let scope = scopeOf(document, at);
	for (let depth = 0; depth < DEPTH_MAX && scope.from > 0; depth++) {
		if (/^\s*class\b/.test(text.line(text.lineAt(scope.from)))) return scope;
		const around = scopeOf(document, scope.from);
		if (around.from === scope.from) break;
		scope = around;
	}
	return scope;
}
