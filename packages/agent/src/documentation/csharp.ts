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

/** XML comments. */
const FORM: CommentForm = {
	place: "above",
	isDocumentation: (comment) => /^\/\/\/(?!\/)/.test(comment),
	linesOf: ({ topics }, say) => {
		return ["/// <summary>", `/// ${escaped(say())}`, "/// </summary>", ...topics.map((topic) => lineOf(topic, say))];
	},
	mentions: (comment, { name }) => new RegExp(`<param\\s+name\\s*=\\s*["']${name}["']`).test(comment),
	withTopics: (lines, topics, _subject, say) => {
		const last = lines.findLastIndex((line) => /<\/?(?:param|typeparam)\b/.test(line));
		const next = lines.findIndex((line) => /<(?:returns|exception)\b/.test(line));
		const at = last >= 0 ? last + 1 : next >= 0 ? next : lines.length;
		return lines.toSpliced(at, 0, ...topics.map((topic) => lineOf(topic, say)));
	},
};

export const CSHARP: DocumentedLanguage = {
	subjectOf,
	isAttribute: () => false, // attributes are part of the declaration's node
	form: FORM,
};

function lineOf(topic: Topic, say: TopicText): string {
	const [tag, attribute] = TAGS[topic.kind as keyof typeof TAGS];
	const named = attribute === undefined ? tag : `${tag} ${attribute}="${topic.name}"`;
	return `/// <${named}>${escaped(say(topic))}</${tag}>`;
}

const TAGS = {
	"type-parameter": ["typeparam", "name"],
	parameter: ["param", "name"],
	returns: ["returns", undefined],
	throws: ["exception", "cref"],
} as const;

function escaped(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const SUBJECTS = new Set([
	...["class_declaration", "interface_declaration", "struct_declaration", "record_declaration", "enum_declaration"],
	...["enum_member_declaration", "delegate_declaration", "method_declaration", "constructor_declaration"],
	...["property_declaration", "field_declaration", "event_field_declaration"],
]);
const CLOSED = new Set(["lambda_expression", "anonymous_method_expression", "local_function_statement"]);
const HANDLERS = new Set(["catch_clause"]);

function subjectOf(node: Node): Subject | undefined {
	if (!SUBJECTS.has(node.type)) return undefined;
	const declared = [...nodesIn(node, new Set(["declaration_list"]))].find(({ type }) => type === "variable_declarator");
	const name = (node.childForFieldName("name") ?? declared?.childForFieldName("name"))?.text ?? "";
	return { name, node, body: undefined, topics: topicsOf(node) };
}

function topicsOf(node: Node): Topic[] {
	const types = listOf(node, "type_parameters", "type_parameter_list");
	const result =
		node.childForFieldName("returns") ?? (node.type === "delegate_declaration" ? node.childForFieldName("type") : null);
	const returns = result !== null && !/^(?:void|(?:Value)?Task)$/.test(result.text);
	const body = node.childForFieldName("body");
	const thrown = body === null || body.type === "declaration_list" ? [] : [...nodesIn(body, CLOSED)];
	const names = thrown.flatMap((one) => {
		if (!/^throw_/.test(one.type) || body === null || isCaught(one, body, HANDLERS)) return [];
		const name = one.namedChildren[0]?.childForFieldName("type")?.text ?? "";
		return /^[\w.]+$/.test(name) ? [name] : [];
	});
	return [
		...topicsNamed("type-parameter", types),
		...topicsNamed("parameter", listOf(node, "parameters", "parameter_list")),
		...(returns ? [{ kind: "returns", name: "" } as const] : []),
		...topicsNamed("throws", names),
	];
}

/** The names in a list. A `params` parameter is a field of the list itself. */
function listOf(node: Node, field: string, type: string): string[] {
	const list = node.childForFieldName(field) ?? node.namedChildren.find((one) => one.type === type);
	if (!list) return [];
	const own = list.namedChildren.flatMap((one) => one.childForFieldName("name")?.text ?? []);
	return [...own, ...list.childrenForFieldName("name").flatMap((one) => one?.text ?? [])];
}
