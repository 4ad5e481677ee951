import { forEachType, type Grammar } from "./grammar.js";

export const JAVA: Grammar = {
	file: "java",
	isHoisting: false,
	names: { identifier: "name", type_identifier: "name" },
	nodes: {
		...forEachType(
			"class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration",
			{
				scope: "block",
				body: "class",
				fields: { name: "type" },
			},
		),
		...forEachType("block for_statement catch_clause try_with_resources_statement switch_block switch_rule", {
			scope: "block",
		}),
		method_declaration: { scope: "function", fields: { name: "function" } },
		constructor_declaration: { scope: "function" },
		lambda_expression: { scope: "function", fields: { parameters: "parameter" } },
		inferred_parameters: { rest: "parameter" },
		formal_parameter: { fields: { name: "parameter" } },
		variable_declarator: { fields: { name: "variable" } },
		enum_constant: { fields: { name: "variable" } },
		enhanced_for_statement: { scope: "block", fields: { name: "variable" } },
		...forEachType("catch_formal_parameter resource instanceof_expression", { fields: { name: "variable" } }),
		type_parameter: { rest: "parameter", later: "use" },
		field_access: { fields: { field: "property" } },
		method_invocation: { fields: { name: "use" }, unless: ["name", "object"] },
		method_reference: { later: "property" },
		scoped_identifier: { fields: { name: "imported" } },
		scoped_type_identifier: { later: "property" },
		import_declaration: { rest: "import" },
		package_declaration: { rest: "property" },
		labeled_statement: { rest: "property", later: "use" },
		...forEachType("break_statement continue_statement", { rest: "property" }),
		element_value_pair: { fields: { key: "property" } },
		...forEachType("record_pattern type_pattern", { isOpaque: true }),
	},
};
