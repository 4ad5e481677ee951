import type { Node } from "web-tree-sitter";
import {
	type DocumentedLanguage,
	isCaught,
	nodesIn,
	type Subject,
	type Topic,
	topicsNamed,
	typeParametersOf,
} from "./subject.js";
import { tagged } from "./tags.js";

/** Javadoc. */
export const JAVA: DocumentedLanguage = {
	subjectOf,
	isAttribute: () => false, // annotations are part of the declaration's node
	form: tagged({ "type-parameter": "param", parameter: "param", returns: "return", throws: "throws" }),
};

const SUBJECTS = new Set([
	...["class_declaration", "interface_declaration", "enum_declaration", "record_declaration"],
	...["annotation_type_declaration", "annotation_type_element_declaration", "method_declaration"],
	...["constructor_declaration", "compact_constructor_declaration", "field_declaration", "constant_declaration"],
	"enum_constant",
]);
const CLOSED = new Set(["lambda_expression", "class_body", "class_declaration"]);
const HANDLERS = new Set(["catch_clause"]);

function subjectOf(node: Node): Subject | undefined {
	if (!SUBJECTS.has(node.type)) return undefined;
	const named = node.childForFieldName("declarator") ?? node;
	const name = named.childForFieldName("name")?.text ?? "";
	return { name, node, body: undefined, topics: topicsOf(node) };
}

function topicsOf(node: Node): Topic[] {
	const types = typeParametersOf(node).map((one): Topic => {
		const name =
			one.namedChildren.find(({ type }) => type === "type_identifier" || type === "identifier")?.text ?? one.text;
		return { kind: "type-parameter", name, written: `<${name}>` };
	});
	const parameters = node.childForFieldName("parameters")?.namedChildren ?? [];
	const names = parameters.flatMap((one) => {
		const named =
			one.type === "spread_parameter" ? one.namedChildren.find(({ type }) => type === "variable_declarator") : one;
		return named?.childForFieldName("name")?.text ?? []; // the receiver has no name
	});
	const result = node.type === "method_declaration" ? node.childForFieldName("type") : null;
	const hasResult =
		(result !== null && result.type !== "void_type") || node.type === "annotation_type_element_declaration";
	const returns: Topic[] = hasResult ? [{ kind: "returns", name: "" }] : [];
	return [...types, ...topicsNamed("parameter", names), ...returns, ...topicsNamed("throws", thrownBy(node))];
}

function thrownBy(node: Node): string[] {
	const declared = node.namedChildren.find(({ type }) => type === "throws")?.namedChildren ?? [];
	const body =
		node.type.endsWith("constructor_declaration") || node.type === "method_declaration"
			? node.childForFieldName("body")
			: null;
	const thrown = body === null ? [] : [...nodesIn(body, CLOSED)].filter(({ type }) => type === "throw_statement");
	const made = thrown.flatMap((one) => {
		if (body === null || isCaught(one, body, HANDLERS)) return [];
		const name = one.namedChildren[0]?.childForFieldName("type")?.text ?? "";
		return /^[\w$.]+$/.test(name) ? [name] : [];
	});
	return [...declared.filter(({ type }) => !type.endsWith("comment")).map(({ text }) => text), ...made];
}
