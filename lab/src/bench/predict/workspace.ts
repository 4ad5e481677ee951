import { Random } from "../random.js";

/** A document as it is opened. */
export interface Opened {
	readonly uri: string;
	readonly text: string;
}

// Of these the names of a file are made, a few dozen of some hundreds, so that files share some of them and not others.
const FIRST =
	"active base cached draft early final global hidden inner joined kept late main next open past raw spare".split(" ");
const LAST = "Account Batch Cart Device Entry Filter Group Header Invoice Job Key Label Market Notice Order Page".split(
	" ",
);
const NAMES_OF_FILE = 40;
// And these are everywhere.
const COMMON = "result options value index item config error data".split(" ");
const TYPES = ["string", "number", "boolean", "readonly string[]", "Map<string, number>", "Promise<void>"];

/** Files of one workspace, all of that many lines, the same in every run. */
export function openFiles(count: number, lines: number, seed: number): Opened[] {
	const random = new Random(seed);
	return Array.from({ length: count }, (_, index) => {
		return { uri: `file:///home/someone/shop/src/part${index}.ts`, text: programOf(lines, random).join("\n") };
	});
}

/** The lines of a program: functions with a few statements each, most of 20 to 80 characters. */
export function programOf(lines: number, random: Random): string[] {
	const names = Array.from({ length: NAMES_OF_FILE }, () => `${random.pick(FIRST)}${random.pick(LAST)}`);
	const name = () => (random.below(3) === 0 ? random.pick(COMMON) : random.pick(names));
	const written: string[] = [`import { ${name()}, ${name()} } from "./${random.pick(names)}.js";`, ""];
	while (written.length < lines) {
		written.push(`export function ${random.pick(names)}(${name()}: ${random.pick(TYPES)}, ${name()}: number) {`);
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
