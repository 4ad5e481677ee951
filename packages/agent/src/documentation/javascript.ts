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

const FORM = tagged({
	"type-parameter": "typeParam",
	parameter: "param",
	yields: "yields",
	returns: "returns",
	throws: "throws",
});

/** JSDoc without types, because the code has them. */
export const TYPESCRIPT: DocumentedLanguage = {
	subjectOf: (node) => subjectOf(node, true),
	isAttribute: ({ type }) => type === "decorator",
	form: FORM,
};

/** JSDoc with types, if they are obvious from the code. */
export const JAVASCRIPT: DocumentedLanguage = { ...TYPESCRIPT, subjectOf: (node) => subjectOf(node, false) };

const FUNCTIONS = new Set([
	...["function_declaration", "generator_function_declaration", "function_signature", "method_definition"],
	...["method_signature", "abstract_method_signature", "call_signature", "construct_signature"],
]);
const FUNCTION_VALUES = new Set(["arrow_function", "function_expression", "generator_function"]);
const TYPES = new Set([
	...["class_declaration", "abstract_class_declaration", "interface_declaration", "type_alias_declaration"],
	"enum_declaration",
]);
const FIELDS = new Set(["public_field_definition", "field_definition", "property_signature"]);
/** Nodes that only wrap a declaration. */
const WRAPPERS = new Set(["export_statement", "ambient_declaration", "lexical_declaration", "variable_declaration"]);
/** Nodes that own the `throw` and `return` statements inside them. */
const CLOSED = new Set([...FUNCTIONS, ...FUNCTION_VALUES, "class", "class_declaration"]);
const HANDLERS = new Set(["catch_clause"]);

function subjectOf(node: Node, isTyped: boolean): Subject | undefined {
	const { type } = node;
	const body = undefined;
	const value = node.childForFieldName("value");
	const name = (node.childForFieldName("name") ?? node.childForFieldName("key"))?.text ?? "";
	const isFunctionValue = value !== null && FUNCTION_VALUES.has(value.type);
	if (type === "export_statement" && isFunctionValue) return { name, node, body, topics: topicsOf(value, isTyped) };
	if (type === "expression_statement") return assignedIn(node, isTyped);
	if (WRAPPERS.has(type)) {
		const inner = node.childForFieldName("declaration") ?? node.namedChildren.find((one) => one.type !== "decorator");
		return inner ? subjectOf(inner, isTyped) : undefined;
	}
	if (FUNCTIONS.has(type)) return { name, node: wholeOf(node), body, topics: topicsOf(node, isTyped) };
	if (TYPES.has(type)) return { name, node: wholeOf(node), body, topics: typesOf(node) };
	if (isFunctionValue && (FIELDS.has(type) || type === "variable_declarator" || type === "pair")) {
		return { name, node: wholeOf(node), body, topics: topicsOf(value, isTyped) };
	}
	const isPlain = FIELDS.has(type) || (type === "variable_declarator" && isAtTopLevel(node));
	return isPlain ? { name, node: wholeOf(node), body, topics: [] } : undefined;
}

/** A function that is assigned, for example to `exports.run`. */
function assignedIn(statement: Node, isTyped: boolean): Subject | undefined {
	const [assignment] = statement.namedChildren;
	const value = assignment?.type === "assignment_expression" ? assignment.childForFieldName("right") : undefined;
	if (!value || !FUNCTION_VALUES.has(value.type)) return undefined;
	const name = assignment?.childForFieldName("left")?.text ?? "";
	return { name, node: statement, body: undefined, topics: topicsOf(value, isTyped) };
}

/** Includes `export` and `const`, except for the second and later variables of a declaration. */
function wholeOf(node: Node): Node {
	const { parent } = node;
	if (parent === null || !WRAPPERS.has(parent.type)) return node;
	const isFirst = node.type !== "variable_declarator" || parent.namedChildren[0]?.id === node.id;
	return isFirst ? wholeOf(parent) : node;
}

/** Variables in functions are not documented. */
function isAtTopLevel(declarator: Node): boolean {
	const declaration = declarator.parent;
	const around = declaration === null ? null : wholeOf(declaration).parent;
	return around?.type === "program" || around?.parent?.type === "internal_module";
}

function typesOf(node: Node): Topic[] {
	return typeParametersOf(node).map((one) => ({
		kind: "type-parameter",
		name: one.childForFieldName("name")?.text ?? one.text,
	}));
}

function topicsOf(node: Node, isTyped: boolean): Topic[] {
	return [...typesOf(node), ...parametersOf(node, isTyped), ...resultsOf(node, isTyped), ...thrownIn(node)];
}

function parametersOf(node: Node, isTyped: boolean): Topic[] {
	const only = node.childForFieldName("parameter");
	const parameters = only ? [only] : (node.childForFieldName("parameters")?.namedChildren ?? []);
	const taken = new Set(parameters.map((one) => patternOf(one).text));
	const invent = (word: string) => {
		let name = word;
		for (let count = 2; taken.has(name); count++) name = `${word}${count}`;
		taken.add(name);
		return name;
	};
	return parameters.flatMap((parameter): Topic[] => {
		const pattern = patternOf(parameter);
		const isOptional = parameter.type === "optional_parameter" || defaultOf(parameter) !== null;
		const written = (name: string, type: string) =>
			isTyped ? {} : { written: typedName(name, type, parameter, isOptional) };
		switch (pattern.type) {
			case "identifier":
				return [{ kind: "parameter", name: pattern.text, ...written(pattern.text, typeOf(defaultOf(parameter))) }];
			case "rest_pattern": {
				const inner = pattern.namedChildren[0];
				const name = inner?.type === "identifier" ? inner.text : invent("rest");
				const isInvented = inner?.type !== "identifier";
				return [{ kind: "parameter", name, isInvented, ...written(name, "...*") }];
			}
			case "object_pattern": {
				const name = invent("options");
				const members = membersOf(pattern).map((member) => `${name}.${member}`);
				return [
					{ kind: "parameter", name, isInvented: true, ...written(name, "object") },
					...members.map((member): Topic => {
						return {
							kind: "parameter",
							name: member,
							isInvented: true,
							...(isTyped ? {} : { written: `{*} ${member}` }),
						};
					}),
				];
			}
			case "array_pattern": {
				const name = invent("items");
				return [{ kind: "parameter", name, isInvented: true, ...written(name, "Array") }];
			}
			default:
				return []; // `this`, which is not passed, and syntax errors
		}
	});
}

/** The name of a parameter or its destructuring pattern. */
function patternOf(parameter: Node): Node {
	return parameter.childForFieldName("pattern") ?? parameter.childForFieldName("left") ?? parameter;
}

function defaultOf(parameter: Node): Node | null {
	return parameter.childForFieldName("value") ?? parameter.childForFieldName("right");
}

/** The names of the properties that a pattern destructures. */
function membersOf(pattern: Node): string[] {
	return pattern.namedChildren.flatMap((one) => {
		if (one.type === "shorthand_property_identifier_pattern") return [one.text];
		const name = one.type === "pair_pattern" ? one.childForFieldName("key") : one.childForFieldName("left");
		return name !== null && /^[\p{L}\p{N}_$]+$/u.test(name.text) ? [name.text] : [];
	});
}

// Longer defaults are not repeated in the comment.
const DEFAULT = /^(?:[\w.-]{1,20}|"[\w .-]{0,18}"|'[\w .-]{0,18}')$/;

function typedName(name: string, type: string, parameter: Node, isOptional: boolean): string {
	const value = defaultOf(parameter)?.text ?? "";
	const word = DEFAULT.test(value) ? `[${name}=${value}]` : `[${name}]`;
	return `{${type}} ${isOptional ? word : name}`;
}

function typeOf(value: Node | null): string {
	return TYPE_NAMES.get(value?.type ?? "") ?? "*";
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
	["number", "number"],
	["string", "string"],
	["template_string", "string"],
	["true", "boolean"],
	["false", "boolean"],
	["array", "Array"],
	["object", "object"],
	["arrow_function", "Function"],
]);

const NOTHING = /^(?:void|undefined|never|(?:Promise|PromiseLike)<\s*(?:void|undefined|never)\s*>)$/;

function resultsOf(node: Node, isTyped: boolean): Topic[] {
	const body = node.childForFieldName("body");
	const annotation = node.childForFieldName("return_type");
	const isAsync = node.children.some((one) => one.type === "async");
	const written = (type: string) => (isTyped ? {} : { written: `{${isAsync ? `Promise<${type}>` : type}}` });
	const returns: Topic = { kind: "returns", name: "", ...written("*") };
	const inBody = body === null ? [] : [...nodesIn(body, CLOSED)];
	if (inBody.some(({ type }) => type === "yield_expression")) {
		return [{ kind: "yields", name: "", ...(isTyped ? {} : { written: "{*}" }) }];
	}
	if (annotation !== null) {
		const type = annotation.text.replace(/^:\s*/, "");
		return annotation.type === "asserts_annotation" || NOTHING.test(type) ? [] : [returns];
	}
	if (node.type === "arrow_function" && body !== null && body.type !== "statement_block") return [returns];
	return inBody.some(({ type, namedChildCount }) => type === "return_statement" && namedChildCount > 0)
		? [returns]
		: [];
}

function thrownIn(node: Node): Topic[] {
	const body = node.childForFieldName("body");
	if (body === null) return [];
	const names = [...nodesIn(body, CLOSED)].flatMap((one) => {
		if (one.type !== "throw_statement" || isCaught(one, body, HANDLERS)) return [];
		const name = one.namedChildren[0]?.childForFieldName("constructor")?.text ?? "";
		return /^[\w$.]+$/.test(name) ? [name] : [];
	});
	return topicsNamed("throws", names).map((topic) => ({ ...topic, written: `{${topic.name}}` }));
}
