import { forEachType, type Grammar } from "./grammar.js";

/** The C++ grammar also parses C. */
export const CPP: Grammar = {
	file: "cpp",
	isHoisting: false,
	names: {
		identifier: "name",
		type_identifier: "name",
		field_identifier: "key",
		namespace_identifier: "property",
		statement_identifier: "property",
	},
	nodes: {
		...forEachType("compound_statement for_statement if_statement while_statement catch_clause", { scope: "block" }),
		function_definition: { scope: "function", fields: { declarator: "function" } },
		// In a function prototype, the scope of the parameters is their list.
		function_declarator: { scope: "function", scopeUnless: "function", fields: { declarator: "same" } },
		lambda_expression: { scope: "function" },
		...forEachType("pointer_declarator array_declarator init_declarator", { fields: { declarator: "same" } }),
		...forEachType("reference_declarator structured_binding_declarator", { rest: "same" }),
		...forEachType("declaration field_declaration", { fields: { declarator: "variable" } }),
		...forEachType("parameter_declaration optional_parameter_declaration", { fields: { declarator: "parameter" } }),
		for_range_loop: { scope: "block", fields: { declarator: "variable" } },
		...forEachType("class_specifier struct_specifier union_specifier", {
			body: "class",
			fields: { name: "type" },
			needs: ["name", "body"],
		}),
		enum_specifier: { fields: { name: "type" }, needs: ["name", "body"] },
		enumerator: { fields: { name: "variable" } },
		namespace_definition: { body: "class", fields: { name: "property" } },
		type_definition: { fields: { declarator: "type" } },
		alias_declaration: { fields: { name: "type" } },
		...forEachType("preproc_def preproc_function_def", { fields: { name: "function" } }),
		preproc_params: { rest: "property" },
		qualified_identifier: { fields: { name: "property" }, owner: "scope" },
		...forEachType("type_parameter_declaration template_template_parameter_declaration", { rest: "unknown" }),
	},
};
