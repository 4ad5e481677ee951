import type { Node } from "web-tree-sitter";
import { type CommentForm, type DocumentedLanguage, nodesIn, type Subject, type Topic } from "./subject.js";

// Go has no tags. A comment consists of sentences, the first of which starts with the name.
const SENTENCES = { error: "It returns an error if", panics: "It panics if" } as const;

const FORM: CommentForm = {
	place: "above",
	isDocumentation: (comment) => /^\/[/*]/.test(comment),
	linesOf: ({ name, topics }, say) => {
		const sentences = topics.map((topic) => `${SENTENCES[topic.kind as keyof typeof SENTENCES]} ${say(topic)}`);
		return [startWithName(name, say()), ...(sentences.length > 0 ? ["", ...sentences] : [])].map((line) => {
			return line === "" ? "//" : `// ${line}`;
		});
	},
	mentions: () => true,
	withTopics: () => undefined,
};

export const GO: DocumentedLanguage = {
	subjectOf,
	isAttribute: ({ type, text }) => type === "comment" && /^\/\/(?:[a-z]+:|nolint\b)/.test(text),
	form: FORM,
};

/** Prepends the name, unless the summary already starts with it. */
function startWithName(name: string, summary: string): string {
	if (name === "" || summary.split(/\W/)[0] === name) return summary;
	// Keep acronyms in capitals.
	const isWord = /^\p{Lu}(?![\p{Lu}\p{N}])/u.test(summary);
	return `${name} ${isWord ? summary.charAt(0).toLowerCase() + summary.slice(1) : summary}`;
}

const FUNCTIONS = new Set(["function_declaration", "method_declaration", "method_elem"]);
const SPECS = new Set(["type_spec", "type_alias", "const_spec", "var_spec"]);
const DECLARATIONS = new Set(["type_declaration", "const_declaration", "var_declaration"]);
const CLOSED = new Set(["func_literal"]);

function subjectOf(node: Node): Subject | undefined {
	const name = node.childForFieldName("name")?.text ?? "";
	const body = undefined;
	if (FUNCTIONS.has(node.type)) return { name, node, body, topics: topicsOf(node) };
	if (node.type === "field_declaration") return { name, node, body, topics: [] };
	if (DECLARATIONS.has(node.type)) {
		const [only, second] = node.namedChildren.filter(({ type }) => SPECS.has(type));
		return only !== undefined && second === undefined ? subjectOf(only) : undefined;
	}
	if (!SPECS.has(node.type)) return undefined;
	const declaration = node.parent?.type === "var_spec_list" ? node.parent.parent : node.parent;
	// Local declarations are not documented.
	if (declaration?.parent?.type !== "source_file") return undefined;
	const isInList = declaration.children.some(({ type }) => type === "(") || node.parent?.type === "var_spec_list";
	return { name, node: isInList ? node : declaration, body, topics: [] };
}

function topicsOf(node: Node): Topic[] {
	const result = node.childForFieldName("result");
	const results =
		result?.type === "parameter_list" ? result.namedChildren.map((one) => one.childForFieldName("type")) : [result];
	const body = node.childForFieldName("body");
	const panics =
		body !== null &&
		[...nodesIn(body, CLOSED)].some((one) => {
			return one.type === "call_expression" && one.childForFieldName("function")?.text === "panic";
		});
	return [
		...(results.some((type) => type?.text === "error") ? [{ kind: "error", name: "" } as const] : []),
		...(panics ? [{ kind: "panics", name: "" } as const] : []),
	];
}
