import { type Position, positionAt, type Range, Text } from "@segue/text";

/** A seeded pseudo-random generator, so that every contender gets the same input. */
export class Random {
	constructor(private state: number) {}

	/** Returns an integer from 0 up to but not including `end`. */
	below(end: number): number {
		// mulberry32: short, fast, and good enough to scatter edits over a document.
		this.state = (this.state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
	}

	pick<T>(items: readonly T[]): T {
		const item = items[this.below(items.length)];
		if (item === undefined) throw new RangeError("the list is empty");
		return item;
	}
}

const NAMES = [
	"total",
	"items",
	"request",
	"user",
	"nextIndex",
	"buffer",
	"options",
	"result",
	"handler",
	"cache",
	"id",
];
const TYPES = ["string", "number", "Request", "readonly string[]", "Map<string, User>", "boolean | undefined"];
const LINE_TEMPLATES: readonly ((random: Random) => string)[] = [
	() => "",
	() => "}",
	() => "\t});",
	(random) => `import { ${name(random)}, ${name(random)} } from "./${name(random)}.js";`,
	(random) => `export function ${name(random)}(${name(random)}: ${random.pick(TYPES)}): ${random.pick(TYPES)} {`,
	(random) => `\tconst ${name(random)} = ${name(random)}.map((${name(random)}) => ${name(random)}.${name(random)});`,
	(random) => `\tif (${name(random)}.length > ${random.below(100)} && ${name(random)} !== undefined) {`,
	(random) => `\t\treturn ${name(random)}(${name(random)}, ${random.below(1000)});`,
	(random) =>
		`\t\tthis.${name(random)}.set(${name(random)}, { ${name(random)}, ${name(random)}: ${random.below(10)} });`,
	(random) =>
		`\t// The ${name(random)} of the ${name(random)} may be older than its ${name(random)}, so it is read again.`,
];

/**
 * Returns ASCII text of this length that resembles code: some empty lines, and most others 20 to 80 characters long.
 */
export function randomCode(length: number, random: Random): string {
	return fill(length, random, () => "");
}

/** Like `randomCode`, with a non-ASCII comment on every line, so that byte and UTF-16 offsets always differ. */
export function randomCodeInManyScripts(length: number, random: Random): string {
	return fill(length, random, () =>
		random.pick([" // größer als früher", " // 次の編集を提案する", " // fertig 🎉 und 🚀"]),
	);
}

function fill(length: number, random: Random, lineEnd: () => string): string {
	const lines: string[] = [];
	for (let left = length; left > 0; ) {
		const line = random.pick(LINE_TEMPLATES)(random) + lineEnd();
		lines.push(line.slice(0, left - 1));
		left -= line.length + 1;
	}
	return `${lines.join("\n")}\n`;
}

function name(random: Random): string {
	return random.pick(NAMES);
}

/** A document to open. */
export interface RandomFile {
	readonly uri: string;
	readonly text: string;
}

// The parts that names are made of. Each file uses a few dozen of several hundred names, so files have some in common.
const FIRST =
	"active base cached draft early final global hidden inner joined kept late main next open past raw spare".split(" ");
const LAST = "Account Batch Cart Device Entry Filter Group Header Invoice Job Key Label Market Notice Order Page".split(
	" ",
);
const NAMES_OF_FILE = 40;
// Names that every file uses.
const COMMON = "result options value index item config error data".split(" ");
const PARAMETER_TYPES = ["string", "number", "boolean", "readonly string[]", "Map<string, number>", "Promise<void>"];

/** Returns files in one workspace, each with this many lines. */
export function randomFiles(count: number, lines: number, seed: number): RandomFile[] {
	const random = new Random(seed);
	return Array.from({ length: count }, (_, index) => {
		return { uri: `file:///home/someone/shop/src/part${index}.ts`, text: randomProgram(lines, random).join("\n") };
	});
}

/** Returns the lines of a program: functions with a few statements each, most lines 20 to 80 characters long. */
export function randomProgram(lines: number, random: Random): string[] {
	const names = Array.from({ length: NAMES_OF_FILE }, () => `${random.pick(FIRST)}${random.pick(LAST)}`);
	const name = () => (random.below(3) === 0 ? random.pick(COMMON) : random.pick(names));
	const written: string[] = [`import { ${name()}, ${name()} } from "./${random.pick(names)}.js";`, ""];
	while (written.length < lines) {
		written.push(
			`export function ${random.pick(names)}(${name()}: ${random.pick(PARAMETER_TYPES)}, ${name()}: number) {`,
		);
		for (let left = 2 + random.below(8); left > 0; left--) written.push(`\t${statement(random, name)}`);
		written.push("}", "");
	}
	return written.slice(0, lines);
}

function statement(random: Random, name: () => string): string {
	switch (random.below(6)) {
		case 0:
			return `const ${name()} = ${name()}.map((${name()}) => ${name()}.${name()});`;
		case 1:
			return `if (${name()}.length > ${random.below(100)}) return ${name()}(${name()}, ${random.below(1000)});`;
		case 2:
			return `${name()}.set(${name()}, { ${name()}, ${name()}: ${random.below(10)} });`;
		case 3:
			return `// The ${name()} may be older than its ${name()}, so it is read again.`;
		case 4:
			return `for (const ${name()} of ${name()}) ${name()}("${name()} is ${name()}");`;
		default:
			return `return ${name()}(${name()}, ${name()} + ${random.below(1000)});`;
	}
}

/** An edit in wire form, and the offset of the cursor after it. */
export interface RandomEdit {
	readonly range: Range;
	readonly insert: string;
	readonly cursor: number;
}

const INSERTS = ["", "x", ";", "\n", "count", "\t\treturn undefined;\n", "const next = items[index + 1];"];
const DELETE_MAX = 20;

/** Returns consecutive edits at random positions, and the resulting text. */
export function randomEdits(before: string, count: number, random: Random): { edits: RandomEdit[]; after: string } {
	const edits: RandomEdit[] = [];
	let text = Text.of(before);
	for (let i = 0; i < count; i++) {
		const from = random.below(text.length);
		const to = Math.min(from + Math.max(0, random.below(2 * DELETE_MAX) - DELETE_MAX), text.length);
		const insert = random.pick(INSERTS);
		edits.push({ range: { start: at(text, from), end: at(text, to) }, insert, cursor: from + insert.length });
		text = text.replace(from, to, insert);
	}
	return { edits, after: text.toString() };
}

function at(text: Text, offset: number): Position {
	return positionAt(text, offset, "utf-16");
}
