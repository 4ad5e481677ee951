import { forEachType, type Grammar, type NodeRule } from "./grammar.js";

const NODES: Readonly<Record<string, NodeRule>> = {
	...forEachType("statement_block switch_body for_statement", { scope: "block" }),
	...forEachType("function_declaration generator_function_declaration", {
		scope: "function",
		fields: { name: "function" },
	}),
	...forEachType("function_expression generator_function", { scope: "function", fields: { name: "own" } }),
	arrow_function: { scope: "function", fields: { parameter: "parameter" } },
	method_definition: { scope: "function" },
	formal_parameters: { rest: "parameter" },
	class_declaration: { scope: "block", fields: { name: "type" } },
	class: { scope: "block", fields: { name: "own" } },
	variable_declaration: { rest: "hoisted" },
	lexical_declaration: { rest: "variable" },
	variable_declarator: { fields: { name: "same" } },
	for_in_statement: { scope: "block", fields: { left: "variable" }, needs: ["left", "kind"] },
	catch_clause: { scope: "block", fields: { parameter: "variable" } },
	...forEachType("object_pattern array_pattern rest_pattern", { rest: "same" }),
	pair_pattern: { fields: { key: "property", value: "same" } },
	...forEachType("assignment_pattern object_assignment_pattern", { fields: { left: "same" } }),
	import_statement: { isExport: true },
	import_clause: { rest: "import" },
	...forEachType("namespace_import named_imports", { rest: "same" }),
	import_specifier: { fields: { name: "same", alias: "same" }, unless: ["name", "alias"] },
	export_statement: { isExport: true, fields: { value: "exported" } },
	export_specifier: { fields: { name: "exported", alias: "property" } },
	namespace_export: { rest: "property" },
};

const NAMES = {
	identifier: "name",
	property_identifier: "property",
	private_property_identifier: "property",
	shorthand_property_identifier: "shorthand",
	shorthand_property_identifier_pattern: "shorthand",
	statement_identifier: "property",
} as const;

const TYPED_NODES: Readonly<Record<string, NodeRule>> = {
	...NODES,
	abstract_class_declaration: { scope: "block", fields: { name: "type" } },
	...forEachType("interface_declaration type_alias_declaration", { scope: "block", fields: { name: "type" } }),
	...forEachType("enum_declaration internal_module module", { fields: { name: "type" } }),
	function_signature: { scope: "function", fields: { name: "function" } },
	...forEachType("method_signature abstract_method_signature call_signature construct_signature", {
		scope: "function",
	}),
	...forEachType("function_type constructor_type", { scope: "function" }),
	...forEachType("required_parameter optional_parameter", { fields: { pattern: "same" } }),
	type_parameter: { fields: { name: "parameter" } },
	index_signature: { scope: "block", fields: { name: "variable" } },
	mapped_type_clause: { fields: { name: "variable" } },
	conditional_type: { scope: "block" },
	infer_type: { rest: "variable", later: "use" },
	nested_type_identifier: { fields: { name: "property" } },
	import_require_clause: { rest: "import" },
	import_alias: { rest: "import", later: "use" },
};

const TYPED_NAMES = { ...NAMES, type_identifier: "name" } as const;

export const JAVASCRIPT: Grammar = { file: "javascript", names: NAMES, nodes: NODES, isHoisting: true };
export const TYPESCRIPT: Grammar = { file: "typescript", names: TYPED_NAMES, nodes: TYPED_NODES, isHoisting: true };
export const TSX: Grammar = { ...TYPESCRIPT, file: "tsx" };
