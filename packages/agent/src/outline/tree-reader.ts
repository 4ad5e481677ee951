import {
	DECLARATION_KINDS,
	DECLARATION_SIZE,
	type DeclarationKind,
	NAME_ROLES,
	type NameRole,
	type OutlineData,
	SCOPE_KINDS,
	type ScopeKind,
} from "@segue/predict";
import type { Tree, TreeCursor } from "web-tree-sitter";
import type { BindingRole, Grammar, NameRule, NodeRule } from "./grammar.js";

// Handwritten code is not nested deeper. Deeper nodes are skipped.
const DEPTH_MAX = 400;

/** Reads scopes and declarations from a syntax tree. The cursor must be at the root of the tree. */
export function readOutline(tree: Tree, cursor: TreeCursor, source: string, grammar: Grammar): OutlineData {
	const reader = new Reader(cursor, source, grammar);
	reader.visit(USE, 0);
	const data = reader.finish();
	// Missing tokens, for example an unclosed bracket, have no error node.
	return { ...data, isBroken: data.isBroken || tree.rootNode.hasError };
}

/** The role of a node's names, and the scope in which they are declared. */
interface Aim {
	readonly mode: BindingRole;
	readonly scope: number;
	/** The offset from which the name is visible, if that differs from the offset of the name itself. */
	readonly reach?: number;
}

const USE: Aim = { mode: "use", scope: 0 };
const PROPERTY: Aim = { mode: "property", scope: 0 };
const UNKNOWN: Aim = { mode: "unknown", scope: 0 };

interface Scope {
	readonly from: number;
	readonly to: number;
	parent: number;
	readonly kind: ScopeKind;
}

interface Declaration {
	readonly from: number;
	readonly word: string;
	readonly scope: number;
	readonly reach: number;
	readonly kind: DeclarationKind;
	readonly isExported: boolean;
	/** Its index in `names`. */
	readonly name: number;
}

class Reader {
	private readonly scopes: Scope[] = [];
	private readonly declarations: Declaration[] = [];
	private readonly names: number[] = [];
	private readonly exported = new Set<string>();
	/** For each scope, the names that it assigns to but does not declare. */
	private readonly globals = new Map<number, Set<string>>();
	/** The scopes of classes, by name. */
	private readonly classes = new Map<string, number>();
	private scope = 0;
	/** The scope whose declarations are exported at the cursor, or -1. */
	private exporting = -1;
	private isModule = false;
	private isBroken = false;

	constructor(
		private readonly cursor: TreeCursor,
		private readonly source: string,
		private readonly grammar: Grammar,
	) {
		this.scopes.push({ from: 0, to: source.length + 1, parent: -1, kind: "block" });
	}

	/** Reads the node at the cursor. The cursor ends at the same node. */
	visit(aim: Aim, depth: number): void {
		const { cursor, grammar } = this;
		const type = cursor.nodeType;
		const name = grammar.names[type];
		if (name !== undefined) {
			this.readName(name, aim);
			return;
		}
		if (type === "ERROR") {
			this.isBroken = true;
			this.visitChildren(BROKEN, UNKNOWN, this.scope, depth);
			return;
		}
		const rule = grammar.nodes[type] ?? PLAIN;
		if (rule.isOpaque) return;
		const outer = this.scope;
		const { exporting } = this;
		if (rule.isExport) {
			this.isModule = true;
			this.exporting = outer;
		}
		if (rule.scope !== undefined && rule.scopeUnless !== aim.mode) this.open(rule.scope);
		this.visitChildren(rule, aim, outer, depth);
		this.scope = outer;
		this.exporting = exporting;
	}

	finish(): OutlineData {
		const { scopes, grammar, isBroken } = this;
		const kept = this.declarations.filter(({ scope, word, name }) => {
			if (!this.globals.get(scope)?.has(word)) return true;
			this.names[name + 2] = NAME_ROLES.indexOf("use");
			return false;
		});
		const words = new Map<string, number>();
		const declarations = new Int32Array(kept.length * DECLARATION_SIZE);
		for (const [i, declaration] of kept.entries()) {
			const { from, word, scope, reach, kind } = declaration;
			const known = words.get(word) ?? words.size;
			words.set(word, known);
			const isShared = this.isShared(declaration) ? 1 : 0;
			declarations.set([from, known, scope, reach, DECLARATION_KINDS.indexOf(kind), isShared], i * DECLARATION_SIZE);
		}
		return {
			words: [...words.keys()],
			scopes: Int32Array.from(
				scopes.flatMap(({ from, to, parent, kind }) => [from, to, parent, SCOPE_KINDS.indexOf(kind)]),
			),
			declarations,
			names: Int32Array.from(this.names),
			isSequential: grammar.isSequential === true,
			isBroken,
		};
	}

	private visitChildren(rule: NodeRule, aim: Aim, outer: number, depth: number): void {
		const { cursor } = this;
		if (depth >= DEPTH_MAX) {
			this.isBroken = true;
			return;
		}
		// A cursor call takes as long as all other work for a node, so most calls are made only when needed.
		const { needs, unless, fields, body, owner } = rule;
		const node = needs || unless ? cursor.currentNode : undefined;
		const lacksNeeded = needs && node?.childForFieldName(needs[1]) === null;
		const isExcepted = unless && node?.childForFieldName(unless[1]) !== null;
		const end = fields === undefined ? 0 : cursor.endIndex;
		if (!cursor.gotoFirstChild()) return;
		let isLater = false;
		let name = "";
		let owned: Aim | undefined;
		do {
			const field = fields === undefined && body === undefined ? null : cursor.currentFieldName;
			let mode = field === null ? undefined : fields?.[field];
			if (lacksNeeded && field === needs[0]) mode = "use";
			if (isExcepted && field === unless[0]) mode = "property";
			if (mode === undefined) {
				mode = (isLater ? rule.later : undefined) ?? rule.rest ?? "use";
				isLater ||= rule.later !== undefined && cursor.nodeIsNamed;
			}
			const before = this.scope;
			if (body !== undefined && field === "name") name = this.source.slice(cursor.startIndex, cursor.endIndex);
			if (body !== undefined && field === "body") {
				this.open(body);
				if (name !== "") this.classes.set(name, this.scope);
			}
			if (owner !== undefined && field === owner && KINDS[aim.mode] !== undefined) owned = this.aimInto(aim.mode);
			const isLookedUp = rule.hasTokens && this.followsDot(cursor.startIndex);
			const isOwned = owned !== undefined && field === "name";
			const own = isOwned ? owned : isLookedUp ? PROPERTY : this.aimOf(mode, aim, outer, end);
			this.visit(own ?? PROPERTY, depth + 1);
			this.scope = before;
		} while (cursor.gotoNextSibling());
		cursor.gotoParent();
	}

	/**
	 * Returns the `Aim` for members of the class whose name is at the cursor, and makes the class visible in the
	 * current function. A class that is not declared in this file gets an empty scope.
	 */
	private aimInto(mode: BindingRole): Aim | undefined {
		const { startIndex: at, endIndex } = this.cursor;
		const name = /^[\p{L}\p{N}_$]+/u.exec(this.source.slice(at, endIndex))?.[0];
		if (name === undefined) return undefined;
		const scope = this.classes.get(name) ?? this.scopes.push({ from: at, to: at, parent: 0, kind: "class" }) - 1;
		this.classes.set(name, scope);
		const around = this.scopes[this.scope];
		if (around?.kind === "function" && around.parent === 0) around.parent = scope;
		return { mode, scope };
	}

	private followsDot(at: number): boolean {
		return /(?:\.|::)$/.test(this.source.slice(Math.max(at - 2, 0), at));
	}

	private aimOf(mode: BindingRole, aim: Aim, outer: number, end: number): Aim {
		switch (mode) {
			case "same":
				return aim;
			case "use":
				return USE;
			case "property":
				return PROPERTY;
			case "unknown":
				return UNKNOWN;
			case "imported":
				return aim.mode === "import" ? aim : PROPERTY;
			case "function":
			case "type":
				return { mode, scope: outer };
			case "let":
				return { mode, scope: this.scope, reach: end };
			case "hoisted":
				return { mode, scope: this.functionScope() };
			default:
				// All names in a pattern are visible from the same offset.
				return { mode, scope: this.scope, reach: this.cursor.startIndex };
		}
	}

	/** The innermost scope that is not a block. */
	private functionScope(): number {
		let { scope } = this;
		while (scope > 0 && this.scopes[scope]?.kind === "block") scope = this.scopes[scope]?.parent ?? 0;
		return scope;
	}

	private open(kind: ScopeKind): void {
		const { startIndex: from, endIndex: to } = this.cursor;
		this.scopes.push({ from, to, parent: this.scope, kind });
		this.scope = this.scopes.length - 1;
	}

	private readName(rule: NameRule, aim: Aim): void {
		const { startIndex: from, endIndex: to } = this.cursor;
		if (from === to) return;
		const { mode } = aim;
		const word = this.source.slice(from, to);
		const isConstant = this.grammar.hasConstantPatterns && VARIABLES.has(mode) && /^\p{Lu}/u.test(word);
		const kind = isConstant ? undefined : KINDS[mode];
		if (rule === "property") this.addName(from, to, "property");
		else if (kind !== undefined) this.declare(from, to, word, kind, aim);
		else if (mode === "unknown") return;
		else if (rule === "key" || mode === "property") this.addName(from, to, "property");
		else this.addName(from, to, rule === "shorthand" || mode === "shorthand" ? "shorthand" : "use");
		if (mode === "exported") this.exported.add(word);
		if (mode === "global") this.globals.set(aim.scope, (this.globals.get(aim.scope) ?? new Set()).add(word));
	}

	private addName(from: number, to: number, role: NameRole): void {
		this.names.push(from, to, NAME_ROLES.indexOf(role));
	}

	private declare(from: number, to: number, word: string, plain: DeclarationKind, { scope, mode, reach }: Aim): void {
		const around = this.scopes[scope] as Scope;
		const isMember = around.kind === "class" || around.kind === "hidden";
		const kind = isMember && (plain === "variable" || plain === "function") ? "field" : plain;
		const isVisibleThroughout = this.grammar.isHoisting || !VARIABLES.has(mode) || isMember || scope === 0;
		const name = this.names.length;
		this.addName(from, to, "declaration");
		this.declarations.push({
			from,
			word,
			scope,
			reach: isVisibleThroughout ? around.from : (reach ?? from),
			kind,
			isExported: this.exporting === scope,
			name,
		});
	}

	/** Whether other files can see a declaration: it is not in a function or block, and not private to a module. */
	private isShared({ scope, kind, word, isExported }: Declaration): boolean {
		if (scope === 0) return kind === "import" || !this.isModule || isExported || this.exported.has(word);
		if (this.scopes[scope]?.kind === "block") return false;
		for (let around = scope; around > 0; around = this.scopes[around]?.parent ?? 0) {
			const { kind: of } = this.scopes[around] as Scope;
			if (of === "function" || of === "closed") return false;
		}
		return true;
	}
}

const PLAIN: NodeRule = {};
const BROKEN: NodeRule = { rest: "unknown" };

const VARIABLES: ReadonlySet<BindingRole> = new Set<BindingRole>(["variable", "let", "hoisted"]);

/** The kinds of declarations by role. */
const KINDS: Readonly<Partial<Record<BindingRole, DeclarationKind>>> = {
	variable: "variable",
	let: "variable",
	hoisted: "variable",
	parameter: "parameter",
	own: "function",
	function: "function",
	type: "type",
	import: "import",
};
