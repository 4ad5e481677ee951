import { sanitizeName } from "@segue/text";
import {
	createScanner,
	findNodeAtLocation,
	getLocation,
	type Node,
	type ParseError,
	parseTree,
	printParseErrorCode,
} from "jsonc-parser";
import type { z } from "zod";

/** A file as its schema has it, with where everything stands in it; or everything that is wrong with it. */
type JsonReading<Value> =
	| { readonly value: Value; readonly placeOf: (path: JsonPath) => string; readonly problems?: undefined }
	| { readonly value?: undefined; readonly problems: readonly string[] };

export type JsonPath = readonly (string | number)[];

/** Nothing that we read is nested as deep; the parser calls itself for every level. */
const NESTING_MAX = 32;

/** More of them are one slip and what follows from it. How many more there are is told. */
const PROBLEMS_MAX = 50;

/** Reads JSON that may have comments and trailing commas. */
export function readJson<Value>(file: string, text: string, schema: z.ZodType<Value>): JsonReading<Value> {
	const placeAt = (offset: number) => `${sanitizeName(file)}:${lineAndColumn(text, offset)}`;
	const deep = findTooDeep(text);
	if (deep !== undefined) {
		return { problems: [`${placeAt(deep)}: more is nested here than any setting is: take it out.`] };
	}
	const errors: ParseError[] = [];
	const root = parseTree(text, errors, { allowTrailingComma: true });
	if (root === undefined) {
		return { problems: [`${placeAt(0)}: there is nothing in the file: write {} into it, or delete it.`] };
	}
	const parsed = schema.safeParse(plainValue(root));
	const slips = syntaxProblemsOf(text, errors);
	// What follows a slip may have been read otherwise than it was meant.
	const known = slips[0]?.offset ?? text.length;
	const complaints = [
		...findMisnamed(root),
		...(parsed.error?.issues ?? []).flatMap((issue) => fieldProblemsOf(root, issue)),
	]
		.filter(({ node }) => node.offset + node.length <= known)
		.map(({ path, node: { offset }, why }) => ({ offset, text: `${fieldName(path) || "the file"} ${why}` }))
		.sort((a, b) => a.offset - b.offset);
	const wrong = [...complaints, ...slips];
	if (wrong.length === 0 && parsed.success) {
		return { value: parsed.data, placeOf: (path) => placeAt(keyNode(root, path).offset) };
	}
	const told = wrong.slice(0, PROBLEMS_MAX);
	const problems = told.map(({ offset, text }) => `${placeAt(offset)}: ${text}${text.endsWith("?") ? "" : "."}`);
	const rest = wrong.length - told.length;
	return { problems: rest === 0 ? problems : [...problems, `And ${rest} more like these in ${sanitizeName(file)}.`] };
}

/** What is wrong with one field. */
interface FieldProblem {
	readonly path: JsonPath;
	/** What it is about: a field's name, or its value. */
	readonly node: Node;
	readonly why: string;
}

/** Where more is nested than anything that we read. The scanner does not call itself, however deep it goes. */
function findTooDeep(text: string): number | undefined {
	const scanner = createScanner(text, true);
	// At the end of a comment that is not closed it gives the comment again and again, and no end of the file.
	for (let depth = 0; scanner.getPosition() < text.length; ) {
		scanner.scan();
		const at = scanner.getTokenOffset();
		const first = text[at];
		if (first === "{" || first === "[") depth += 1;
		if (first === "}" || first === "]") depth -= 1;
		if (depth > NESTING_MAX) return at;
	}
	return undefined;
}

/** The first slip in each field: the others mostly follow from it. */
function syntaxProblemsOf(text: string, errors: readonly ParseError[]): { offset: number; text: string }[] {
	const fields = new Set<string>();
	// Each asks the parser anew in which field it is.
	return errors.slice(0, PROBLEMS_MAX).flatMap(({ error, offset }) => {
		const { path } = getLocation(text, offset);
		// A field whose name is not written yet is called by nothing.
		const field = fieldName(path.at(-1) === "" ? path.slice(0, -1) : path);
		if (fields.has(field)) return [];
		fields.add(field);
		const said = SYNTAX_PROBLEMS[printParseErrorCode(error)] ?? "this is no JSON: correct it";
		return [{ offset, text: `${said}${field === "" ? "" : ` (in ${field})`}` }];
	});
}

/** What a slip of the pen is called, with what to do. */
const SYNTAX_PROBLEMS: Readonly<Record<string, string>> = {
	InvalidSymbol: "this is no value: put text into double quotes",
	InvalidNumberFormat: "this is no number: correct it",
	PropertyNameExpected: "a field's name has to stand here, in double quotes",
	ValueExpected: "a value is missing here: write one",
	ColonExpected: "a colon is missing here: write one",
	CommaExpected: "a comma is missing here: write one",
	CloseBraceExpected: "a } is missing here: write one",
	CloseBracketExpected: "a ] is missing here: write one",
	EndOfFileExpected: "the file should end here: take out what follows",
	InvalidCommentToken: "this is no comment: write // or /* */",
	UnexpectedEndOfComment: "a comment is not closed: write */ after it",
	UnexpectedEndOfString: "a text is not closed: write a double quote after it",
	UnexpectedEndOfNumber: "a number is cut off here: write the rest",
	InvalidUnicode: "this is no character: write \\u and four hexadecimal digits",
	InvalidEscapeCharacter: "this escape is unknown: write two backslashes for one",
	InvalidCharacter: "a control character stands in a text: write it as an escape",
};

/** Fields that are written twice, of which all but one would be lost, and one that no object of JavaScript can hold. */
function findMisnamed(node: Node, path: JsonPath = []): FieldProblem[] {
	const seen = new Set<string>();
	return (node.children ?? []).flatMap((child, i) => {
		if (child.type !== "property") return findMisnamed(child, [...path, i]);
		const [key, value] = child.children as [Node, Node | undefined];
		const keyPath = [...path, key.value];
		const found = value === undefined ? [] : findMisnamed(value, keyPath);
		if (key.value === "__proto__") found.unshift({ path: keyPath, node: key, why: "is no name: choose another" });
		if (seen.has(key.value)) found.unshift({ path: keyPath, node: key, why: "is written twice: take one out" });
		seen.add(key.value);
		return found;
	});
}

/** The parser's own would let a field named `__proto__` stand for what is not written. */
function plainValue(node: Node): unknown {
	if (node.type === "array") return (node.children ?? []).map(plainValue);
	if (node.type !== "object") return node.value;
	const pairs = (node.children ?? []).map(({ children }) => children as [Node, Node | undefined]);
	return Object.fromEntries(pairs.map(([key, value]) => [key.value, value && plainValue(value)]));
}

/** One issue is about several fields where their names are unknown, and then has a line for each. */
function fieldProblemsOf(root: Node, issue: z.core.$ZodIssue): FieldProblem[] {
	const path = issue.path as JsonPath;
	if (issue.code === "unrecognized_keys") {
		const whys = issue.message.split("\n");
		return issue.keys.map((key, i) => {
			const keyPath = [...path, key];
			return { path: keyPath, node: keyNode(root, keyPath), why: whys[i] as string };
		});
	}
	const node = issue.code === "invalid_key" ? keyNode(root, path) : valueNode(root, path);
	return [{ path, node, why: issue.message }];
}

function valueNode(root: Node, path: JsonPath): Node {
	// What is missing is told where it is missing from.
	for (let length = path.length; length > 0; length--) {
		const node = findNodeAtLocation(root, path.slice(0, length));
		if (node !== undefined) return node;
	}
	return root;
}

function keyNode(root: Node, path: JsonPath): Node {
	const node = valueNode(root, path);
	return node.parent?.type === "property" ? (node.parent.children as [Node])[0] : node;
}

/** A field as people write it: `providers.local.models["a/b"]`. */
export function fieldName(path: JsonPath): string {
	return path
		.map((part, i) => {
			if (typeof part === "number") return `[${part}]`;
			if (!/^[\w-]+$/.test(part)) return `[${sanitizeName(JSON.stringify(part))}]`;
			return i === 0 ? part : `.${part}`;
		})
		.join("");
}

function lineAndColumn(text: string, offset: number): string {
	const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
	return `${lines.length}:${(lines.at(-1) ?? "").length + 1}`;
}
