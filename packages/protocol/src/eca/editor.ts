import { type ResultOf, request } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, record, skipping, word } from "../tolerance.js";
import { fromEditor, position, range } from "./params.js";

// Requests to the editor, if its capabilities include them.

/** Positions are 0-based. */
export const getDiagnostics = request({
	method: "editor/getDiagnostics",
	from: "agent",
	params: record({ uri: lenient(z.string()) }),
	result: fromEditor(
		record({
			diagnostics: skipping(
				record({
					uri: z.string(),
					severity: word("error", "warning", "info", "hint"),
					source: lenient(z.string()),
					range,
					code: lenient(z.union([z.string(), z.number()])),
					message: z.string(),
				}),
			),
		}),
	),
});
export type EditorDiagnostic = ResultOf<typeof getDiagnostics>["diagnostics"][number];

/** Positions are 1-based in params and results. */
const places = fromEditor(
	record({
		status: word("success", "starting", "no-server", "error"),
		locations: lenient(skipping(record({ uri: z.string(), range }))),
		message: lenient(z.string()),
	}),
);
export type EditorPlaces = z.output<typeof places>;

export const getDefinition = request({
	method: "editor/getDefinition",
	from: "agent",
	params: record({ uri: z.string(), position }),
	result: places,
});

export const getReferences = request({
	method: "editor/getReferences",
	from: "agent",
	params: record({ uri: z.string(), position, includeDeclaration: lenient(z.boolean()) }),
	result: places,
});
