import type { Node } from "web-tree-sitter";
import {
	type CommentForm,
	type DocumentedLanguage,
	nodesIn,
	type Subject,
	type Topic,
	type TopicText,
	topicsNamed,
} from "./subject.js";

// The sections of a comment that follow the arguments, in the order used by the standard library.
const SECTIONS = { returns: "Returns", error: "Errors", panics: "Panics", safety: "Safety" } as const;
const ARGUMENTS = "# Arguments";

const FORM: CommentForm = {
	place: "above",
	isDocumentation: (comment) => /^(?:\/\/\/(?!\/)|\/\*\*(?![*/]))/.test(comment),
	linesOf: ({ topics }, say) => {
		const parameters = topics.filter(({ kind }) => kind === "parameter");
		const rest = topics.filter(({ kind }) => kind !== "parameter");
		const sections = rest.flatMap((topic) => [
			"",
			`# ${SECTIONS[topic.kind as keyof typeof SECTIONS]}`,
			"",
			say(topic),
		]);
		const list = parameters.length === 0 ? [] : ["", ARGUMENTS, "", ...parameters.map((topic) => itemOf(topic, say))];
		return [say(), ...list, ...sections].map(commented);
	},
	mentions: (comment, { name }) => comment.includes(`\`${name}\``),
	withTopics: (lines, topics, _subject, say) => {
		// Block comments are rare and have no common format.
		if (lines[0]?.startsWith("/**")) return undefined;
		const items = topics.map((topic) => commented(itemOf(topic, say)));
		const texts = lines.map((line) => line.replace(/^\s*\/\/\/ ?/, "").trim());
		const list = texts.indexOf(ARGUMENTS);
		const isHeading = (line: string) => /^# /.test(line);
		if (list >= 0) {
			const next = texts.findIndex((line, index) => index > list && isHeading(line));
			let at = next < 0 ? lines.length : next;
			while (at > list + 1 && texts[at - 1] === "") at--;
			return lines.toSpliced(at, 0, ...(at === list + 1 ? ["///"] : []), ...items);
		}
		const heading = texts.findIndex(isHeading);
		const section = [ARGUMENTS, ""].map(commented).concat(items);
		return heading < 0 ? [...lines, "///", ...section] : lines.toSpliced(heading, 0, ...section, "///");
	},
};

export const RUST: DocumentedLanguage = {
	subjectOf,
	isAttribute: ({ type }) => type === "attribute_item",
	form: FORM,
};

function itemOf(topic: Topic, say: TopicText): string {
	return `* \`${topic.name}\` - ${say(topic)}`;
}

function commented(line: string): string {
	return line === "" ? "///" : `/// ${line}`;
}

const SUBJECTS = new Set([
	...["function_item", "function_signature_item", "struct_item", "enum_item", "union_item", "trait_item", "type_item"],
	...[
		"const_item",
		"static_item",
		"mod_item",
		"macro_definition",
		"enum_variant",
		"field_declaration",
		"associated_type",
	],
]);
const CLOSED = new Set(["function_item", "closure_expression"]);
const PANICS = /^(?:panic|unreachable|todo|unimplemented|assert(?:_eq|_ne)?)$/;

function subjectOf(node: Node): Subject | undefined {
	if (!SUBJECTS.has(node.type)) return undefined;
	return { name: node.childForFieldName("name")?.text ?? "", node, body: undefined, topics: topicsOf(node) };
}

function topicsOf(node: Node): Topic[] {
	const parameters = node.childForFieldName("parameters")?.namedChildren ?? [];
	const names = parameters.flatMap((one) => {
		const pattern = one.type === "parameter" ? one.childForFieldName("pattern") : null;
		// `self` may have a type.
		if (pattern === null || pattern.type === "self" || /^_$|[\r\n`]/.test(pattern.text)) return [];
		return [pattern.type === "mut_pattern" ? pattern.text.replace(/^mut\s+/, "") : pattern.text];
	});
	const result = node.childForFieldName("return_type")?.text ?? "()";
	const fails = /^(?:\w+::)*\w*Result\b/.test(result);
	const returns = !/^(?:\(\)|!|(?:\w+::)*\w*Result<\s*\(\)\s*[,>].*)$/s.test(result);
	const body = node.type === "function_item" ? node.childForFieldName("body") : null;
	const panics =
		body !== null &&
		[...nodesIn(body, CLOSED)].some((one) => {
			return one.type === "macro_invocation" && PANICS.test(one.childForFieldName("macro")?.text ?? "");
		});
	const isUnsafe = node.namedChildren.some(
		({ type, text }) => type === "function_modifiers" && /\bunsafe\b/.test(text),
	);
	return [
		...topicsNamed("parameter", names),
		...(returns ? [{ kind: "returns", name: "" } as const] : []),
		...(fails ? [{ kind: "error", name: "" } as const] : []),
		...(panics ? [{ kind: "panics", name: "" } as const] : []),
		...(isUnsafe ? [{ kind: "safety", name: "" } as const] : []),
	];
}
