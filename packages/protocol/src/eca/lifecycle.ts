import { notification, type ParamsOf, type ResultOf, request } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, record, skipping, withoutNul, word } from "../tolerance.js";
import { fromEditor, workspaceFolder } from "./params.js";

const flag = lenient(z.boolean());

/**
 * Editor capabilities. `doc`, `edit` and `fix` are in the first version only; all others are in the current version.
 */
const clientCapabilities = record({
	codeAssistant: lenient(
		record({
			chat: flag,
			doc: flag,
			edit: flag,
			fix: flag,
			rewrite: flag,
			editor: lenient(record({ diagnostics: flag, definition: flag, references: flag })),
			chatCapabilities: lenient(record({ askQuestion: flag })),
		}),
	),
});
export type ClientCapabilities = z.output<typeof clientCapabilities>;

export const initialize = request({
	method: "initialize",
	from: "client",
	params: fromEditor(
		record({
			processId: lenient(z.int()),
			clientInfo: lenient(record({ name: z.string(), version: lenient(z.string()) })),
			/** Uses the keys of ECA's configuration file. */
			initializationOptions: lenient(z.record(z.string(), z.unknown())),
			capabilities: lenient(clientCapabilities),
			workspaceFolders: withoutNul(lenient(skipping(workspaceFolder)), (folders) =>
				(folders ?? []).map(({ uri }) => uri),
			),
		}),
		"initializationOptions",
	),
	result: record({ chatWelcomeMessage: lenient(z.string()) }),
});
export type InitializeParams = ParamsOf<typeof initialize>;
export type InitializeResult = ResultOf<typeof initialize>;

const nothing = fromEditor(record({}));

export const initialized = notification({ method: "initialized", from: "client", params: nothing });
export const shutdown = request({ method: "shutdown", from: "client", params: nothing, result: z.null() });
export const exit = notification({ method: "exit", from: "client", params: nothing });

const someFolders = withoutNul(z.catch(skipping(workspaceFolder), []), (folders) => folders.map(({ uri }) => uri));

export const didChangeWorkspaceFolders = notification({
	method: "workspace/didChangeWorkspaceFolders",
	from: "client",
	params: fromEditor(record({ event: record({ added: someFolders, removed: someFolders }) })),
});

/** Reports a long-running task, for example starting a server. */
export const progress = notification({
	method: "$/progress",
	from: "agent",
	params: record({ type: word("start", "finish"), taskId: z.string(), title: z.string() }),
});

export const showMessage = notification({
	method: "$/showMessage",
	from: "agent",
	params: record({ type: word("error", "warning", "info"), message: z.string() }),
});
