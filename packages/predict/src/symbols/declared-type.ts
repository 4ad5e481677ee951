// Words before a name that say nothing about its type. `async` is not one of them: it makes the result a promise.
const MODIFIERS = new Set(
	`abstract actual class companion const consteval constexpr constinit data declare def default enum expect explicit export
	extern external fileprivate final fn friend fun func function infix inline inner interface internal lateinit lazy let mod mut
	mutable namespace native nonisolated open operator override partial private protected pub public readonly record register
	required sealed static strictfp struct suspend synchronized tailrec thread_local trait transient type unsafe val value var
	vararg virtual volatile`.split(/\s+/),
);
// Matches other text before a declaration that is not part of its type: `pub(crate)`, `extern "C"`, `@Column("a")`,
// `#[inline]`.
const DECORATION = /\bpub\([^()]*\)|\bextern\s+"[^"]*"|@[\w.]+(?:\([^()]*\))?|#!?\[[^\]]*\]|\[\[[^\]]*\]\]/g;
// The text after a loop variable is the collection, rather than the variable's type or value.
const LOOP_HEAD = /\bfor\b[^;]*$/;
const LOOP_TAIL = /^\s*(?:(?:of|in)\b|:(?!:))/;

/** A line, and a name that it declares. */
interface DeclaredName {
	readonly line: string;
	readonly at: number;
	readonly name: string;
}

/**
 * Whether a line declares a name with a different type than an earlier version of the line. Without a type annotation
 * the values decide: literals of different kinds have different types, and so do a promise and its result.
 */
export function hasOtherType(before: DeclaredName, after: DeclaredName): boolean {
	const [old, now] = [readDeclared(before), readDeclared(after)];
	if (old.type !== now.type) return true;
	if (old.type !== "" || old.value === undefined || now.value === undefined) return false;
	const [oldKind, nowKind] = [kindOf(old.value), kindOf(now.value)];
	if (oldKind !== undefined && nowKind !== undefined) return oldKind !== nowKind;
	return old.value !== now.value && old.value.replace(AWAIT, "") === now.value.replace(AWAIT, "");
}

const AWAIT = /^await\s+/;

/** The type annotation of a name, without modifiers and body, and the name's value. */
function readDeclared({ line, at, name }: DeclaredName): { readonly type: string; readonly value: string | undefined } {
	const [head, tail] = [line.slice(0, at), line.slice(at + name.length)];
	// The type of an alias is its definition.
	if (/\btype\s+$/.test(head)) return { type: compact(tail), value: undefined };
	const words = (head.replace(DECORATION, " ").match(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu) ?? []).filter(
		(word) => !MODIFIERS.has(word),
	);
	if (LOOP_HEAD.test(head) && LOOP_TAIL.test(tail)) return { type: words.join(" "), value: undefined };
	const { type, value } = readTail(tail, /\b(?:class|def)\s+$/.test(head));
	return { type: [...words, compact(type)].join(" ").trim(), value: value && compact(value) };
}

/** Returns the text between a name and its value or body, and the value. */
function readTail(tail: string, hasBlock: boolean): { readonly type: string; readonly value: string | undefined } {
	let depth = 0;
	let last = ""; // the last character other than whitespace
	for (let i = 0; i < tail.length; i++) {
		const sign = tail[i] as string;
		const next = tail[i + 1];
		if (/["'`]/.test(sign)) {
			i = endOfString(tail, i);
		} else if (depth === 0) {
			const isValue = sign === "=" && next !== ">" && next !== "=";
			if (isValue) return { type: tail.slice(0, last === ":" ? i - 1 : i), value: tail.slice(i + 1) };
			const isBody = (sign === "{" && !/[:|&,<(=]/.test(last)) || sign === ";" || (sign === ":" && hasBlock);
			const isComment = (sign === "/" && next === "/") || (sign === "#" && /^(?:\s|$)/.test(tail[i - 1] ?? ""));
			if (isBody || isComment) return { type: tail.slice(0, i), value: undefined };
		}
		if (/[([{]/.test(sign)) depth++;
		if (/[)\]}]/.test(sign)) depth--;
		if (/\S/.test(sign)) last = sign;
	}
	return { type: tail, value: undefined };
}

function endOfString(source: string, from: number): number {
	const quote = source[from];
	for (let i = from + 1; i < source.length; i++) {
		if (source[i] === "\\") i++;
		else if (source[i] === quote) return i;
	}
	return source.length;
}

const KINDS: Readonly<Record<string, RegExp>> = {
	number: /^[-+]?(?:\d[\w.]*|\.\d+)$/,
	text: /^[bfru]{0,2}(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)$/i,
	boolean: /^(?:true|false)$/i,
	nothing: /^(?:null|nil|None|undefined)$/,
	list: /^\[.*\]?$/,
	object: /^\{.*\}?$/,
};

/**
 * Returns the kind of a literal; undefined for other expressions. For an arrow function, the kind includes `async` and
 * the result type.
 */
function kindOf(value: string): string | undefined {
	const literal = value
		.replace(/\s*(?:\/\/.*|\s#.*)?$/, "")
		.replace(/[;,]$/, "")
		.trim();
	const arrow = /^(async\b)?\s*\([^()]*\)\s*(:.*)?=>/.exec(literal);
	if (arrow) return `function ${arrow[1] ?? ""}${compact(arrow[2] ?? "")}`;
	return Object.keys(KINDS).find((kind) => KINDS[kind]?.test(literal));
}

function compact(text: string): string {
	return text.replace(/\s+/g, " ").trim();
}
