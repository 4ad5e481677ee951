import { lineAt } from "./tree.js";

/** An import of another module. */
export interface Import {
	/** The module as written: a package with an optional path, a relative path, or a built-in module of Node. */
	readonly specifier: string;
	readonly line: number;
	/** True for `import type` and `export type`, which have no effect at run time. */
	readonly typeOnly: boolean;
	/** True if the whole module is imported, by `* as name` or by a call, instead of single names. */
	readonly isNamespace: boolean;
}

/** A name that a module declares and exports. */
export interface Declaration {
	readonly name: string;
	readonly line: number;
}

/**
 * Returns the imports of a JavaScript or TypeScript module: static imports, re-exports, and `import()` and `require()`
 * with a literal. TypeScript 7 has no parser API, so this uses a small tokenizer that distinguishes code from strings,
 * comments and regular expressions.
 */
export function importsOf(source: string): readonly Import[] {
	let imports = known.get(source);
	if (imports === undefined) {
		imports = readImports(source);
		known.set(source, imports);
	}
	return imports;
}

/** Results by source, because several rules read the same sources. */
const known = new Map<string, readonly Import[]>();

function readImports(source: string): Import[] {
	const tokens = tokensOf(source);
	return tokens.flatMap((token, i) => {
		if (token.kind !== "word" || tokens[i - 1]?.text === ".") return [];
		const found = specifierAfter(tokens, i);
		if (found === undefined) return [];
		return [{ ...found, line: lineAt(source, token.offset) }];
	});
}

/** Words between `export` and the keyword of a declaration. */
const MODIFIERS: readonly string[] = ["abstract", "async", "declare", "default"];
const DECLARING = /^(?:class|const|enum|function|interface|let|type|var)$/;

/** Returns the names that a module declares and exports in the same statement, without re-exports. */
export function declarationsOf(source: string): Declaration[] {
	const tokens = tokensOf(source);
	return tokens.flatMap((token, i) => {
		if (token.kind !== "word" || token.text !== "export" || tokens[i - 1]?.text === ".") return [];
		let at = i + 1;
		while (MODIFIERS.includes(tokens[at]?.text ?? "")) at++;
		if (!DECLARING.test(tokens[at]?.text ?? "")) return [];
		const name = tokens[at + 1]?.text === "*" ? tokens[at + 2] : tokens[at + 1];
		if (name?.kind !== "word") return [];
		return [{ name: name.text, line: lineAt(source, name.offset) }];
	});
}

interface Token {
	/** A literal is a regular expression or the end of a template, so it cannot name a module. */
	readonly kind: "word" | "string" | "literal" | "mark";
	/** The token's text. For a string, the part between its quotes. */
	readonly text: string;
	readonly offset: number;
}

function specifierAfter(tokens: readonly Token[], i: number): Omit<Import, "line"> | undefined {
	const word = tokens[i]?.text;
	const [first, second, third, fourth] = tokens.slice(i + 1, i + 5);
	if (word === "require" || word === "import") {
		if (first?.text === "(" && second?.kind === "string") return whole(second.text);
	}
	if (word === "require" && first?.text === "." && second?.text === "resolve") {
		if (third?.text === "(" && fourth?.kind === "string") return whole(fourth.text);
	}
	if (word === "import" && first?.kind === "string") return whole(first.text);
	if (word !== "import" && word !== "export") return undefined;
	// `import type from "x"` and `import type, { y } from "x"` import a default named `type`.
	const typeOnly =
		first?.text === "type" && second?.text !== "," && !(second?.text === "from" && third?.kind === "string");
	if (word === "export" && !["{", "*"].includes((typeOnly ? second : first)?.text ?? "")) return undefined;
	// Skip the imported names. Any other token starts another statement, which means that this one names no module.
	for (let at = i + 1; isAmongNames(tokens[at]); at++) {
		const next = tokens[at + 1];
		if (tokens[at]?.text !== "from" || next?.kind !== "string") continue;
		const [star, as] = typeOnly ? [second, third] : [first, second];
		return { specifier: next.text, typeOnly, isNamespace: star?.text === "*" && as?.text === "as" };
	}
	return undefined;
}

/** Returns an import that is a call or has only side effects. */
function whole(specifier: string): Omit<Import, "line"> {
	return { specifier, typeOnly: false, isNamespace: true };
}

function isAmongNames(token: Token | undefined): boolean {
	if (token === undefined) return false;
	if (token.kind === "mark") return ["{", "}", ",", "*"].includes(token.text);
	return token.kind === "string" || (token.kind === "word" && !["import", "export"].includes(token.text));
}

/** Words after which a slash starts a regular expression. After any other word, a slash is a division. */
const BEFORE_OPERAND =
	/^(?:await|case|delete|do|else|extends|in|instanceof|new|of|return|throw|typeof|void|yield|default)$/;

const SPACE = /\s+/y;
const COMMENT = /\/\/.*|\/\*[\s\S]*?\*\//y;
const WORD = /[\p{ID_Continue}$#@]+/uy;
const QUOTED = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
/** `...` is one mark, so that the word after it does not look like a property. */
const MARK = /\.\.\.|[\s\S]/y;
/**
 * A part of a template: from the opening backtick or the end of a substitution, to the next substitution or the closing
 * backtick.
 */
const TEMPLATE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(`|\$\{)/y;

function tokensOf(source: string): Token[] {
	const tokens: Token[] = [];
	// For each open bracket: whether a slash after the closing bracket starts a regular expression, and whether the
	// bracket belongs to a substitution in a template, after which the template continues.
	const open: { slashIsRegex: boolean; inTemplate: boolean }[] = [];
	let slashIsRegex = true;
	let at = 0;

	function take(pattern: RegExp): string | undefined {
		pattern.lastIndex = at;
		const match = pattern.exec(source)?.[0];
		at += match?.length ?? 0;
		return match;
	}
	function push(kind: Token["kind"], text: string, offset: number): void {
		tokens.push({ kind, text, offset });
		slashIsRegex = kind === "mark" || (kind === "word" && BEFORE_OPERAND.test(text));
	}
	/** Reads part of a template that starts at `offset`. A template without substitutions is a string. */
	function template(offset: number, isFirst: boolean): void {
		const stretch = take(TEMPLATE);
		if (stretch === undefined) at = source.length;
		else if (stretch.endsWith("${")) {
			push("mark", "`", offset);
			open.push({ slashIsRegex: false, inTemplate: true });
		} else if (isFirst) push("string", stretch.slice(0, -1), offset);
		else push("literal", "", offset);
	}

	while (at < source.length) {
		if (take(SPACE) !== undefined || take(COMMENT) !== undefined) continue;
		const offset = at;
		const quoted = take(QUOTED);
		if (quoted !== undefined) {
			push("string", quoted.slice(1, -1), offset);
			continue;
		}
		if (slashIsRegex && take(REGEX) !== undefined) {
			push("literal", "", offset);
			continue;
		}
		const word = take(WORD);
		if (word !== undefined) {
			push("word", word, offset);
			continue;
		}
		const mark = take(MARK) ?? "";
		if (mark === "`") {
			template(offset, true);
			continue;
		}
		const before = tokens.at(-1);
		push("mark", mark, offset);
		if (mark === "(") {
			const isCondition = before?.kind === "word" && /^(?:if|while|for|with)$/.test(before.text);
			open.push({ slashIsRegex: isCondition, inTemplate: false });
		} else if (mark === "[") open.push({ slashIsRegex: false, inTemplate: false });
		// A slash after a block starts a regular expression in the next statement. Object literals are never divided.
		else if (mark === "{") open.push({ slashIsRegex: true, inTemplate: false });
		else if (mark === ")" || mark === "]" || mark === "}") {
			const closed = open.pop();
			slashIsRegex = closed?.slashIsRegex ?? true;
			if (closed?.inTemplate === true) {
				tokens.pop();
				template(offset, false);
			}
		}
	}
	return tokens;
}
