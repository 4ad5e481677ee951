import { lowerOf, parseClass } from "../character-class.js";
import { Glob, GlobError, type Node, type StepBudget } from "../glob.js";

// The largest ignore files in public repositories have about 10,000 lines and 300 kB.
const FILE_LENGTH_MAX = 1_000_000;
const PATTERNS_MAX = 20_000;
// The longest path that Linux allows.
const PATTERN_LENGTH_MAX = 4096;
// The total length of all patterns with wildcards, except simple ones such as `*.log`. They are matched one by one and
// take about 100 bytes per character when compiled.
const WILDCARDS_LENGTH_MAX = 100_000;

/** An ignore file with git's rules. Case-insensitive, because some disks are. */
export class IgnoreFile {
	private count = 0;
	/** Patterns without wildcards and slashes, by name. */
	private readonly names = new Map<string, Indexed>();
	/** Patterns without wildcards that match a path relative to the file's folder. */
	private readonly paths = new Map<string, Indexed>();
	/** Patterns such as `*.log`, by their suffix. */
	private readonly endings = new Map<string, Indexed>();
	private readonly endingLengths = new Set<number>();
	/** All other patterns, by their source. */
	private readonly wildcards = new Map<string, Wildcard>();
	private wildcardsLength = 0;
	/** The other patterns, last one first. */
	private readonly fromLast: readonly Wildcard[];

	/** Throws a `GlobError` that names the exceeded limit. */
	constructor(text: string) {
		if (text.length > FILE_LENGTH_MAX) throw new GlobError(`it has more than ${FILE_LENGTH_MAX} characters`);
		for (const line of text.replace(/^\ufeff/, "").split("\n")) this.add(line.replace(/\r$/, ""));
		this.fromLast = [...this.wildcards.values()].reverse();
	}

	get isEmpty(): boolean {
		return this.count === 0;
	}

	/**
	 * Whether the last pattern that matches a path ignores it; undefined if none matches. The path is relative to the
	 * file's folder and must be folded with `foldName`. Does not check parent folders. Throws a `GlobError` when the
	 * budget is used up.
	 */
	decide(path: string, isFolder: boolean, budget: StepBudget): boolean | undefined {
		const name = path.slice(path.lastIndexOf("/") + 1);
		let last: Rule | undefined;
		const consider = (indexed: Indexed | undefined) => {
			for (const rule of [indexed?.any, isFolder ? indexed?.folder : undefined]) {
				if (rule !== undefined && rule.index > (last?.index ?? -1)) last = rule;
			}
		};
		consider(this.names.get(name));
		consider(this.paths.get(path));
		for (const length of this.endingLengths) {
			if (length <= name.length) consider(this.endings.get(name.slice(name.length - length)));
		}
		for (const rule of this.fromLast) {
			if (rule.index < (last?.index ?? -1)) break;
			budget.take();
			if (rule.isForFolders && !isFolder) continue;
			const text = rule.isForNames ? name : path;
			if (!text.includes(rule.needed)) continue;
			rule.glob ??= Glob.of(rule.nodes);
			if (!rule.glob.matches(text, budget)) continue;
			last = rule;
			break;
		}
		return last && !last.isNegated;
	}

	private add(line: string): void {
		const written = trimEnd(line);
		if (written === "" || written.startsWith("#")) return;
		if (written.length > PATTERN_LENGTH_MAX)
			throw new GlobError(`a pattern has more than ${PATTERN_LENGTH_MAX} characters`);
		if (this.count >= PATTERNS_MAX) throw new GlobError(`it has more than ${PATTERNS_MAX} patterns`);
		const isNegated = written.startsWith("!");
		// Bytes that are not UTF-8 match anything, but a pattern with such bytes must not un-ignore anything.
		if (isNegated && written.includes(UNREADABLE)) return;
		const whole = bytesOf(foldRest(written.slice(isNegated ? 1 : 0).replaceAll(UNREADABLE, "*")));
		const isForFolders = whole.endsWith("/");
		const pattern = isForFolders ? whole.slice(0, -1) : whole;
		const isTied = pattern.includes("/");
		// `**/name` is equivalent to `name`.
		const [path, isForNames] = isTied ? untie(pattern.replace(/^\//, "")) : [pattern, true];
		const nodes = path === "" ? undefined : nodesOf(path, isForNames);
		if (nodes === undefined) return;
		const rule = { index: this.count++, isNegated, isForFolders };
		const first = nodes.findIndex(({ kind }) => kind !== "character");
		const text = (from: number) =>
			String.fromCharCode(...nodes.slice(from).map((node) => (node.kind === "character" ? node.code : 0)));
		if (first === -1) index(isForNames ? this.names : this.paths, text(0), rule);
		else if (isForNames && nodes[0]?.kind === "some" && nodes.slice(1).every(({ kind }) => kind === "character")) {
			index(this.endings, text(1), rule);
			this.endingLengths.add(nodes.length - 1);
		} else {
			const key = `${isForFolders ? "/" : ""}${isForNames ? "" : "."}${path}`;
			if (!this.wildcards.delete(key)) this.wildcardsLength += path.length;
			if (this.wildcardsLength > WILDCARDS_LENGTH_MAX) {
				throw new GlobError(`its patterns with wildcards have more than ${WILDCARDS_LENGTH_MAX} characters`);
			}
			this.wildcards.set(key, { ...rule, isForNames, nodes, needed: longestLiteral(nodes), glob: undefined });
		}
	}
}

interface Rule {
	/** The pattern's number in the file. */
	readonly index: number;
	readonly isNegated: boolean;
	readonly isForFolders: boolean;
}

interface Wildcard extends Rule {
	/** Whether the pattern matches the last name in a path instead of the whole path. */
	readonly isForNames: boolean;
	readonly nodes: readonly Node[];
	/** A string that every match contains. Few paths contain it, and searching for it is much faster than matching. */
	readonly needed: string;
	/** Compiled on first use. */
	glob: Glob | undefined;
}

/** The last patterns for a key: one that matches everything and one that matches only folders. */
interface Indexed {
	any?: Rule;
	folder?: Rule;
}

function index(map: Map<string, Indexed>, key: string, rule: Rule): void {
	const indexed = map.get(key) ?? {};
	indexed[rule.isForFolders ? "folder" : "any"] = rule;
	map.set(key, indexed);
}

/**
 * Converts a name for matching: to lower case, with one character per UTF-8 byte, because `?` matches one byte in git.
 */
export function foldName(name: string): string {
	return bytesOf(name.toLowerCase());
}

function bytesOf(text: string): string {
	if (!NOT_ASCII.test(text)) return text;
	return text.replace(NOT_ASCII_ALL, (character) => {
		const code = character.codePointAt(0) as number;
		const rest = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
		const bytes = Array.from({ length: rest }, (_, i) => 0x80 | ((code >> (6 * (rest - 1 - i))) & 0x3f));
		return String.fromCharCode((LEADS[rest] as number) | (code >> (6 * rest)), ...bytes);
	});
}

// The first byte of a character, indexed by the number of bytes after it.
const LEADS = [0, 0xc0, 0xe0, 0xf0];
const NOT_ASCII = /[^\0-\x7f]/;
const NOT_ASCII_ALL = /[^\0-\x7f]/gu;

/**
 * Converts non-ASCII letters to lower case. ASCII letters stay unchanged, because folding would change `[:upper:]` or
 * `[A-z]`.
 */
function foldRest(pattern: string): string {
	return pattern.replace(/[^\0-\x7f]+/g, (some) => some.toLowerCase());
}

/** The replacement character for bytes that are not UTF-8. */
const UNREADABLE = "\ufffd";

/** Removes trailing spaces unless they are escaped. A NUL ends the line. */
function trimEnd(line: string): string {
	const nul = line.indexOf("\0");
	const text = nul === -1 ? line : line.slice(0, nul);
	let end = 0;
	for (let at = 0; at < text.length; at++) {
		const isEscaped = text[at] === "\\";
		if (isEscaped) at++;
		if (isEscaped || text[at] !== " ") end = at + 1;
	}
	return text.slice(0, end);
}

function longestLiteral(nodes: readonly Node[]): string {
	let [longest, current] = ["", ""];
	for (const node of nodes) {
		current = node.kind === "character" ? current + String.fromCharCode(node.code) : "";
		if (current.length > longest.length) longest = current;
	}
	return longest;
}

function untie(path: string): [string, boolean] {
	const name = path.startsWith("**/") ? path.slice(3) : path;
	return name.includes("/") || name === path ? [path, false] : [name, true];
}

/** Parses a pattern. Returns undefined if it matches nothing. */
function nodesOf(pattern: string, isForNames: boolean): readonly Node[] | undefined {
	const nodes: Node[] = [];
	const firstSpecial = pattern.search(/[*?[\\]/);
	for (let at = 0; at < pattern.length; ) {
		const sign = pattern[at] as string;
		if (sign === "[") {
			const { set, end } = parseClass(pattern, at, true);
			if (set === undefined) return undefined;
			nodes.push({ kind: "class", set });
			at = end;
		} else if (sign === "?") {
			nodes.push({ kind: "one" });
			at++;
		} else if (sign === "*") {
			const start = at;
			while (pattern[at] === "*") at++;
			// Git compares the text before the first wildcard separately, so `**` directly after it also matches folders.
			const isAfterEdge = start === firstSpecial || pattern[start - 1] === "/";
			const isBeforeEdge = at === pattern.length || pattern[at] === "/" || pattern.startsWith("\\/", at);
			const isDeep = at - start > 1 && !isForNames && isAfterEdge && isBeforeEdge;
			if (!isDeep) nodes.push({ kind: "some" });
			else if (pattern[at] === "/") {
				nodes.push({ kind: "folders" });
				at++;
			} else nodes.push({ kind: "all" });
		} else {
			if (sign === "\\") at++;
			if (at >= pattern.length) return undefined;
			nodes.push({ kind: "character", code: lowerOf(pattern.charCodeAt(at++)) });
		}
	}
	return nodes;
}
