import type { Node } from "web-tree-sitter";
import { type DocumentedLanguage, isCaught, nodesIn, type Subject, type Topic, topicsNamed } from "./subject.js";
import { tagged } from "./tags.js";

/** Doxygen, for C and C++. */
export const CPP: DocumentedLanguage = {
	subjectOf,
	isAttribute: () => false, // attributes are part of the declaration's node
	form: tagged({ "type-parameter": "tparam", parameter: "param", returns: "return", throws: "throws" }),
};

const TYPES = new Set(["class_specifier", "struct_specifier", "union_specifier", "enum_specifier"]);
const DECLARATIONS = new Set(["function_definition", "declaration", "field_declaration"]);
const NAMED = new Set(["alias_declaration", "enumerator", "concept_definition"]);
const CLOSED = new Set(["lambda_expression", "class_specifier", "struct_specifier"]);
const HANDLERS = new Set(["catch_clause"]);

function subjectOf(node: Node): Subject | undefined {
	// Local declarations are not documented.
	if (isLocal(node)) return undefined;
	const body = undefined;
	if (node.type === "template_declaration") {
		const inner = node.namedChildren.at(-1);
		return inner && subjectOf(inner);
	}
	if (NAMED.has(node.type)) return { name: nameIn(node), node: wholeOf(node), body, topics: typesOf(node) };
	if (node.type === "type_definition") return { name: nameIn(node), node, body, topics: [] };
	// Without a body, the type is only referenced.
	if (TYPES.has(node.type) && node.childForFieldName("body") !== null) {
		return { name: nameIn(node), node: wholeOf(node), body, topics: typesOf(node) };
	}
	if (!DECLARATIONS.has(node.type)) return undefined;
	const called = calledIn(node);
	const topics = called === undefined ? [] : [...typesOf(node), ...topicsOf(node, called)];
	return { name: nameIn(called ?? node), node: wholeOf(node), body, topics };
}

function isLocal(node: Node): boolean {
	for (let { parent } = node; parent !== null; parent = parent.parent) {
		if (parent.type === "compound_statement") return true;
	}
	return false;
}

/** The outermost declaration: includes the template, and the variables declared with a type. */
function wholeOf(node: Node): Node {
	const { parent } = node;
	const isFirst = parent !== null && parent.startIndex === node.startIndex && DECLARATIONS.has(parent.type);
	return parent !== null && (parent.type === "template_declaration" || isFirst) ? wholeOf(parent) : node;
}

/** The innermost name of a declarator: `p` in `char *(*p)[2]`. Some declarators have no field for it. */
function nameIn(node: Node): string {
	const last = node.type.endsWith("_declarator") ? node.namedChildren.at(-1) : undefined;
	const inner = node.childForFieldName("declarator") ?? node.childForFieldName("name") ?? last;
	return inner === undefined ? node.text : nameIn(inner);
}

/** The function declarator of a declaration. Undefined for a function pointer. */
function calledIn(node: Node): Node | undefined {
	let inner = node.childForFieldName("declarator");
	while (inner !== null && /^(?:pointer|reference)_declarator$/.test(inner.type)) {
		inner = inner.childForFieldName("declarator") ?? inner.namedChildren.at(-1) ?? null;
	}
	const isCalled = inner?.type === "function_declarator";
	return isCalled && inner?.childForFieldName("declarator")?.type !== "parenthesized_declarator"
		? (inner ?? undefined)
		: undefined;
}

function typesOf(node: Node): Topic[] {
	if (node.parent?.type !== "template_declaration") return [];
	const parameters = node.parent.childForFieldName("parameters")?.namedChildren ?? [];
	const names = parameters.flatMap((one) => {
		const name =
			one.childForFieldName("declarator") ?? one.namedChildren.find(({ type }) => type === "type_identifier");
		return name?.text ?? [];
	});
	return topicsNamed("type-parameter", names);
}

function topicsOf(node: Node, called: Node): Topic[] {
	const parameters = called.childForFieldName("parameters")?.namedChildren ?? [];
	const names = parameters.flatMap((one) => (one.childForFieldName("declarator") === null ? [] : [nameIn(one)]));
	const type = node.childForFieldName("type");
	const isVoid = type?.text === "void" && node.childForFieldName("declarator")?.id === called.id;
	const body = node.childForFieldName("body");
	const thrown = body === null ? [] : [...nodesIn(body, CLOSED)].filter((one) => one.type === "throw_statement");
	const errors = thrown.flatMap((one) => {
		if (body === null || isCaught(one, body, HANDLERS)) return [];
		const name = (
			one.namedChildren[0]?.childForFieldName("function") ?? one.namedChildren[0]?.childForFieldName("type")
		)?.text;
		return name !== undefined && /^[\w:]+$/.test(name) ? [name] : [];
	});
	return [
		...topicsNamed(
			"parameter",
			names.filter((name) => /^\w+$/.test(name)),
		),
		...(type !== null && !isVoid ? [{ kind: "returns", name: "" } as const] : []),
		...topicsNamed("throws", errors),
	];
}
