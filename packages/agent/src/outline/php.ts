import { forEachType, type Grammar } from "./grammar.js";

export const PHP: Grammar = {
	file: "php",
	isHoisting: true,
	names: { variable_name: "name", name: "name" },
	nodes: {
		function_definition: { scope: "closed", fields: { name: "function" } },
		method_declaration: { scope: "closed", fields: { name: "property" } },
		...forEachType("anonymous_function anonymous_function_creation_expression", { scope: "closed" }),
		anonymous_function_use_clause: { isOpaque: true },
		arrow_function: { scope: "function" },
		...forEachType("simple_parameter variadic_parameter property_promotion_parameter", {
			fields: { name: "parameter" },
		}),
		assignment_expression: { fields: { left: "hoisted" } },
		list_literal: { rest: "same" },
		foreach_statement: { later: "hoisted", fields: { body: "use" } },
		pair: { rest: "same" },
		catch_clause: { fields: { name: "hoisted" } },
		static_variable_declaration: { fields: { name: "hoisted" } },
		...forEachType("class_declaration interface_declaration trait_declaration enum_declaration", {
			body: "class",
			fields: { name: "type" },
		}),
		const_element: { rest: "function", later: "use" },
		property_element: { rest: "property", fields: { default_value: "use" } },
		...forEachType("member_access_expression nullsafe_member_access_expression scoped_property_access_expression", {
			fields: { name: "property" },
		}),
		...forEachType("member_call_expression nullsafe_member_call_expression scoped_call_expression", {
			fields: { name: "property" },
		}),
		class_constant_access_expression: { later: "property" },
		argument: { fields: { name: "property" } },
		namespace_definition: { fields: { name: "property" } },
		namespace_use_clause: { rest: "import", fields: { alias: "import" } },
		qualified_name: { rest: "imported", fields: { prefix: "property" } },
		namespace_name: { rest: "property" },
	},
};
