import { Random, type RandomFile, randomCode } from "../random-code.js";

const KB = 1000;
const LINES = 5000;
const DOCUMENTS = 50;
// The renamed function is used throughout its own file and in every fifth of the other files.
const USED_EVERY_LINES = 250;
const IMPORTED_EVERY = 5;

const OLD_NAME = "parseOrder";
const TYPED = "FromLine";
const DECLARED_AT = LINES / 2;
const DECLARATION = ["export function ", "(line: string): Order {"] as const;

/** Returns the open documents. The first one is edited. */
export function openDocuments(): RandomFile[] {
	const random = new Random(11);
	const lines = randomCode(300 * KB, random)
		.split("\n")
		.slice(0, LINES)
		.map((line, index) => (index % USED_EVERY_LINES === 0 ? `\tconst order${index} = ${OLD_NAME}(input);` : line));
	lines[DECLARED_AT] = DECLARATION.join(OLD_NAME);
	const others = Array.from({ length: DOCUMENTS - 1 }, (_, index) => {
		const code = randomCode(10 * KB, random);
		const isUser = index % IMPORTED_EVERY === 0;
		const head = `import { ${OLD_NAME} } from "./orders.js";\nconst order = ${OLD_NAME}("7 apples");\n`;
		return { uri: `file:///home/someone/shop/src/other${index}.ts`, text: isUser ? head + code : code };
	});
	return [{ uri: "file:///home/someone/shop/src/orders.ts", text: lines.join("\n") }, ...others];
}

/** The change made by a keystroke, and the cursor position after it. */
export interface Keystroke {
	readonly change: { readonly range: { readonly start: Position; readonly end: Position }; readonly text: string };
	readonly cursor: Position;
}

interface Position {
	readonly line: number;
	readonly character: number;
}

/**
 * Types a longer name letter by letter at a function's declaration, then deletes all added letters but the first. After
 * every keystroke the name at the declaration differs from the name at its uses.
 */
export function* keystrokes(): Generator<Keystroke, never> {
	const end = DECLARATION[0].length + OLD_NAME.length;
	const at = (typed: number) => ({ line: DECLARED_AT, character: end + typed });
	const type = (typed: number) => {
		const text = TYPED.charAt(typed);
		return { change: { range: { start: at(typed), end: at(typed) }, text }, cursor: at(typed + 1) };
	};
	const erase = (typed: number) => {
		return { change: { range: { start: at(typed - 1), end: at(typed) }, text: "" }, cursor: at(typed - 1) };
	};
	yield type(0);
	for (;;) {
		for (let typed = 1; typed < TYPED.length; typed++) yield type(typed);
		for (let typed = TYPED.length; typed > 1; typed--) yield erase(typed);
	}
}
