import type { Client } from "../client.js";
import type { Tool } from "../tool.js";
import { askUser } from "./ask-user.js";
import { backgroundJobs } from "./background-jobs.js";
import { deleteFile } from "./delete-file.js";
import { editFile } from "./edit-file.js";
import { editorTools } from "./editor.js";
import { fetchUrl } from "./fetch-url.js";
import { findFiles } from "./find-files.js";
import { listDirectory } from "./list-directory.js";
import { internet } from "./network.js";
import { readFile } from "./read-file.js";
import { runCommand } from "./run-command.js";
import { search } from "./search.js";
import { writeFile } from "./write-file.js";

// A large repository is gone through in a fraction of this; a pattern that takes longer may take for ever.
export const SEARCH_TIME_LIMIT_MS = 15_000;
// A slow page takes some seconds; nobody waits for one longer than this.
const FETCH_TIME_LIMIT_MS = 20_000;

/** What a model can have done for a client. */
export function toolsFor(
	client: Pick<Client, "editor" | "ask">,
	{ network, secretVariables }: { network: boolean; secretVariables: readonly string[] },
): readonly Tool[] {
	return [
		readFile,
		listDirectory,
		findFiles(SEARCH_TIME_LIMIT_MS),
		search(SEARCH_TIME_LIMIT_MS),
		editFile,
		writeFile,
		deleteFile,
		runCommand(secretVariables),
		backgroundJobs,
		...(network ? [fetchUrl(internet, FETCH_TIME_LIMIT_MS)] : []),
		...editorTools(client.editor),
		...(client.ask === undefined ? [] : [askUser(client.ask.bind(client))]),
	];
}
