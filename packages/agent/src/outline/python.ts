import { forEachType, type Grammar } from "./grammar.js";

export const PYTHON: Grammar = {
	file: "python",
	isHoisting: true,
	names: { identifier: "name" },
	nodes: {
		function_definition: { scope: "function", fields: { name: "function" } },
		lambda: { scope: "function" },
		...forEachType("parameters lambda_parameters", { rest: "parameter" }),
		...forEachType("default_parameter typed_default_parameter", { fields: { name: "same" } }),
		typed_parameter: { rest: "same", fields: { type: "use" } },
		...forEachType("list_splat_pattern dictionary_splat_pattern tuple_pattern list_pattern pattern_list", {
			rest: "same",
		}),
		class_definition: { body: "hidden", fields: { name: "type" } },
		keyword_argument: { fields: { name: "property" } },
		attribute: { fields: { attribute: "property" } },
		assignment: { fields: { left: "hoisted" } },
		named_expression: { fields: { name: "hoisted" } },
		for_statement: { fields: { left: "hoisted" } },
		...forEachType("list_comprehension dictionary_comprehension set_comprehension generator_expression", {
			scope: "block",
		}),
		for_in_clause: { fields: { left: "variable" } },
		as_pattern_target: { rest: "hoisted" },
		except_clause: { fields: { alias: "hoisted" } },
		case_pattern: { isOpaque: true },
		...forEachType("global_statement nonlocal_statement", { rest: "global" }),
		import_statement: { fields: { name: "import" } },
		import_from_statement: { fields: { module_name: "property", name: "import" } },
		aliased_import: { fields: { name: "property", alias: "same" } },
		dotted_name: { rest: "same", later: "property" },
		relative_import: { rest: "property" },
		type_alias_statement: { fields: { left: "hoisted" } },
	},
};
