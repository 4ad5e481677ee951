import { notification, type ParamsOf, type ResultOf, request } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, record, skipping, withoutNul } from "../tolerance.js";
import { positionEncoding, range } from "./basic-structures.js";

const flag = lenient(z.boolean());

const workspaceFolder = record({ uri: z.string(), name: z.catch(z.string(), "") });
export type WorkspaceFolder = z.output<typeof workspaceFolder>;

function urisOf(folders: readonly WorkspaceFolder[]): readonly string[] {
	return folders.map(({ uri }) => uri);
}

/** The capabilities that Segue reads. */
const clientCapabilities = record({
	general: lenient(record({ positionEncodings: lenient(skipping(positionEncoding)) })),
	workspace: lenient(
		record({
			configuration: flag,
			applyEdit: flag,
			workspaceEdit: lenient(
				record({ documentChanges: flag, changeAnnotationSupport: lenient(record({ groupsOnLabel: flag })) }),
			),
			didChangeWatchedFiles: lenient(record({ dynamicRegistration: flag })),
			inlayHint: lenient(record({ refreshSupport: flag })),
		}),
	),
	textDocument: lenient(
		record({
			codeAction: lenient(record({ codeActionLiteralSupport: lenient(z.unknown()) })),
		}),
	),
	window: lenient(record({ workDoneProgress: flag, showDocument: lenient(record({ support: flag })) })),
});
export type ClientCapabilities = z.output<typeof clientCapabilities>;

/** The server validates `initializationOptions`. Copilot clients put their `editorInfo` there. */
export const initialize = request({
	method: "initialize",
	from: "client",
	params: record({
		processId: lenient(z.int()),
		clientInfo: lenient(record({ name: z.string(), version: lenient(z.string()) })),
		rootUri: withoutNul(lenient(z.string())),
		initializationOptions: lenient(z.record(z.string(), z.unknown())),
		capabilities: z.catch(clientCapabilities, {}),
		workspaceFolders: withoutNul(lenient(skipping(workspaceFolder)), (folders) => urisOf(folders ?? [])),
	}),
	result: record({
		capabilities: z.record(z.string(), z.unknown()),
		serverInfo: record({ name: z.string(), version: z.string() }),
	}),
});
export type InitializeParams = ParamsOf<typeof initialize>;
export type InitializeResult = ResultOf<typeof initialize>;

/** Clients send `{}`, `null` or `[]` for empty params, or omit them. */
const nothing = z.unknown();

export const initialized = notification({ method: "initialized", from: "client", params: nothing });
export const shutdown = request({ method: "shutdown", from: "client", params: nothing, result: z.null() });
export const exit = notification({ method: "exit", from: "client", params: nothing });
export const setTrace = notification({ method: "$/setTrace", from: "client", params: nothing });

export const didChangeWorkspaceFolders = notification({
	method: "workspace/didChangeWorkspaceFolders",
	from: "client",
	params: record({
		event: record({
			added: withoutNul(z.catch(skipping(workspaceFolder), []), urisOf),
			removed: z.catch(skipping(workspaceFolder), []),
		}),
	}),
});

export const didChangeConfiguration = notification({
	method: "workspace/didChangeConfiguration",
	from: "client",
	params: record({ settings: lenient(z.record(z.string(), z.unknown())) }),
});

export const didChangeWatchedFiles = notification({
	method: "workspace/didChangeWatchedFiles",
	from: "client",
	params: record({ changes: z.catch(skipping(record({ uri: z.string() })), []) }),
});

/** Requests settings from the client, one section per item. */
export const configuration = request({
	method: "workspace/configuration",
	from: "agent",
	params: record({ items: z.array(record({ section: z.string() })) }),
	result: z.array(z.unknown()),
});

export const registerCapability = request({
	method: "client/registerCapability",
	from: "agent",
	params: record({
		registrations: z.array(record({ id: z.string(), method: z.string(), registerOptions: z.unknown() })),
	}),
	result: z.unknown(),
});

/** Severities of log messages and of messages shown to the user. */
export const MessageType = { error: 1, warning: 2, info: 3, log: 4 } as const;
const message = record({ type: z.int(), message: z.string() });

export const logMessage = notification({ method: "window/logMessage", from: "agent", params: message });
export const showMessage = notification({ method: "window/showMessage", from: "agent", params: message });

export const showDocument = request({
	method: "window/showDocument",
	from: "agent",
	params: record({ uri: z.string(), takeFocus: z.optional(z.boolean()), selection: z.optional(range) }),
	result: record({ success: z.catch(z.boolean(), false) }),
});

/** A token that a client sends with a request in order to receive progress reports. */
export const progressToken = z.union([z.int(), z.string()]);

const progressValue = z.discriminatedUnion("kind", [
	record({ kind: z.literal("begin"), title: z.string() }),
	record({ kind: z.literal("end") }),
]);

export const progress = notification({
	method: "$/progress",
	from: "agent",
	params: record({ token: progressToken, value: progressValue }),
});
