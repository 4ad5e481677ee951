import { addsMask } from "@segue/text";
import * as z from "zod";
import { ToolError } from "../failures.js";
import { permissionsFor, type ResolvedPath } from "../workspace/resolved-path.js";
import { replaceExactly, withLineEndsOf } from "./replacement.js";
import type { Tool, ToolAction, ToolContext } from "./tool.js";

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

async function prepareEdit({ path, old_text, new_text, all }: EditInput, context: ToolContext): Promise<ToolAction> {
	const { workspace, client, signal } = context;
	const resolved = await workspace.resolve(path);
	const before = await workspace.readKnown(resolved, "part", client.buffers, signal);
	if (before === undefined) throw new ToolError(`There is no file ${resolved.name}. To make it, use write_file.`);
	refuseMask(before, old_text, resolved);
	return changeAction(resolved, before, replaceExactly(before, old_text, new_text, all ?? false), context);
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

async function prepareWrite({ path, content }: WriteInput, context: ToolContext): Promise<ToolAction> {
	const { workspace, client, signal } = context;
	const resolved = await workspace.resolve(path);
	const before = await workspace.readKnown(resolved, "whole", client.buffers, signal);
	const after = before === undefined ? content : asBefore(before, content);
	if (after === before) throw new ToolError(`${resolved.name} has this text already: nothing would change.`);
	return changeAction(resolved, before, after, context);
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

async function prepareDelete({ path }: DeleteInput, context: ToolContext): Promise<ToolAction> {
	const { workspace, signal } = context;
	const resolved = await workspace.resolve(path);
	const { version, text } = await workspace.readToDelete(resolved, signal);
	return {
		title: `Delete ${resolved.name}`,
		locations: [{ path: resolved.path, line: undefined }],
		diffs: text === undefined ? [] : [{ path: resolved.path, before: text, after: undefined }],
		permissions: permissionsFor("delete", resolved),
		run: async () => {
			await workspace.delete(resolved, version);
			return { output: `Deleted ${resolved.name}.`, read: [], failed: false };
		},
	};
}

/** An action that turns a file into another text, to be asked for with the difference in view. */
export function changeAction(
	resolved: ResolvedPath,
	before: string | undefined,
	after: string,
	context: ToolContext,
): ToolAction {
	if (UNWRITABLE.test(after)) {
		throw new ToolError("The text holds a NUL or half a character, and would make a binary file. Write it without.");
	}
	refuseMask(before, after, resolved);
	const { workspace, client } = context;
	const isNew = before === undefined;
	return {
		title: `${isNew ? "Create" : "Edit"} ${resolved.name}`,
		locations: [{ path: resolved.path, line: isNew ? undefined : firstDifference(before, after) }],
		diffs: [{ path: resolved.path, before, after }],
		permissions: permissionsFor("edit", resolved),
		run: async (signal) => {
			if (isNew && client.buffers !== undefined) await workspace.makeFolderOf(resolved);
			await workspace.write(resolved, before, after, client.buffers, signal);
			return { output: `${isNew ? "Created" : "Edited"} ${resolved.name}.`, read: [], failed: false };
		},
	};
}

/** Refuses a text with a mask that was not there before: the key that the model was not shown would be lost. */
function refuseMask(before: string | undefined, text: string, { name }: ResolvedPath): void {
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
