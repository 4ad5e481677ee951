import type { Acceptance } from "@segue/agent/next-edit/observer";
import {
	type DocumentUpdate,
	EXCERPT_CHARACTERS_MAX,
	EXCERPTS_MAX,
	mostRecent,
	type NextEditRequest,
	type OpenFile,
	type RequestContext,
	USER_ACTIONS_MAX,
} from "@segue/agent/next-edit/request";
import type { NextEditSession } from "@segue/agent/next-edit/session";
import type { Settings } from "@segue/agent/next-edit/settings";
import type { Locate } from "@segue/agent/next-edit/views";
import type { Action, Diagnostic, DismissalReason, Excerpt, Trigger, Workspace } from "@segue/predict";
import type * as acp from "@segue/protocol/acp";
import { ErrorCode, RpcError } from "@segue/rpc";
import { type Document, offsetOf, offsetsOf, readContentChanges, sameUri, Text } from "@segue/text";
import { numbersFor, OPTIONS } from "./to-wire.js";

export function workspaceFromWire(start: acp.NesStart): Workspace {
	const { workspaceUri, workspaceFolders, repository } = start ?? {};
	return {
		uri: workspaceUri ?? undefined,
		folders: (workspaceFolders ?? []).map(({ uri, name }) => ({ uri, name })),
		repository: repository ?? undefined,
	};
}

/** Returns undefined if the text or the version is missing. */
export function documentFromWire({ uri, languageId, version, text }: acp.DidOpen): Document | undefined {
	if (text === undefined || version === undefined) return undefined;
	return { uri, languageId, version, text: Text.of(text) };
}

/** `before` is the session's copy of the text. Returns undefined if the version or the content changes are missing. */
export function updateFromWire(
	{ uri, version, contentChanges }: acp.DidChange,
	before: Text,
	encoding: acp.PositionEncoding,
): DocumentUpdate | undefined {
	if (contentChanges === undefined || version === undefined) return undefined;
	const isWhole = contentChanges.some(({ range }: acp.ContentChange) => !range);
	return { uri, version, change: readContentChanges(before, contentChanges, encoding), isWhole };
}

export function locateFromWire({ position, visibleRange }: acp.DidFocus, encoding: acp.PositionEncoding): Locate {
	return (text) => ({
		cursor: offsetOf(text, position, encoding),
		visible: visibleRange ? offsetsOf(text, visibleRange, encoding) : undefined,
	});
}

/**
 * Converts positions to offsets. Uses the session's documents or, for documents that the session does not have, the
 * attached files.
 */
export function requestFromWire(
	params: acp.SuggestRequest,
	session: NextEditSession,
	encoding: acp.PositionEncoding,
): NextEditRequest {
	const { uri, version, position, selection, triggerKind } = params;
	// Don't read the context if suggestions are disabled.
	const wire = (session.settings.isEnabled && params.context) || {};
	const openFiles = (wire.openFiles ?? []).map((file) => ({ ...file, focusedAtMs: file.lastFocusedMs ?? undefined }));
	const attached = mostRecent(wire.recentFiles ?? [], uri, openFiles).map((file) => {
		return { uri: file.uri, languageId: file.languageId, text: Text.of(file.text) };
	});
	const textOf: TextOf = (of) => {
		const held = session.held(of);
		return held?.isLost === false ? held.document.text : attached.find((file) => sameUri(file.uri, of))?.text;
	};
	// If the document is unknown, the session rejects the request.
	const text = textOf(uri) ?? Text.empty;
	const cursor = offsetOf(text, position, encoding);
	const { from, to } = selection ? offsetsOf(text, selection, encoding) : { from: cursor, to: cursor };
	const context: RequestContext = {
		attached,
		openFiles: openFiles.map(({ uri, languageId, visibleRange, focusedAtMs }): OpenFile => {
			const shown = visibleRange ? textOf(uri) : undefined;
			return {
				uri,
				languageId,
				visible: shown && visibleRange ? offsetsOf(shown, visibleRange, encoding) : undefined,
				focusedAtMs,
			};
		}),
		editHistory: wire.editHistory ?? [],
		diagnostics: readDiagnostics(wire, textOf, encoding),
		excerpts: readExcerpts(wire),
		actions: readActions(wire, textOf, encoding),
	};
	return { uri, version, cursor, anchor: from === cursor ? to : from, trigger: readTrigger(triggerKind), context };
}

type TextOf = (uri: string) => Text | undefined;

function readDiagnostics(
	{ diagnostics }: acp.SuggestContext,
	textOf: TextOf,
	encoding: acp.PositionEncoding,
): Diagnostic[] {
	return (diagnostics ?? []).flatMap(({ uri, range, severity, message }): Diagnostic[] => {
		const text = textOf(uri);
		if (text === undefined) return [];
		return [{ uri, ...offsetsOf(text, range, encoding), severity: SEVERITIES.get(severity) ?? "info", message }];
	});
}

const SEVERITIES: ReadonlyMap<string, Diagnostic["severity"]> = new Map([
	["error", "error"],
	["warning", "warning"],
	["information", "info"],
	["hint", "hint"],
]);

/**
 * Counts the lines of the text and ignores the end line. Clients disagree on whether the end line is inclusive and
 * whether the text has a final line break.
 */
function readExcerpts({ relatedSnippets }: acp.SuggestContext): Excerpt[] {
	return (relatedSnippets ?? [])
		.flatMap(({ uri, excerpts }) => excerpts.map(({ startLine, text }) => ({ uri, first: startLine, text })))
		.filter(({ text }) => text.length <= EXCERPT_CHARACTERS_MAX)
		.slice(0, EXCERPTS_MAX)
		.map(({ uri, first, text: received }) => {
			const text = received.replace(/(?:\r\n|\r|\n)$/, "");
			return { uri, first, last: first + text.split(/\r\n|\r|\n/).length - 1, text };
		});
}

function readActions({ userActions }: acp.SuggestContext, textOf: TextOf, encoding: acp.PositionEncoding): Action[] {
	return (userActions ?? []).slice(-USER_ACTIONS_MAX).map(({ action, uri, position, timestampMs }) => {
		const text = textOf(uri);
		return { what: action, uri, at: text && offsetOf(text, position, encoding), atMs: timestampMs };
	});
}

/** Treats an unknown trigger from a later protocol version as automatic. */
function readTrigger(kind: string): Trigger {
	return kind === "manual" || kind === "diagnostic" ? kind : "automatic";
}

/** Reads from `_meta` how a suggestion was accepted. Only editors that use `@segue/editor` send this. */
export function acceptanceFromWire(meta: Readonly<Record<string, unknown>> | null | undefined): Acceptance {
	const { partial, typed } = Object(meta?.["segue"]) as { partial?: unknown; typed?: unknown };
	return { isPartial: partial === true, isTyped: typed === true };
}

/** Reads from `_meta` whether a session only demonstrates suggestions. */
export function isDemonstration(params: acp.NesStart): boolean {
	return (Object(params?._meta?.["segue"]) as { demonstration?: unknown }).demonstration === true;
}

const REASONS: readonly DismissalReason[] = ["rejected", "ignored", "replaced", "cancelled"];

export function reasonFromWire(value: string | null | undefined): DismissalReason | undefined {
	return REASONS.find((reason) => reason === value);
}

/** Throws an `RpcError` for an unknown option or value. */
export function settingFromWire(
	configId: string,
	value: string | boolean,
	session: Pick<NextEditSession, "isModel" | "settings" | "initial">,
): Partial<Settings> {
	const isOn = value === true || value === "on" ? true : value === false || value === "off" ? false : undefined;
	switch (configId) {
		case OPTIONS.enabled:
			if (isOn !== undefined) return { isEnabled: isOn };
			break;
		case OPTIONS.eagerness:
			if (value === "low" || value === "medium" || value === "high") return { eagerness: value };
			break;
		case OPTIONS.model:
			if (session.isModel(value)) return { model: value };
			break;
		case OPTIONS.onlyWhenAsked:
			if (isOn !== undefined) return { onlyWhenAsked: isOn };
			break;
		case OPTIONS.offInCommentsAndStrings:
			if (isOn !== undefined) return { offInCommentsAndStrings: isOn };
			break;
		case OPTIONS.delayMs:
		case OPTIONS.snoozeMinutes:
		case OPTIONS.giveUpAfterIgnored: {
			const setting = NUMBER_SETTINGS[configId];
			const number = numbersFor(setting, session).find((one) => String(one) === value);
			if (number !== undefined) return { [setting]: number };
			break;
		}
		default:
			throw new RpcError(ErrorCode.invalidParams, "Invalid params: params.configId: unknown option");
	}
	throw new RpcError(ErrorCode.invalidParams, `Invalid params: params.value: invalid value for ${configId}`);
}

const NUMBER_SETTINGS = {
	[OPTIONS.delayMs]: "delayMs",
	[OPTIONS.snoozeMinutes]: "snoozeMinutes",
	[OPTIONS.giveUpAfterIgnored]: "giveUpAfterIgnored",
} as const;
