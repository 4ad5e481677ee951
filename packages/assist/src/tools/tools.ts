import type { Client } from "../client.js";
import type { Mode } from "../threads/settings.js";
import { SEARCH_TIME_LIMIT_MS } from "../workspace/walk.js";
import { deleteFileTool, editFileTool, writeFileTool } from "./change-files.js";
import { editorTools } from "./editor.js";
import { fetchUrlTool } from "./fetch-url.js";
import { findFilesTool } from "./find-files.js";
import { listDirectoryTool } from "./list-directory.js";
import { internet } from "./network.js";
import { readFileTool } from "./read-file.js";
import { backgroundJobsTool, runCommandTool } from "./run-command.js";
import { searchTool } from "./search.js";
import type { Tool } from "./tool.js";
import { askUserTool } from "./user.js";

// A slow page takes several seconds, and users don't wait longer than this.
const FETCH_TIME_LIMIT_MS = 20_000;

/** Returns the tools that a model can use in a turn with this client. */
export function toolsFor(
	client: Pick<Client, "editor" | "ask">,
	{ network, secretVariables }: { network: boolean; secretVariables: readonly string[] },
): readonly Tool[] {
	return [
		readFileTool,
		listDirectoryTool,
		findFilesTool(SEARCH_TIME_LIMIT_MS),
		searchTool(SEARCH_TIME_LIMIT_MS),
		editFileTool,
		writeFileTool,
		deleteFileTool,
		runCommandTool(secretVariables),
		backgroundJobsTool,
		...(network ? [fetchUrlTool(internet, FETCH_TIME_LIMIT_MS)] : []),
		...editorTools(client.editor),
		...(client.ask === undefined ? [] : [askUserTool(client.ask.bind(client))]),
	];
}

/** Kinds of tools that change nothing. */
const READING: readonly Tool["kind"][] = ["read", "search", "fetch", "think"];

export function toolsIn(mode: Mode, tools: readonly Tool[]): readonly Tool[] {
	return mode === "edit" ? tools : tools.filter((tool) => READING.includes(tool.kind));
}
