import { notification, type ParamsOf, type ResultOf, request } from "@segue/rpc";
import * as z from "zod";
import { lenient, record } from "../tolerance.js";
import { command, documentId, position, range } from "./basic-structures.js";
import { progressToken } from "./server-lifecycle.js";

/** Why a client asks: the user did so by hand, or it does by itself. */
export const TriggerKind = { invoked: 1, automatic: 2 } as const;

const item = record({ insertText: z.string(), range: range.optional(), command: command.optional() });
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
				/** The entry of the completion menu that is selected. */
				selectedCompletionInfo: lenient(record({ range, text: z.string() })),
			}),
		),
		workDoneToken: lenient(progressToken),
	}),
	result: record({ items: z.array(item) }),
});
export type InlineCompletionParams = ParamsOf<typeof inlineCompletion>;

/** Of Copilot. The field is `text`, not `newText`. */
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

/** An item as a client reports it back; its command names the suggestion. */
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
