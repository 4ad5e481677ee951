import { addsMask } from "@segue/text";
import * as z from "zod";
import { ToolError } from "../failures.js";
import { permissionsFor, type ResolvedPath } from "../workspace/resolved-path.js";
import { replaceExactly, withLineEndsOf } from "./replacement.js";
import type { Tool, ToolAction, ToolContext } from "./tool.js";

/** An action that turns a file into another text, to be asked for with the difference in view. */
export function changeAction(
	place: ResolvedPath,
	before: string | undefined,
	after: string,
	scope: ToolContext,
): ToolAction {
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
export function refuseMask(before: string | undefined, text: string, { name }: ResolvedPath): void {
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

const editInput = z.object({
	path: z.string().describe("From the top of the workspace, such as src/app.ts."),
	old_text: z
		.string()
		.describe(
			"What is there now, to the letter, without line numbers. It has to be in the file exactly once, unless all is set.",
		),
	new_text: z.string().describe("What is to be in its place."),
	all: z.boolean().optional().describe("Whether to replace old_text everywhere in the file."),
});

type EditInput = z.infer<typeof editInput>;

export const editFileTool: Tool<EditInput> = {
	name: "edit_file",
	description:
		"Replaces a part of a text file. The file has to have been read with read_file, and not to have changed since. " +
		"The user is shown the difference and may be asked first. Line ends are kept as the file has them.",
	kind: "edit",
	input: editInput,
	prepare: prepareEdit,
};

async function prepareEdit({ path, old_text, new_text, all }: EditInput, scope: ToolContext): Promise<ToolAction> {
	const { workspace, client, signal } = scope;
	const place = await workspace.resolve(path);
	const before = await workspace.readKnown(place, "part", client.buffers, signal);
	if (before === undefined) throw new ToolError(`There is no file ${place.name}. To make it, use write_file.`);
	refuseMask(before, old_text, place);
	return changeAction(place, before, replaceExactly(before, old_text, new_text, all ?? false), scope);
}

const writeInput = z.object({
	path: z.string().describe("From the top of the workspace, such as src/app.ts."),
	content: z.string().describe("The whole text of the file."),
});

type WriteInput = z.infer<typeof writeInput>;

export const writeFileTool: Tool<WriteInput> = {
	name: "write_file",
	description:
		"Makes a new text file, with the folders on the way, or replaces the whole text of one that has been read to its end with read_file. " +
		"To change a part of a file, use edit_file. The user is shown the difference and may be asked first.",
	kind: "edit",
	input: writeInput,
	prepare: prepareWrite,
};

async function prepareWrite({ path, content }: WriteInput, scope: ToolContext): Promise<ToolAction> {
	const { workspace, client, signal } = scope;
	const place = await workspace.resolve(path);
	const before = await workspace.readKnown(place, "whole", client.buffers, signal);
	const after = before === undefined ? content : asBefore(before, content);
	if (after === before) throw new ToolError(`${place.name} has this text already: nothing would change.`);
	return changeAction(place, before, after, scope);
}

/** A model sees neither line ends nor a byte order mark, and does not mean to change them. */
function asBefore(before: string, content: string): string {
	const mark = before.startsWith("\ufeff") && !content.startsWith("\ufeff") ? "\ufeff" : "";
	return mark + withLineEndsOf(before, content);
}

const deleteInput = z.object({ path: z.string().describe("From the top of the workspace, such as src/app.ts.") });

type DeleteInput = z.infer<typeof deleteInput>;

export const deleteFileTool: Tool<DeleteInput> = {
	name: "delete_file",
	description:
		"Deletes one file. Folders and links are not deleted. The user is shown the file and may be asked first.",
	kind: "delete",
	input: deleteInput,
	prepare: prepareDelete,
};

async function prepareDelete({ path }: DeleteInput, scope: ToolContext): Promise<ToolAction> {
	const { workspace, signal } = scope;
	const place = await workspace.resolve(path);
	const { version, text } = await workspace.readToDelete(place, signal);
	return {
		title: `Delete ${place.name}`,
		locations: [{ path: place.path, line: undefined }],
		diffs: text === undefined ? [] : [{ path: place.path, before: text, after: undefined }],
		permissions: permissionsFor("delete", place),
		run: async () => {
			await workspace.delete(place, version);
			return { output: `Deleted ${place.name}.`, read: [], failed: false };
		},
	};
}
