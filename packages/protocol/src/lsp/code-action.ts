import { type ParamsOf, request } from "@segue/rpc";
import * as z from "zod";
import { lenient, record, skipping } from "../tolerance.js";
import { command, documentId, position, range } from "./basic-structures.js";
import { progressToken } from "./server-lifecycle.js";
import { diagnostic } from "./text-document.js";

const textEdit = record({ range, newText: z.string(), annotationId: z.string().optional() });
export type TextEdit = z.output<typeof textEdit>;

/** `changes` is for clients without support for `documentChanges`. */
const workspaceEdit = record({
	changes: z.record(z.string(), z.array(textEdit)).optional(),
	documentChanges: z
		.array(record({ textDocument: record({ uri: z.string(), version: z.int().nullable() }), edits: z.array(textEdit) }))
		.optional(),
	changeAnnotations: z
		.record(z.string(), record({ label: z.string(), needsConfirmation: z.boolean(), description: z.string() }))
		.optional(),
});
export type WorkspaceEdit = z.output<typeof workspaceEdit>;

const codeAction = record({
	title: z.string(),
	kind: z.string(),
	isPreferred: z.boolean().optional(),
	edit: workspaceEdit.optional(),
	command: command.optional(),
	/** A Segue extension for plugins: where the suggestion comes from. */
	data: z.object({ id: z.string(), predictor: z.string(), why: z.string() }).optional(),
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
				diagnostics: skipping(diagnostic).catch([]),
				only: lenient(skipping(z.string())),
				triggerKind: lenient(z.int()),
			}),
		),
		workDoneToken: lenient(progressToken),
	}),
	/** Bare commands are for clients without support for code action literals. */
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
	result: record({ applied: z.boolean().catch(false) }),
});

export const inlayHints = request({
	method: "textDocument/inlayHint",
	from: "client",
	params: record({ textDocument: documentId, range }),
	result: z.array(
		record({ position, label: z.string(), paddingLeft: z.boolean().optional(), tooltip: z.string().optional() }),
	),
});

export const refreshInlayHints = request({
	method: "workspace/inlayHint/refresh",
	from: "agent",
	params: z.undefined(),
	result: z.unknown(),
});
