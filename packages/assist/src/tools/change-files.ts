import { addsMask } from "@segue/text";
import * as z from "zod";
import { ToolError } from "../failures.js";
import { permissionsFor, type ResolvedPath } from "../workspace/resolved-path.js";
import { replaceExactly, withLineEndsOf } from "./replacement.js";
import type { Tool, ToolAction, ToolContext } from "./tool.js";

const editInput = z.object({
	path: z.string().describe("Relative to the workspace root, for example src/app.ts."),
	old_text: z
		.string()
		.describe(
			"The text to replace, copied exactly, without line numbers. It must occur exactly once in the file unless all is set.",
		),
	new_text: z.string().describe("The replacement text."),
	all: z.boolean().optional().describe("Whether to replace every occurrence of old_text (default false)."),
});

type EditInput = z.infer<typeof editInput>;

export const editFileTool: Tool<EditInput> = {
	name: "edit_file",
	description:
		"Replaces part of a text file. You must have read the file with read_file, and it must not have changed since. " +
		"The user sees the diff and may have to approve it. Keeps the line endings of the file.",
	kind: "edit",
	input: editInput,
	prepare: prepareEdit,
};

async function prepareEdit({ path, old_text, new_text, all }: EditInput, context: ToolContext): Promise<ToolAction> {
	const { workspace, client, signal } = context;
	const resolved = await workspace.resolve(path);
	const before = await workspace.readKnown(resolved, "part", client.buffers, signal);
	if (before === undefined) throw new ToolError(`${resolved.name} does not exist. To create it, use write_file.`);
	refuseMask(before, old_text, resolved);
	return changeAction(resolved, before, replaceExactly(before, old_text, new_text, all ?? false), context);
}

const writeInput = z.object({
	path: z.string().describe("Relative to the workspace root, for example src/app.ts."),
	content: z.string().describe("The complete content of the file."),
});

type WriteInput = z.infer<typeof writeInput>;

export const writeFileTool: Tool<WriteInput> = {
	name: "write_file",
	description:
		"Creates a text file and any missing parent folders, or replaces the content of a file that you have read completely with read_file. " +
		"To change part of a file, use edit_file. The user sees the diff and may have to approve it.",
	kind: "edit",
	input: writeInput,
	prepare: prepareWrite,
};

async function prepareWrite({ path, content }: WriteInput, context: ToolContext): Promise<ToolAction> {
	const { workspace, client, signal } = context;
	const resolved = await workspace.resolve(path);
	const before = await workspace.readKnown(resolved, "whole", client.buffers, signal);
	const after = before === undefined ? content : asBefore(before, content);
	if (after === before) throw new ToolError(`${resolved.name} already has this content, so nothing would change.`);
	return changeAction(resolved, before, after, context);
}

/** Keeps the line endings and the byte order mark of the file, because the model doesn't see them. */
function asBefore(before: string, content: string): string {
	const mark = before.startsWith("\ufeff") && !content.startsWith("\ufeff") ? "\ufeff" : "";
	return mark + withLineEndsOf(before, content);
}

const deleteInput = z.object({ path: z.string().describe("Relative to the workspace root, for example src/app.ts.") });

type DeleteInput = z.infer<typeof deleteInput>;

export const deleteFileTool: Tool<DeleteInput> = {
	name: "delete_file",
	description:
		"Deletes one file. Cannot delete folders or links. The user sees the file and may have to approve the deletion.",
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

/** Returns the action that creates a file or replaces its content. Its diff is shown for approval. */
export function changeAction(
	resolved: ResolvedPath,
	before: string | undefined,
	after: string,
	context: ToolContext,
): ToolAction {
	if (UNWRITABLE.test(after)) {
		throw new ToolError("The text contains a NUL or an unpaired surrogate, which is not allowed. Remove it.");
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

/** Throws if the new text adds a mask, which would overwrite a key that the model has not seen. */
function refuseMask(before: string | undefined, text: string, { name }: ResolvedPath): void {
	if (!addsMask(before ?? "", text)) return;
	throw new ToolError(
		`REDACTED_SECRET_ replaces a key or password in ${name} that is hidden from you, so you cannot write or replace text ` +
			"that contains it. Leave it out of old_text and new_text, or ask the user to make this change.",
	);
}

const UNWRITABLE = /[\0\p{Cs}]/u;

/** Returns the number of the first line that differs. */
function firstDifference(before: string, after: string): number {
	let line = 1;
	for (let i = 0; i < before.length && before[i] === after[i]; i++) if (before[i] === "\n") line++;
	return line;
}
