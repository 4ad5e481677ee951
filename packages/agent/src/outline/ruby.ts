import { forEachType, type Grammar } from "./grammar.js";

export const RUBY: Grammar = {
	file: "ruby",
	isHoisting: true,
	names: { identifier: "name", constant: "name", hash_key_symbol: "property", instance_variable: "property" },
	nodes: {
		...forEachType("class module", { body: "class", fields: { name: "type" } }),
		...forEachType("method", { scope: "closed", fields: { name: "function" } }),
		singleton_method: { scope: "closed", fields: { name: "property" } },
		...forEachType("block do_block lambda", { scope: "block" }),
		...forEachType("method_parameters block_parameters lambda_parameters", { rest: "parameter" }),
		...forEachType("optional_parameter keyword_parameter", { fields: { name: "same" } }),
		...forEachType("splat_parameter hash_splat_parameter block_parameter destructured_parameter", { rest: "same" }),
		assignment: { fields: { left: "hoisted" } },
		...forEachType("left_assignment_list destructured_left_assignment rest_assignment", { rest: "same" }),
		exception_variable: { rest: "hoisted" },
		for: { fields: { pattern: "hoisted" } },
		call: { fields: { method: "use" }, unless: ["method", "receiver"] },
		scope_resolution: { fields: { name: "property" } },
	},
};
