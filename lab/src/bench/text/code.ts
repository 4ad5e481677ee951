import type { Random } from "../random.js";

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
const LINES: readonly ((random: Random) => string)[] = [
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

/** Lines as they stand in a program: some empty, most of 20 to 80 characters, in ASCII, until the text is that long. */
export function codeOf(length: number, random: Random): string {
	return fill(length, random, () => "");
}

/** The same with a comment in other scripts on every line, so that bytes and UTF-16 code units differ everywhere. */
export function codeInManyScripts(length: number, random: Random): string {
	return fill(length, random, () =>
		random.pick([" // größer als früher", " // 次の編集を提案する", " // fertig 🎉 und 🚀"]),
	);
}

function fill(length: number, random: Random, lineEnd: () => string): string {
	const lines: string[] = [];
	for (let left = length; left > 0; ) {
		const line = random.pick(LINES)(random) + lineEnd();
		lines.push(line.slice(0, left - 1));
		left -= line.length + 1;
	}
	return `${lines.join("\n")}\n`;
}

function name(random: Random): string {
	return random.pick(NAMES);
}
