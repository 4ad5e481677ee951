import { addsMask } from "@segue/text";
import { type Place, permissionsFor } from "../place.js";
import { type Action, type Scope, ToolError } from "../tool.js";

/** An action that turns a file into another text, to be asked for with the difference in view. */
export function changeOf(place: Place, before: string | undefined, after: string, scope: Scope): Action {
	if (UNWRITABLE.test(after)) {
		throw new ToolError("The text holds a NUL or half a character, and would make a binary file. Write it without.");
	}
	refuseMask(before, after, place);
	const { workspace, client } = scope;
	const isNew = before === undefined;
	return {
		title: `${isNew ? "Create" : "Edit"} ${place.name}`,
		locations: [{ path: place.path, line: isNew ? undefined : firstDifference(before, after) }],
		diffs: [{ path: place.path, before, after }],
		permissions: permissionsFor("edit", place),
		run: async (signal) => {
			if (isNew && client.buffers !== undefined) await workspace.makeFolderOf(place);
			await workspace.write(place, before, after, client.buffers, signal);
			return { output: `${isNew ? "Created" : "Edited"} ${place.name}.`, read: [], failed: false };
		},
	};
}

/** Refuses a text with a mask that was not there before: the key that the model was not shown would be lost. */
export function refuseMask(before: string | undefined, text: string, { name }: Place): void {
	if (!addsMask(before ?? "", text)) return;
	throw new ToolError(
		`REDACTED_SECRET_ stands for a key or password in ${name} that you are not shown, so text with it cannot be written or ` +
			"replaced. Edit around it, without that value in old_text or new_text, or ask the user to make this change.",
	);
}

const UNWRITABLE = /[\0\p{Cs}]/u;

/** The number of the first line that differs. */
function firstDifference(before: string, after: string): number {
	let line = 1;
	for (let i = 0; i < before.length && before[i] === after[i]; i++) if (before[i] === "\n") line++;
	return line;
}
