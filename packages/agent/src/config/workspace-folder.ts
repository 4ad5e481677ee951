import { fileURLToPath } from "node:url";
import type { Workspace } from "@segue/predict";

/** The folder whose configuration holds for a workspace: its first on this disk. Undefined where it has none. */
export function folderOf(workspace: Workspace): string | undefined {
	for (const { uri } of foldersOf(workspace)) {
		const folder = pathOf(uri);
		if (folder !== undefined) return folder;
	}
	return undefined;
}

/** A client that names no folders may still name the one that it has open. */
export function foldersOf({ uri, folders }: Workspace): Workspace["folders"] {
	if (folders.length > 0 || uri === undefined) return folders;
	return [{ uri, name: "" }];
}

/** Undefined where it is on no disk of ours. */
function pathOf(uri: string): string | undefined {
	try {
		return fileURLToPath(uri);
	} catch {
		return undefined;
	}
}
