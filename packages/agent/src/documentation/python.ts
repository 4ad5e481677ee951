import type { Node } from "web-tree-sitter";
import {
	type CommentForm,
	type DocumentedLanguage,
	isCaught,
	nodesIn,
	type Subject,
	type Topic,
	type TopicText,
	topicsNamed,
} from "./subject.js";

/** Docstrings in Google style. Existing ones in Sphinx or NumPy style are extended in their style. */
const FORM: CommentForm = {
	place: "inside",
	isDocumentation: () => true,
	linesOf: ({ topics }, say) => {
		if (topics.length === 0) return [`"""${escaped(say())}"""`];
		const sections = SECTIONS.flatMap(([kind, title]) => {
			const own = topics.filter((topic) => topic.kind === kind);
			const items = own.map((topic) => `${UNIT}${topic.name === "" ? "" : `${topic.name}: `}${escaped(say(topic))}`);
			return own.length === 0 ? [] : ["", `${title}:`, ...items];
		});
		return [`"""${escaped(say())}`, ...sections, '"""'];
	},
	mentions: (comment, { name }) => {
		const word = name.replace(/^\*+/, "").replace(/[$]/g, "\\$&");
		return new RegExp(
			`^[ \\t]*(?:\\\\?\\*)*${word}[ \\t]*(?:\\([^)]*\\))?[ \\t]*(?::|$|,)|:param\\s+(?:[^:]*\\s)?\\**${word}:`,
			"mu",
		).test(comment);
	},
	withTopics: (lines, topics, _subject, say) => {
		const parts = partsOf(lines);
		return parts && [...withArguments(parts.lines, topics, say), parts.quotes];
	},
};

export const PYTHON: DocumentedLanguage = { subjectOf, isAttribute: () => false, form: FORM };

const UNIT = "    ";
const SECTIONS = [
	["parameter", "Args"],
	["yields", "Yields"],
	["returns", "Returns"],
	["throws", "Raises"],
] as const;

function escaped(text: string): string {
	return text.replaceAll("\\", "\\\\").replaceAll('"""', "'''").replace(/"$/, '\\"');
}

/** Splits off the closing quotes of a docstring. Single quotes become triple quotes, to allow several lines. */
function partsOf(lines: readonly string[]): { readonly lines: readonly string[]; readonly quotes: string } | undefined {
	const comment = lines.join("\n");
	const [, prefix = "", quotes = ""] = /^([A-Za-z]*)("""|'''|"|')/.exec(comment) ?? [];
	if (quotes === "" || !comment.endsWith(quotes) || comment.length < prefix.length + 2 * quotes.length)
		return undefined;
	const inner = comment.slice(prefix.length + quotes.length, -quotes.length);
	const whole = quotes.length === 3 ? quotes : '"""';
	if (inner.includes(whole)) return undefined;
	return { lines: `${prefix}${whole}${inner.trimEnd()}`.split("\n"), quotes: whole };
}

/** Adds parameters after the existing ones, in the style of the docstring. */
function withArguments(lines: readonly string[], topics: readonly Topic[], say: TopicText): string[] {
	const fields = lines.findLastIndex((line) => /^\s*:param\b/.test(line));
	if (fields >= 0)
		return lines.toSpliced(fields + 1, 0, ...topics.map((topic) => `:param ${topic.name}: ${escaped(say(topic))}`));
	const numpy = lines.findIndex(
		(line, index) => /^\s*Parameters\s*$/.test(line) && /^\s*-{3,}\s*$/.test(lines[index + 1] ?? ""),
	);
	if (numpy >= 0) {
		const items = topics.flatMap((topic) => [topic.name, `${UNIT}${escaped(say(topic))}`]);
		return lines.toSpliced(endOfSection(lines, numpy + 2), 0, ...items);
	}
	const items = topics.map((topic) => `${UNIT}${topic.name}: ${escaped(say(topic))}`);
	const google = lines.findIndex((line) => /^\s*(?:Args|Arguments|Parameters):\s*$/.test(line));
	if (google >= 0) return lines.toSpliced(endOfSection(lines, google + 1), 0, ...items);
	const next = lines.findIndex((line) => /^\s*(?:Yields|Returns|Raises):\s*$/.test(line));
	if (next >= 0) return lines.toSpliced(next, 0, "Args:", ...items, "");
	return [...lines, "", "Args:", ...items];
}

/** The next empty line, or the end. */
function endOfSection(lines: readonly string[], from: number): number {
	const empty = lines.findIndex((line, index) => index >= from && line.trim() === "");
	return empty < 0 ? lines.length : empty;
}

const CLOSED = new Set(["function_definition", "class_definition", "lambda"]);
const HANDLERS = new Set(["except_clause", "except_group_clause"]);

function subjectOf(node: Node): Subject | undefined {
	if (node.type === "decorated_definition") {
		const definition = node.childForFieldName("definition");
		return definition ? subjectOf(definition) : undefined;
	}
	const body = node.childForFieldName("body") ?? undefined;
	const name = node.childForFieldName("name")?.text ?? "";
	if (node.type === "class_definition") return { name, node, body, topics: [] };
	return node.type === "function_definition" ? { name, node, body, topics: topicsOf(node, body) } : undefined;
}

function topicsOf(node: Node, body: Node | undefined): Topic[] {
	const inBody = body === undefined ? [] : [...nodesIn(body, CLOSED)];
	const result = node.childForFieldName("return_type")?.text;
	const yields = inBody.some(({ type }) => type === "yield");
	const gives = inBody.some(({ type, namedChildCount }) => type === "return_statement" && namedChildCount > 0);
	const returns = result === undefined ? gives : !/^(?:None|(?:\w+\.)?(?:NoReturn|Never))$/.test(result);
	const thrown = inBody.flatMap((one) => {
		const [raised] = one.type === "raise_statement" ? one.namedChildren : [];
		if (raised === undefined || body === undefined || isCaught(one, body, HANDLERS)) return [];
		const name = (raised.childForFieldName("function") ?? raised).text;
		return /^(?:\w+\.)*\p{Lu}\w*$/u.test(name) ? [name] : []; // a variable may hold any error
	});
	return [
		...topicsNamed("parameter", parametersOf(node)),
		...(yields ? [{ kind: "yields", name: "" } as const] : []),
		...(returns && !yields ? [{ kind: "returns", name: "" } as const] : []),
		...topicsNamed("throws", thrown),
	];
}

function parametersOf(node: Node): string[] {
	const names = (node.childForFieldName("parameters")?.namedChildren ?? []).flatMap((one) => {
		const named = one.childForFieldName("name") ?? (one.type === "typed_parameter" ? one.namedChildren[0] : one);
		return named !== undefined && NAMED.has(named.type) ? [named.text] : []; // skips the separators `/` and `*`
	});
	const definition = node.parent?.type === "decorated_definition" ? node.parent : node;
	const isMethod = definition.parent?.parent?.type === "class_definition";
	return isMethod && /^(?:self|cls|mcs)$/.test(names[0] ?? "") ? names.slice(1) : names;
}

const NAMED = new Set(["identifier", "list_splat_pattern", "dictionary_splat_pattern"]);
