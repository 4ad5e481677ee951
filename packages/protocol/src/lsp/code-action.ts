import { type ParamsOf, request } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, record, skipping } from "../tolerance.js";
import { command, documentId, position, range } from "./basic-structures.js";
import { progressToken } from "./server-lifecycle.js";
import { diagnostic } from "./text-document.js";

const textEdit = record({ range, newText: z.string(), annotationId: z.optional(z.string()) });
export type TextEdit = z.output<typeof textEdit>;

/** `changes` is for clients that don't support `documentChanges`. */
const workspaceEdit = record({
	changes: z.optional(z.record(z.string(), z.array(textEdit))),
	documentChanges: z.optional(
		z.array(
			record({ textDocument: record({ uri: z.string(), version: z.nullable(z.int()) }), edits: z.array(textEdit) }),
		),
	),
	changeAnnotations: z.optional(
		z.record(z.string(), record({ label: z.string(), needsConfirmation: z.boolean(), description: z.string() })),
	),
});
export type WorkspaceEdit = z.output<typeof workspaceEdit>;

const codeAction = record({
	title: z.string(),
	kind: z.string(),
	isPreferred: z.optional(z.boolean()),
	edit: z.optional(workspaceEdit),
	command: z.optional(command),
	/** A Segue extension for plugins: where the suggestion comes from. */
	data: z.optional(z.object({ id: z.string(), predictor: z.string(), why: z.string() })),
});
export type CodeAction = z.output<typeof codeAction>;

export const codeActions = request({
	method: "textDocument/codeAction",
	from: "client",
	params: record({
		textDocument: documentId,
		range,
		context: lenient(
			record({
				diagnostics: z.catch(skipping(diagnostic), []),
				only: lenient(skipping(z.string())),
				triggerKind: lenient(z.int()),
			}),
		),
		workDoneToken: lenient(progressToken),
	}),
	/** Bare commands are for clients that don't support code action literals. */
	result: z.array(z.union([codeAction, command])),
});
export type CodeActionParams = ParamsOf<typeof codeActions>;

const commandParams = record({ command: z.string(), arguments: lenient(z.array(z.unknown())) });

export const executeCommand = request({
	method: "workspace/executeCommand",
	from: "client",
	params: commandParams,
	result: z.null(),
});

export const applyEdit = request({
	method: "workspace/applyEdit",
	from: "agent",
	params: record({ label: z.string(), edit: workspaceEdit }),
	result: record({ applied: z.catch(z.boolean(), false) }),
});

export const inlayHints = request({
	method: "textDocument/inlayHint",
	from: "client",
	params: record({ textDocument: documentId, range }),
	result: z.array(
		record({ position, label: z.string(), paddingLeft: z.optional(z.boolean()), tooltip: z.optional(z.string()) }),
	),
});

export const refreshInlayHints = request({
	method: "workspace/inlayHint/refresh",
	from: "agent",
	params: z.undefined(),
	result: z.unknown(),
});
