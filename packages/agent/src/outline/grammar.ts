import type { ScopeKind } from "@segue/predict";

// How scopes and declarations are told from the nodes of a syntax tree: a small table for each language.

/**
 * What the names are in a part of a node, unless a node further inside says otherwise:
 *
 * - `use`, `property`, `shorthand`: as in an outline. `unknown`: not to be told without knowing types.
 * - `same`: what they are in the node itself, which is part of a pattern or a list.
 * - `variable`: declared in the innermost scope. `let`: the same, but meant only after the node. `hoisted`: declared in the
 *   innermost function. `global`: declared further out, whatever the function assigns to it.
 * - `parameter`: declared in the innermost scope. `own`: a function's name for itself, inside of it.
 * - `function`, `type`: declared in the scope around the node, which may have one of its own.
 * - `import`: declared, with the name that another file gave it. `imported`: that, or a property where nothing is imported.
 * - `exported`: a use that makes what is declared known to other files.
 */
export type BindingRole =
	| "exported"
	| "function"
	| "global"
	| "hoisted"
	| "import"
	| "imported"
	| "let"
	| "own"
	| "parameter"
	| "property"
	| "same"
	| "shorthand"
	| "type"
	| "unknown"
	| "use"
	| "variable";

/** What is to be said of one type of node. Names in a node of which nothing is said are uses. */
export interface NodeRule {
	/** It has a scope of its own, unless the names in it are of this mode. */
	readonly scope?: ScopeKind;
	readonly scopeUnless?: BindingRole;
	/** What it has in its field `body` has a scope of its own. */
	readonly body?: ScopeKind;
	readonly fields?: Readonly<Record<string, BindingRole>>;
	/** In what stands in no field, or in one that is not named; after the first of these, `later`. */
	readonly rest?: BindingRole;
	readonly later?: BindingRole;
	/** A field is what `fields` says only where the node has another one, too; otherwise it is used. */
	readonly needs?: readonly [field: string, other: string];
	/** A field is a property where the node has another one. */
	readonly unless?: readonly [field: string, other: string];
	/** What is declared in it, in its field `name`, belongs to the class that another field names. */
	readonly owner?: string;
	/** It holds the tokens of a language that is not known: what follows a dot is a property. */
	readonly hasTokens?: boolean;
	/** Nothing in it is known. */
	readonly isOpaque?: boolean;
	/** What is declared by it is known to other files. With one such node in a text, nothing else is. */
	readonly isExport?: boolean;
}

/**
 * What a token is that is a name: `name`, whatever the nodes around it say; `property`, always; `key` or `shorthand`,
 * unless it is declared there.
 */
export type NameRule = "key" | "name" | "property" | "shorthand";

export interface Grammar {
	/** The file of the grammar, without what is the same for all. */
	readonly file: string;
	readonly names: Readonly<Record<string, NameRule>>;
	readonly nodes: Readonly<Record<string, NodeRule>>;
	/** A variable is meant in all of its scope, also before it is declared. */
	readonly isHoisting: boolean;
	/** A second declaration in a scope takes the place of the first. */
	readonly isSequential?: boolean;
	/** In a pattern, a name with a capital is not declared but compared with. */
	readonly hasConstantPatterns?: boolean;
}

/** Says the same of several types of nodes. */
export function forEachType(types: string, rule: NodeRule): Record<string, NodeRule> {
	return Object.fromEntries(types.split(" ").map((type) => [type, rule]));
}
