import type { ScopeKind } from "@segue/predict";

// Types for tables, one for each language, that define which syntax nodes are scopes and declarations.

/**
 * The role of names within a part of a node, unless an inner node overrides it:
 *
 * - `use`, `property`, `shorthand`: as in an outline. `unknown`: cannot be determined without types.
 * - `same`: the role of the node itself, which is part of a pattern or a list.
 * - `variable`: declared in the innermost scope. `let`: like `variable`, but visible only after the node. `hoisted`:
 *   declared in the innermost function. `global`: declared in an outer scope, even if the function assigns to it.
 * - `parameter`: declared in the innermost scope. `own`: a function's name, visible only inside it.
 * - `function`, `type`: declared in the scope around the node, which may itself be a scope.
 * - `import`: declared with a name from another file. `imported`: like `import` inside an import, otherwise a property.
 * - `exported`: a use that exports the declaration.
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

/** The rule for one type of node. Names in a node without a rule are uses. */
export interface NodeRule {
	/** The node is a scope, unless its role is `scopeUnless`. */
	readonly scope?: ScopeKind;
	readonly scopeUnless?: BindingRole;
	/** The field `body` is a scope. */
	readonly body?: ScopeKind;
	readonly fields?: Readonly<Record<string, BindingRole>>;
	/** The role of children without an entry in `fields`. `later` applies to all but the first of these children. */
	readonly rest?: BindingRole;
	readonly later?: BindingRole;
	/** The role of a field applies only if the node has the other field; otherwise the field is a use. */
	readonly needs?: readonly [field: string, other: string];
	/** A field is a property if the node has the other field. */
	readonly unless?: readonly [field: string, other: string];
	/** The field that names the class to which the declaration in the field `name` belongs. */
	readonly owner?: string;
	/** The node contains unparsed tokens, for example from a macro. A name after a dot is a property. */
	readonly hasTokens?: boolean;
	/** Names in the node are unknown. */
	readonly isOpaque?: boolean;
	/** The node exports its declarations. If a file contains such a node, other declarations are private. */
	readonly isExport?: boolean;
}

/**
 * The role of a name token: `name` has the role of its node; `property` is always a property; `key` and `shorthand`
 * apply unless the token is a declaration.
 */
export type NameRule = "key" | "name" | "property" | "shorthand";

export interface Grammar {
	/** The file name of the grammar, without prefix and extension. */
	readonly file: string;
	readonly names: Readonly<Record<string, NameRule>>;
	readonly nodes: Readonly<Record<string, NodeRule>>;
	/** Variables are visible in their whole scope, even before their declaration. */
	readonly isHoisting: boolean;
	/** A second declaration in a scope shadows the first. */
	readonly isSequential?: boolean;
	/** A capitalized name in a pattern is a constant, not a declaration. */
	readonly hasConstantPatterns?: boolean;
}

/** Returns the same rule for several types of nodes, separated by spaces. */
export function forEachType(types: string, rule: NodeRule): Record<string, NodeRule> {
	return Object.fromEntries(types.split(" ").map((type) => [type, rule]));
}
