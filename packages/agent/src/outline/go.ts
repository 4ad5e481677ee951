import { forEachType, type Grammar } from "./grammar.js";

export const GO: Grammar = {
	file: "go",
	isHoisting: false,
	names: {
		identifier: "name",
		type_identifier: "name",
		package_identifier: "name",
		field_identifier: "property",
		label_name: "property",
	},
	nodes: {
		...forEachType("block if_statement for_statement expression_switch_statement select_statement", { scope: "block" }),
		...forEachType("communication_case expression_case type_case default_case", { scope: "block" }),
		function_declaration: { scope: "function", fields: { name: "function" } },
		...forEachType("method_declaration func_literal function_type method_elem", { scope: "function" }),
		...forEachType("parameter_declaration variadic_parameter_declaration type_parameter_declaration", {
			fields: { name: "parameter" },
		}),
		...forEachType("short_var_declaration range_clause receive_statement", { fields: { left: "let" } }),
		expression_list: { rest: "same" },
		...forEachType("var_spec const_spec", { fields: { name: "let" } }),
		type_spec: { scope: "block", fields: { name: "type" } },
		type_alias: { fields: { name: "type" } },
		type_switch_statement: { scope: "block", fields: { alias: "variable" } },
		import_spec: { fields: { name: "import" } },
		package_clause: { rest: "property" },
		qualified_type: { fields: { name: "property" } },
		// A key is a variable in a map literal, but a field in a struct literal.
		keyed_element: { fields: { key: "unknown" } },
		literal_element: { rest: "same" },
	},
};
