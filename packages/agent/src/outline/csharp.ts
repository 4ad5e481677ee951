import { forEachType, type Grammar } from "./grammar.js";

export const CSHARP: Grammar = {
	file: "c-sharp",
	isHoisting: true,
	names: { identifier: "name", implicit_parameter: "name" },
	nodes: {
		namespace_declaration: { body: "class", fields: { name: "property" } },
		file_scoped_namespace_declaration: { fields: { name: "property" } },
		...forEachType("class_declaration struct_declaration interface_declaration record_declaration enum_declaration", {
			scope: "block",
			body: "class",
			fields: { name: "type" },
		}),
		...forEachType("block for_statement catch_clause using_statement switch_section switch_expression_arm", {
			scope: "block",
		}),
		...forEachType("method_declaration local_function_statement", { scope: "function", fields: { name: "function" } }),
		...forEachType("constructor_declaration operator_declaration", { scope: "function" }),
		delegate_declaration: { scope: "function", fields: { name: "type" } },
		...forEachType("property_declaration event_declaration enum_member_declaration", { fields: { name: "variable" } }),
		lambda_expression: { scope: "function", fields: { parameters: "parameter" } },
		anonymous_method_expression: { scope: "function" },
		...forEachType("parameter type_parameter", { fields: { name: "parameter" } }),
		...forEachType("variable_declarator catch_declaration declaration_pattern declaration_expression", {
			fields: { name: "variable" },
		}),
		foreach_statement: { scope: "block", fields: { left: "variable" } },
		...forEachType("member_access_expression member_binding_expression qualified_name", {
			fields: { name: "property" },
		}),
		generic_name: { rest: "same", later: "use" },
		argument: { fields: { name: "property" } },
		tuple_element: { fields: { name: "property" } },
		// The left side may be a member of the new object or a variable.
		initializer_expression: { rest: "unknown" },
		assignment_expression: { fields: { left: "same" } },
		using_directive: { rest: "property" },
		labeled_statement: { rest: "property", later: "use" },
	},
};
