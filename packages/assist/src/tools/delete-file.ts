import * as z from "zod";
import { permissionsFor } from "../place.js";
import type { Action, Scope, Tool } from "../tool.js";

const input = z.object({ path: z.string().describe("From the top of the workspace, such as src/app.ts.") });

type Input = z.infer<typeof input>;

export const deleteFile: Tool<Input> = {
	name: "delete_file",
	description:
		"Deletes one file. Folders and links are not deleted. The user is shown the file and may be asked first.",
	kind: "delete",
	input,
	prepare,
};

async function prepare({ path }: Input, scope: Scope): Promise<Action> {
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
