/**
 * Globs, matched in linear time. A pattern is compiled to a nondeterministic automaton, and a text is matched by
 * following all states at once, without backtracking: a match takes at most the length of the pattern times the length
 * of the text. Only `!(…)` starts a separate match at each position in a name. A step budget bounds everything.
 */

import { CharacterSet, parseClass } from "./character-class.js";

// Longer than any rule written by hand, but enough for a rule that lists a few hundred tools in braces.
const GLOB_LENGTH_MAX = 10_000;
// Parsing, compiling and matching recurse into groups. A rule written by hand has two or three levels.
const NESTING_MAX = 50;
// A typical glob takes a few hundred steps. This many steps take about 100 ms.
const STEPS_MAX = 2_000_000;

/** Thrown if a glob is too long, nested too deeply, or takes too many steps to match. */
export class GlobError extends RangeError {}

/** The number of steps left for one or several matches. */
export class StepBudget {
	constructor(private left = STEPS_MAX) {}

	/** Uses one step. Throws a `GlobError` if no steps are left. */
	take(): void {
		if (this.left-- <= 0) throw new GlobError("The patterns take too long to match.");
	}
}

/** A compiled pattern. */
export class Glob {
	private constructor(
		private readonly program: Program,
		private readonly isNegated: boolean,
	) {}

	/**
	 * Parses a glob for paths: `*` and `?` within a name, `**` for any folders, `[a-z]`, `{a,b}`, `(a|b)`, `@(…)`,
	 * `?(…)`, `*(…)`, `+(…)` and `!(…)`, a backslash before a literal character, and a leading `!` for negation. `a/**`
	 * also matches `a`. Case-sensitive. Throws a `GlobError` for a pattern that is too long or nested too deeply.
	 */
	static parse(pattern: string): Glob {
		if (pattern.length > GLOB_LENGTH_MAX) throw new GlobError(`The glob is longer than ${GLOB_LENGTH_MAX} characters.`);
		const bangs = /^(?:!(?!\())*/.exec(pattern)?.[0].length ?? 0;
		const nodes = new GlobParser(pattern.slice(bangs).replace(/^\.\//, "")).parse();
		return new Glob(compile(nodes), bangs % 2 === 1);
	}

	/** Creates a glob from nodes, for other pattern languages. */
	static of(nodes: readonly Node[]): Glob {
		return new Glob(compile([nodes]), false);
	}

	/** Whether the whole text matches. Throws a `GlobError` when the budget is used up. */
	matches(text: string, budget = new StepBudget()): boolean {
		let isMatch = false;
		run(this.program, text, 0, text.length, budget, (at) => {
			if (at === text.length) isMatch = true;
		});
		return isMatch !== this.isNegated;
	}
}

/** A part of a pattern. */
export type Node =
	| { readonly kind: "character"; readonly code: number }
	/** One character from a set. */
	| { readonly kind: "class"; readonly set: CharacterSet }
	/**
	 * `?`: one character. `*`: any number of characters within a name. `**`: any number of characters, including
	 * slashes.
	 */
	| { readonly kind: "one" | "some" | "all" }
	/** `**` and the slash after it: nothing, or everything up to a slash. */
	| { readonly kind: "folders" }
	/** `/**` at the end: nothing, or a slash and everything after it. */
	| { readonly kind: "below" }
	| { readonly kind: "group"; readonly options: Options; readonly isOptional: boolean; readonly isRepeated: boolean }
	/** Any part of a name that matches none of the options. */
	| { readonly kind: "not"; readonly options: Options };

type Options = readonly (readonly Node[])[];

const SLASH = 47;

function literal(text: string): Node[] {
	return Array.from({ length: text.length }, (_, i) => ({ kind: "character", code: text.charCodeAt(i) }));
}

class GlobParser {
	private at = 0;
	private nesting = 0;
	/** Maps the index of each opening character of a group to the index of its closing character. */
	private readonly closers: ReadonlyMap<number, number>;
	private readonly classes: ReadonlyMap<number, Class>;

	constructor(private readonly pattern: string) {
		({ closers: this.closers, classes: this.classes } = bracketsIn(pattern));
	}

	parse(): Options {
		return this.options(this.pattern.length, "|").map(withBelow);
	}

	/** Parses alternatives up to an index. They are separated by the given character or by `|`. */
	private options(end: number, separator: string): Options {
		const options: Node[][] = [[]];
		while (this.at < end) {
			const sign = this.pattern[this.at] as string;
			if (sign === separator || sign === "|") {
				this.at++;
				options.push([]);
			} else options.at(-1)?.push(...this.nodes(sign));
		}
		return options;
	}

	private nodes(sign: string): readonly Node[] {
		const { pattern, at } = this;
		const group = GROUPS[sign];
		if (group !== undefined && this.closers.has(at + 1) && pattern[at + 1] === "(") {
			this.at++;
			return [group(this.group(")"))];
		}
		if (sign === "(" && this.closers.has(at)) return [anyOf(this.group(")"))];
		if (sign === "{" && this.closers.has(at)) return this.braces();
		if (sign === "*") return this.stars();
		if (sign === "[") return this.brackets();
		this.at++;
		if (sign === "?") return [{ kind: "one" }];
		if (sign === "\\" && this.at < pattern.length) return literal(pattern[this.at++] as string);
		return literal(sign);
	}

	/** Parses the alternatives between the opening character at the current index and its closing character. */
	private group(closing: ")" | "}"): Options {
		if (++this.nesting > NESTING_MAX)
			throw new GlobError(`The groups of the glob are nested more than ${NESTING_MAX} levels deep.`);
		const end = this.closers.get(this.at) as number;
		this.at++;
		const options = this.options(end, closing === "}" ? "," : "|");
		this.at = end + 1;
		this.nesting--;
		return options;
	}

	private braces(): readonly Node[] {
		const end = this.closers.get(this.at) as number;
		const [, from, to] = /^(.)\.\.(.)$/s.exec(this.pattern.slice(this.at + 1, end)) ?? [];
		if (from !== undefined && to !== undefined) {
			this.at = end + 1;
			const [low = 0, high = 0] = [from, to].map((one) => one.charCodeAt(0)).sort((a, b) => a - b);
			return [{ kind: "class", set: new CharacterSet([[low, high]]) }];
		}
		const options = this.group("}");
		return options.length > 1 ? [anyOf(options)] : [...literal("{"), ...(options[0] ?? []), ...literal("}")];
	}

	private stars(): readonly Node[] {
		const { pattern } = this;
		const start = this.at;
		while (pattern[this.at] === "*" && !(this.closers.has(this.at + 1) && pattern[this.at + 1] === "(")) this.at++;
		const isDeep = this.at - start > 1 && isEdge(pattern[start - 1]) && isEdge(pattern[this.at]);
		if (!isDeep) return [{ kind: "some" }];
		if (pattern[this.at] !== "/") return [{ kind: "all" }];
		this.at++;
		return [{ kind: "folders" }];
	}

	private brackets(): readonly Node[] {
		const { pattern, at } = this;
		const found = this.classes.get(at);
		this.at = found?.end ?? at + 1;
		if (found === undefined) return literal("[");
		const written = pattern.slice(at, found.end);
		const node: Node = { kind: "class", set: found.set };
		// Several frameworks give routes names such as `[id].ts`, so brackets without special characters also match
		// themselves.
		return /[-*+?.^${}(|)[\]!\\]/.test(written.slice(1, -1)) ? [node] : [anyOf([[node], literal(written)])];
	}
}

const GROUPS: Readonly<Record<string, (options: Options) => Node>> = {
	"@": (options) => anyOf(options),
	"?": (options) => ({ kind: "group", options, isOptional: true, isRepeated: false }),
	"*": (options) => ({ kind: "group", options, isOptional: true, isRepeated: true }),
	"+": (options) => ({ kind: "group", options, isOptional: false, isRepeated: true }),
	"!": (options) => ({ kind: "not", options }),
};

function anyOf(options: Options): Node {
	return { kind: "group", options, isOptional: false, isRepeated: false };
}

/** Whether a name starts or ends next to this character of a pattern. */
function isEdge(sign: string | undefined): boolean {
	return sign === undefined || "/{(,|)}".includes(sign);
}

/** A parsed `[…]` and the index after it. */
interface Class {
	readonly set: CharacterSet;
	readonly end: number;
}

/**
 * Finds the ends of groups and the character classes in a pattern, by their start. An opening character that is not
 * closed is a literal.
 */
function bracketsIn(pattern: string): {
	readonly closers: ReadonlyMap<number, number>;
	readonly classes: ReadonlyMap<number, Class>;
} {
	const closers = new Map<number, number>();
	const classes = new Map<number, Class>();
	const open: number[] = [];
	/** Opening brackets before this index are literals. Trying to parse each of them would take quadratic time. */
	let literalTo = 0;
	for (let i = 0; i < pattern.length; i++) {
		const sign = pattern[i] as string;
		if (sign === "\\") i++;
		else if (sign === "[" && i >= literalTo) {
			const { set, end } = parseClass(pattern, i, false);
			if (set === undefined) literalTo = end;
			else {
				classes.set(i, { set, end });
				i = end - 1;
			}
		} else if (sign === "(" || sign === "{") open.push(i);
		else if (sign === ")" || sign === "}") {
			const start = open.at(-1);
			if (start === undefined || pattern[start] !== (sign === ")" ? "(" : "{")) continue;
			open.pop();
			closers.set(start, i);
		}
	}
	return { closers, classes };
}

/** At the end of a pattern, `/**` after a name also matches the folder itself, unless the name is a `*`. */
function withBelow(nodes: readonly Node[]): readonly Node[] {
	const [name, slash, last] = nodes.slice(-3);
	const isBelow = last?.kind === "all" && slash?.kind === "character" && slash.code === SLASH && name?.kind !== "some";
	return isBelow ? [...nodes.slice(0, -2), { kind: "below" }] : nodes;
}

/** A state of the automaton. Only `read` consumes a character. */
type State =
	| { readonly op: "read"; readonly test: (code: number) => boolean }
	| { readonly op: "split"; targets: readonly number[] }
	| { readonly op: "not"; readonly program: Program }
	| { readonly op: "accept" };

/** A list of states. Each state leads to the next one, except a split, which leads to its targets. */
interface Program {
	readonly states: readonly State[];
	/** The step in which each state was last entered. */
	readonly entered: Float64Array;
	step: number;
}

const isInName = (code: number) => code !== SLASH;
const isAny = () => true;

function compile(options: Options): Program {
	const states: State[] = [];
	const emitOptions = (alternatives: Options): void => {
		const split: State = { op: "split", targets: [] };
		const starts: number[] = [];
		const ends: { targets: readonly number[] }[] = [];
		if (alternatives.length > 1) states.push(split);
		for (const nodes of alternatives) {
			starts.push(states.length);
			for (const node of nodes) emit(node);
			if (alternatives.length === 1) continue;
			const end = { op: "split" as const, targets: [] };
			ends.push(end);
			states.push(end);
		}
		split.targets = starts;
		for (const end of ends) end.targets = [states.length];
	};
	/** Emits a loop over any number of characters. */
	const emitLoop = (test: (code: number) => boolean): void => {
		const start = states.length;
		states.push({ op: "split", targets: [start + 1, start + 3] }, { op: "read", test });
		states.push({ op: "split", targets: [start] });
	};
	const emitOptional = (emitBody: () => void, isRepeated: boolean): void => {
		const start = states.length;
		const split = { op: "split" as const, targets: [] as number[] };
		states.push(split);
		emitBody();
		if (isRepeated) states.push({ op: "split", targets: [start] });
		split.targets = [start + 1, states.length];
	};
	const emit = (node: Node): void => {
		switch (node.kind) {
			case "character":
				states.push({ op: "read", test: (code) => code === node.code });
				break;
			case "class":
				states.push({ op: "read", test: (code) => node.set.has(code) });
				break;
			case "one":
				states.push({ op: "read", test: isInName });
				break;
			case "some":
				emitLoop(isInName);
				break;
			case "all":
				emitLoop(isAny);
				break;
			case "folders":
				emitOptional(() => {
					emitLoop(isAny);
					states.push({ op: "read", test: isSlash });
				}, false);
				break;
			case "below":
				emitOptional(() => {
					states.push({ op: "read", test: isSlash });
					emitLoop(isAny);
				}, false);
				break;
			case "not":
				states.push({ op: "not", program: compile(node.options) });
				break;
			case "group": {
				const start = states.length;
				if (node.isOptional) emitOptional(() => emitOptions(node.options), node.isRepeated);
				else {
					emitOptions(node.options);
					if (node.isRepeated) states.push({ op: "split", targets: [start, states.length + 1] });
				}
			}
		}
	};
	emitOptions(options);
	states.push({ op: "accept" });
	return { states, entered: new Float64Array(states.length), step: 0 };
}

const isSlash = (code: number) => code === SLASH;

/**
 * Follows all states from a position, and calls `accept` for each position at which the program accepts, in ascending
 * order.
 */
function run(
	program: Program,
	text: string,
	from: number,
	to: number,
	budget: StepBudget,
	accept: (at: number) => void,
): void {
	const { states, entered } = program;
	/** States to enter at later positions, after the part of the text that a `!(…)` matched. */
	const later = new Map<number, Set<number>>();
	let reading: number[] = [];
	const entering: number[] = [0];
	for (let at = from; ; at++) {
		program.step++;
		for (let index = entering.pop(); index !== undefined; index = entering.pop()) {
			if (entered[index] === program.step) continue;
			entered[index] = program.step;
			budget.take();
			const state = states[index] as State;
			if (state.op === "read") reading.push(index);
			else if (state.op === "split") entering.push(...state.targets);
			else if (state.op === "accept") accept(at);
			else {
				for (const end of unmatched(state.program, text, at, to, budget)) {
					budget.take();
					if (end === at) entering.push(index + 1);
					else {
						const targets = later.get(end) ?? new Set();
						later.set(end, targets.add(index + 1));
					}
				}
			}
		}
		if (at >= to || (reading.length === 0 && later.size === 0)) return;
		const code = text.charCodeAt(at);
		for (const index of reading) {
			budget.take();
			const state = states[index] as State;
			if (state.op === "read" && state.test(code)) entering.push(index + 1);
		}
		reading = [];
		entering.push(...(later.get(at + 1) ?? []));
		later.delete(at + 1);
	}
}

/**
 * Returns the positions at which a part of a name can end if it starts at this position and the program does not match
 * it.
 */
function unmatched(program: Program, text: string, from: number, to: number, budget: StepBudget): number[] {
	const matched = new Set<number>();
	const slash = text.indexOf("/", from);
	const end = slash === -1 ? to : Math.min(slash, to);
	run(program, text, from, end, budget, (at) => matched.add(at));
	const ends: number[] = [];
	for (let at = from; at <= end; at++) {
		budget.take();
		if (!matched.has(at)) ends.push(at);
	}
	return ends;
}
