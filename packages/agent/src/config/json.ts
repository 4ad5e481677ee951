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

/** The parsed value of a file and the positions of its fields, or the problems found. */
type JsonReading<Value> =
	| { readonly value: Value; readonly placeOf: (path: JsonPath) => string; readonly problems?: undefined }
	| { readonly value?: undefined; readonly problems: readonly string[] };

export type JsonPath = readonly (string | number)[];

/** Deeper than any file that Segue reads. The parser is recursive. */
const NESTING_MAX = 32;

/** Problems beyond this limit usually come from a single mistake, so they are only counted. */
const PROBLEMS_MAX = 50;

/** Parses and validates JSON with comments and trailing commas. */
export function readJson<Value>(file: string, text: string, schema: z.ZodType<Value>): JsonReading<Value> {
	const placeAt = (offset: number) => `${sanitizeName(file)}:${lineAndColumn(text, offset)}`;
	const deep = findTooDeep(text);
	if (deep !== undefined) {
		return { problems: [`${placeAt(deep)}: this is nested too deeply: remove it.`] };
	}
	const errors: ParseError[] = [];
	const root = parseTree(text, errors, { allowTrailingComma: true });
	if (root === undefined) {
		return { problems: [`${placeAt(0)}: the file is empty. Add {} or delete the file.`] };
	}
	const parsed = schema.safeParse(plainValue(root));
	const syntaxProblems = syntaxProblemsOf(text, errors);
	// Fields after the first syntax error may be parsed incorrectly.
	const reliableTo = syntaxProblems[0]?.offset ?? text.length;
	const fieldProblems = [
		...findMisnamed(root),
		...(parsed.error?.issues ?? []).flatMap((issue) => fieldProblemsOf(root, issue)),
	]
		.filter(({ node }) => node.offset + node.length <= reliableTo)
		.map(({ path, node: { offset }, why }) => ({ offset, text: `${fieldName(path) || "the file"} ${why}` }))
		.sort((a, b) => a.offset - b.offset);
	const all = [...fieldProblems, ...syntaxProblems];
	if (all.length === 0 && parsed.success) {
		return { value: parsed.data, placeOf: (path) => placeAt(keyNode(root, path).offset) };
	}
	const reported = all.slice(0, PROBLEMS_MAX);
	const problems = reported.map(({ offset, text }) => `${placeAt(offset)}: ${text}${text.endsWith("?") ? "" : "."}`);
	const rest = all.length - reported.length;
	return { problems: rest === 0 ? problems : [...problems, `And ${rest} more in ${sanitizeName(file)}.`] };
}

interface FieldProblem {
	readonly path: JsonPath;
	/** The node for the field's name or for its value. */
	readonly node: Node;
	readonly why: string;
}

/** Returns the offset at which the nesting exceeds the limit. Uses the scanner, which is not recursive. */
function findTooDeep(text: string): number | undefined {
	const scanner = createScanner(text, true);
	// At an unclosed comment the scanner never reports the end of the file, so check its position.
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

/** The first syntax error in each field; later ones are usually consequences. */
function syntaxProblemsOf(text: string, errors: readonly ParseError[]): { offset: number; text: string }[] {
	const fields = new Set<string>();
	// Limited, because each call to `getLocation` parses the file again.
	return errors.slice(0, PROBLEMS_MAX).flatMap(({ error, offset }) => {
		const { path } = getLocation(text, offset);
		// The last part is empty if the field's name has not been typed yet.
		const field = fieldName(path.at(-1) === "" ? path.slice(0, -1) : path);
		if (fields.has(field)) return [];
		fields.add(field);
		const message = SYNTAX_PROBLEMS[printParseErrorCode(error)] ?? "invalid JSON";
		return [{ offset, text: `${message}${field === "" ? "" : ` (in ${field})`}` }];
	});
}

const SYNTAX_PROBLEMS: Readonly<Record<string, string>> = {
	InvalidSymbol: "invalid value: put text in double quotes",
	InvalidNumberFormat: "invalid number",
	PropertyNameExpected: "missing property name in double quotes",
	ValueExpected: "missing value",
	ColonExpected: "missing colon",
	CommaExpected: "missing comma",
	CloseBraceExpected: "missing }",
	CloseBracketExpected: "missing ]",
	EndOfFileExpected: "the file should end here: remove the rest",
	InvalidCommentToken: "invalid comment: write // or /* */",
	UnexpectedEndOfComment: "unclosed comment: add */",
	UnexpectedEndOfString: "unclosed string: add a double quote",
	UnexpectedEndOfNumber: "incomplete number",
	InvalidUnicode: "invalid escape: use \\u and four hexadecimal digits",
	InvalidEscapeCharacter: "unknown escape: use two backslashes for a literal backslash",
	InvalidCharacter: "control character in a string: escape it",
};

/**
 * Finds duplicate fields, because all but one would be lost, and `__proto__`, which is unsafe as a name in JavaScript.
 */
function findMisnamed(node: Node, path: JsonPath = []): FieldProblem[] {
	const seen = new Set<string>();
	return (node.children ?? []).flatMap((child, i) => {
		if (child.type !== "property") return findMisnamed(child, [...path, i]);
		const [key, value] = child.children as [Node, Node | undefined];
		const keyPath = [...path, key.value];
		const found = value === undefined ? [] : findMisnamed(value, keyPath);
		if (key.value === "__proto__")
			found.unshift({ path: keyPath, node: key, why: "is not allowed as a name: choose another" });
		if (seen.has(key.value)) found.unshift({ path: keyPath, node: key, why: "is defined twice: remove one" });
		seen.add(key.value);
		return found;
	});
}

/** Replaces the parser's own conversion, in which a field named `__proto__` would set the prototype. */
function plainValue(node: Node): unknown {
	if (node.type === "array") return (node.children ?? []).map(plainValue);
	if (node.type !== "object") return node.value;
	const pairs = (node.children ?? []).map(({ children }) => children as [Node, Node | undefined]);
	return Object.fromEntries(pairs.map(([key, value]) => [key.value, value && plainValue(value)]));
}

/** An issue about several unknown fields contains either a line for each field or one message for all of them. */
function fieldProblemsOf(root: Node, issue: z.core.$ZodIssue): FieldProblem[] {
	const path = issue.path as JsonPath;
	if (issue.code === "unrecognized_keys") {
		const whys = issue.message.split("\n");
		return issue.keys.map((key, i) => {
			const keyPath = [...path, key];
			return { path: keyPath, node: keyNode(root, keyPath), why: whys[i] ?? issue.message };
		});
	}
	const node = issue.code === "invalid_key" ? keyNode(root, path) : valueNode(root, path);
	return [{ path, node, why: issue.message }];
}

function valueNode(root: Node, path: JsonPath): Node {
	// A missing value is reported at its closest existing parent.
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

/** Formats a path for messages: `providers.local.models["a/b"]`. */
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
