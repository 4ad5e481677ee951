import { type Place, permissionsFor } from "../place.js";
import { type Action, type Scope, ToolError } from "../tool.js";

/** An action that turns a file into another text, to be asked for with the difference in view. */
export function changeOf(place: Place, before: string | undefined, after: string, scope: Scope): Action {
	if (UNWRITABLE.test(after)) {
		throw new ToolError("The text holds a NUL or half a character, and would make a binary file. Write it without.");
	}
	const { workspace, client } = scope;
	const isNew = before === undefined;
	return {
		title: `${isNew ? "Create" : "Edit"} ${place.name}`,
		locations: [{ path: place.path, line: isNew ? undefined : firstDifference(before, after) }],
		diffs: [{ path: place.path, before, after }],
		permissions: permissionsFor("edit", place),
		run: async (signal) => {
			await workspace.write(place, before, after, client.buffers, signal);
			return { output: `${isNew ? "Created" : "Edited"} ${place.name}.`, read: [], failed: false };
		},
	};
}

const UNWRITABLE = /[\0\p{Cs}]/u;

/** The number of the first line that differs. */
function firstDifference(before: string, after: string): number {
	let line = 1;
	for (let i = 0; i < before.length && before[i] === after[i]; i++) if (before[i] === "\n") line++;
	return line;
}
