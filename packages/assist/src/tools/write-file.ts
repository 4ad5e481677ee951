import * as z from "zod";
import { type Action, type Scope, type Tool, ToolError } from "../tool.js";
import { changeOf } from "./change.js";
import { withLineEndsOf } from "./replacement.js";

const input = z.object({
	path: z.string().describe("From the top of the workspace, such as src/app.ts."),
	content: z.string().describe("The whole text of the file."),
});

type Input = z.infer<typeof input>;

export const writeFile: Tool<Input> = {
	name: "write_file",
	description:
		"Makes a new text file, with the folders on the way, or replaces the whole text of one that has been read to its end with read_file. " +
		"To change a part of a file, use edit_file. The user is shown the difference and may be asked first.",
	kind: "edit",
	input,
	prepare,
};

async function prepare({ path, content }: Input, scope: Scope): Promise<Action> {
	const { workspace, client, signal } = scope;
	const place = await workspace.resolve(path);
	const before = await workspace.readKnown(place, "whole", client.buffers, signal);
	const after = before === undefined ? content : asBefore(before, content);
	if (after === before) throw new ToolError(`${place.name} has this text already: nothing would change.`);
	return changeOf(place, before, after, scope);
}

/** A model sees neither line ends nor a byte order mark, and does not mean to change them. */
function asBefore(before: string, content: string): string {
	const mark = before.startsWith("\ufeff") && !content.startsWith("\ufeff") ? "\ufeff" : "";
	return mark + withLineEndsOf(before, content);
}
