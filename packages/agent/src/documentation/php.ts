import type { Node } from "web-tree-sitter";
import { type DocumentedLanguage, isCaught, nodesIn, type Subject, type Topic, topicsNamed } from "./subject.js";
import { tagged } from "./tags.js";

/** PHPDoc without types, because the code has them. */
export const PHP: DocumentedLanguage = {
	subjectOf,
	isAttribute: () => false, // attributes are part of the declaration's node
	form: tagged({ parameter: "param", returns: "return", throws: "throws" }),
};

const SUBJECTS = new Set([
	...["class_declaration", "interface_declaration", "trait_declaration", "enum_declaration", "enum_case"],
	...["function_definition", "method_declaration", "property_declaration", "const_declaration"],
]);
const CLOSED = new Set(["anonymous_function", "arrow_function", "function_definition", "declaration_list"]);
const HANDLERS = new Set(["catch_clause"]);

function subjectOf(node: Node): Subject | undefined {
	if (!SUBJECTS.has(node.type)) return undefined;
	const element = node.namedChildren.find(({ type }) => type === "property_element" || type === "const_element");
	const name = (node.childForFieldName("name") ?? element?.namedChildren[0])?.text ?? "";
	return { name, node, body: undefined, topics: topicsOf(node) };
}

function topicsOf(node: Node): Topic[] {
	const parameters = node.childForFieldName("parameters")?.namedChildren ?? [];
	const names = parameters.flatMap((one) => one.childForFieldName("name")?.text ?? []);
	const body = node.childForFieldName("body");
	const inBody = body === null || body.type !== "compound_statement" ? [] : [...nodesIn(body, CLOSED)];
	const result = node.childForFieldName("return_type")?.text;
	const gives = inBody.some(({ type, namedChildCount }) => type === "return_statement" && namedChildCount > 0);
	const returns = result === undefined ? gives : !/^(?:void|never)$/i.test(result);
	const thrown = inBody.flatMap((one) => {
		if (one.type !== "throw_expression" || body === null || isCaught(one, body, HANDLERS)) return [];
		const made = one.namedChildren[0];
		const name = made?.type === "object_creation_expression" ? made.namedChildren[0]?.text : undefined;
		return name !== undefined && /^[\w\\]+$/.test(name) ? [name] : [];
	});
	return [
		...topicsNamed("parameter", names),
		...(returns ? [{ kind: "returns", name: "" } as const] : []),
		...topicsNamed("throws", thrown),
	];
}
