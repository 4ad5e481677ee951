import { notification, type ParamsOf, type ResultOf, request } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, record } from "../tolerance.js";
import { command, documentId, position, range } from "./basic-structures.js";
import { progressToken } from "./server-lifecycle.js";

/** Whether the user invoked the request explicitly or the client sent it automatically. */
export const TriggerKind = { invoked: 1, automatic: 2 } as const;

const item = record({ insertText: z.string(), range: z.optional(range), command: z.optional(command) });
export type InlineCompletionItem = z.output<typeof item>;

export const inlineCompletion = request({
	method: "textDocument/inlineCompletion",
	from: "client",
	params: record({
		textDocument: documentId,
		position,
		context: lenient(
			record({
				triggerKind: lenient(z.int()),
				/** The selected item in the completion menu. */
				selectedCompletionInfo: lenient(record({ range, text: z.string() })),
			}),
		),
		workDoneToken: lenient(progressToken),
	}),
	result: record({ items: z.array(item) }),
});
export type InlineCompletionParams = ParamsOf<typeof inlineCompletion>;

/** Copilot's format. The field is `text`, not `newText`. */
const inlineEdit = record({
	text: z.string(),
	range,
	textDocument: record({ uri: z.string(), version: z.int() }),
	command,
});

export const inlineEdits = request({
	method: "textDocument/copilotInlineEdit",
	from: "client",
	params: record({
		textDocument: record({ uri: z.string(), version: lenient(z.int()) }),
		position,
		context: lenient(record({ triggerKind: lenient(z.int()) })),
		workDoneToken: lenient(progressToken),
	}),
	result: record({ edits: z.array(inlineEdit) }),
});
export type InlineEditsParams = ParamsOf<typeof inlineEdits>;
export type InlineEdits = ResultOf<typeof inlineEdits>;

/** An item that a client reports back. Its command identifies the suggestion. */
const reported = lenient(record({ command: lenient(record({ arguments: lenient(z.array(z.unknown())) })) }));

export const didShowInlineEdit = notification({
	method: "textDocument/didShowInlineEdit",
	from: "client",
	params: record({ item: reported }),
});

export const didShowCompletion = notification({
	method: "textDocument/didShowCompletion",
	from: "client",
	params: record({ item: reported }),
});

export const didPartiallyAcceptCompletion = notification({
	method: "textDocument/didPartiallyAcceptCompletion",
	from: "client",
	params: record({ item: reported, acceptedLength: lenient(z.int()) }),
});

// Copilot clients check the sign-in status before they request edits. Segue has no accounts, so it always reports that
// the user is signed in.

const anything = z.unknown();
const signedIn = record({ status: z.string(), user: z.string() });

function account<const Method extends string>(method: Method) {
	return request({ method, from: "client", params: anything, result: signedIn });
}

export const checkStatus = account("checkStatus");
export const signIn = account("signIn");
export const signInInitiate = account("signInInitiate");
export const signInConfirm = account("signInConfirm");
export const signOut = account("signOut");

export const setEditorInfo = request({
	method: "setEditorInfo",
	from: "client",
	params: anything,
	result: z.literal("OK"),
});

export const getVersion = request({
	method: "getVersion",
	from: "client",
	params: anything,
	result: record({ version: z.string(), buildType: z.string(), runtimeVersion: z.string() }),
});

/** The text for a status bar: the current activity, or why there is no suggestion. */
export const didChangeStatus = notification({
	method: "didChangeStatus",
	from: "agent",
	params: record({
		busy: z.boolean(),
		kind: z.enum(["Normal", "Error", "Warning", "Inactive"]),
		message: z.string(),
	}),
});
