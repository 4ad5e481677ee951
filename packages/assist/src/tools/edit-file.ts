import * as z from "zod";
import { type Action, type Scope, type Tool, ToolError } from "../tool.js";
import { changeOf, refuseMask } from "./change.js";
import { replaceExactly } from "./replacement.js";

const input = z.object({
	path: z.string().describe("From the top of the workspace, such as src/app.ts."),
	old_text: z
		.string()
		.describe(
			"What is there now, to the letter, without line numbers. It has to be in the file exactly once, unless all is set.",
		),
	new_text: z.string().describe("What is to be in its place."),
	all: z.boolean().optional().describe("Whether to replace old_text everywhere in the file."),
});

type Input = z.infer<typeof input>;

export const editFile: Tool<Input> = {
	name: "edit_file",
	description:
		"Replaces a part of a text file. The file has to have been read with read_file, and not to have changed since. " +
		"The user is shown the difference and may be asked first. Line ends are kept as the file has them.",
	kind: "edit",
	input,
	prepare,
};

async function prepare({ path, old_text, new_text, all }: Input, scope: Scope): Promise<Action> {
	const { workspace, client, signal } = scope;
	const place = await workspace.resolve(path);
	const before = await workspace.readKnown(place, "part", client.buffers, signal);
	if (before === undefined) throw new ToolError(`There is no file ${place.name}. To make it, use write_file.`);
	refuseMask(before, old_text, place);
	return changeOf(place, before, replaceExactly(before, old_text, new_text, all ?? false), scope);
}
