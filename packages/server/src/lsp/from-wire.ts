import { readSessionSettings } from "@segue/agent/config/session-settings";
import { type DocumentUpdate, type NextEditRequest, NO_CONTEXT } from "@segue/agent/next-edit/request";
import type { NextEditSession } from "@segue/agent/next-edit/session";
import { DEFAULT_SETTINGS, type Settings } from "@segue/agent/next-edit/settings";
import { type Diagnostic, isCode, type Trigger, type Workspace } from "@segue/predict";
import * as lsp from "@segue/protocol/lsp";
import { type Document, languageOf, offsetOf, offsetsOf, readContentChanges, Text } from "@segue/text";

/**
 * Returns UTF-16 if possible, because nearly all clients support it and some plugins assume it. Otherwise returns the
 * client's first choice.
 */
export function encodingFromWire({ capabilities: { general } }: lsp.InitializeParams): lsp.PositionEncoding {
	const offered = general?.positionEncodings ?? [];
	return offered.includes("utf-16") ? "utf-16" : (offered[0] ?? "utf-16");
}

export function foldersFromWire({ rootUri, workspaceFolders }: lsp.InitializeParams): readonly lsp.WorkspaceFolder[] {
	if (workspaceFolders != null && workspaceFolders.length > 0) return workspaceFolders;
	return rootUri == null ? [] : [{ uri: rootUri, name: "" }];
}

export function workspaceFromWire(folders: readonly lsp.WorkspaceFolder[]): Workspace {
	return {
		uri: folders[0]?.uri,
		folders: folders.map(({ uri, name }) => ({ uri, name })),
		repository: undefined,
	};
}

/** Returns undefined if the text or the version is missing. */
export function documentFromWire({ textDocument }: lsp.DidOpen): Document | undefined {
	const { uri, languageId, version, text } = textDocument;
	if (text === undefined || version === undefined) return undefined;
	return { uri, languageId: languageFromWire(languageId, uri), version, text: Text.of(text) };
}

/**
 * Returns the language id. Falls back to the file name, because some clients have their own names for languages, such
 * as eglot's "js".
 */
function languageFromWire(languageId: string, uri: string): string {
	if (isCode(languageId)) return languageId;
	const byName = languageOf(uri);
	return byName === "plaintext" ? languageId : byName;
}

/** `before` is the session's copy of the text. Returns undefined if the version or the content changes are missing. */
export function updateFromWire(
	{ textDocument: { uri, version }, contentChanges }: lsp.DidChange,
	before: Text,
	encoding: lsp.PositionEncoding,
): DocumentUpdate | undefined {
	if (contentChanges === undefined || version === undefined) return undefined;
	const isWhole = contentChanges.some(({ range }) => !range);
	return { uri, version, change: readContentChanges(before, contentChanges, encoding), isWhole };
}

/** A client's request for suggestions, whatever its method. */
export interface SuggestionQuery {
	readonly uri: string;
	/** Most requests carry no version and apply to the latest text. */
	readonly version?: number | null | undefined;
	readonly position: lsp.Position;
	readonly trigger: Trigger;
	/** Whether the client omits the trigger kind. */
	readonly isUnlabelled?: boolean;
	readonly diagnostics: readonly Diagnostic[];
	/** Kinds that the client supports in addition to edits. */
	readonly kinds?: ReadonlySet<"jump"> | undefined;
}

export function requestFromWire(
	query: SuggestionQuery,
	session: Pick<NextEditSession, "held">,
	encoding: lsp.PositionEncoding,
): NextEditRequest {
	const { uri, position, trigger, isUnlabelled = false, diagnostics, kinds } = query;
	const held = session.held(uri)?.document;
	const version = query.version ?? held?.version ?? 0;
	// If the document is unknown, the session rejects the request.
	const cursor = offsetOf(held?.text ?? Text.empty, position, encoding);
	const context = { ...NO_CONTEXT, diagnostics };
	return { uri, version, cursor, anchor: cursor, trigger, isUnlabelled, context, ...(kinds && { kinds }) };
}

/** Clients that omit the trigger kind send requests automatically while the user types. */
export function triggerFromWire(kind: number | null | undefined): Trigger {
	return kind === lsp.TriggerKind.invoked ? "manual" : "automatic";
}

const SEVERITIES: readonly Diagnostic["severity"][] = ["error", "warning", "info", "hint"];

/** The source of Segue's own diagnostics, which mark the next edit and are not problems in the user's code. */
export const SOURCE = "segue";

export function diagnosticsFromWire(
	uri: string,
	diagnostics: readonly lsp.Diagnostic[],
	text: Text,
	encoding: lsp.PositionEncoding,
): Diagnostic[] {
	return diagnostics
		.filter((one) => (one as { readonly source?: unknown }).source !== SOURCE)
		.map(({ range, severity, message }) => {
			const { from, to } = offsetsOf(text, range, encoding);
			return { uri, from, to, severity: SEVERITIES[(severity ?? 1) - 1] ?? "info", message };
		});
}

/** How the next edit is marked in the text, for clients that cannot show suggestions. */
export type Mark = "none" | "hint" | "diagnostic";

const MARKS: readonly Mark[] = ["none", "hint", "diagnostic"];

/** A client's settings: those for the session and those specific to LSP. */
interface ClientSettings {
	readonly session: Partial<Settings>;
	/** Settings that the client has removed. */
	readonly unset: readonly (keyof Settings)[];
	readonly mark: Mark | undefined;
	/** Messages for the user about invalid settings. */
	readonly problems: readonly string[];
}

/**
 * Reads the `segue` section of a client's settings. Skips unchanged values, because setting a value again can have an
 * effect, such as restarting a snooze. Settings that the client removes return to their configured values.
 */
export function settingsFromWire(
	section: Readonly<Record<string, unknown>>,
	before: Readonly<Record<string, unknown>>,
	session: Pick<NextEditSession, "isModel" | "settings">,
): ClientSettings {
	const endsSnooze = (key: string, value: unknown) => {
		return key === "snoozeMinutes" && value === 0 && session.settings.snoozeMinutes > 0;
	};
	const isNew = ([key, value]: [string, unknown]) => {
		return value != null && (JSON.stringify(value) !== JSON.stringify(before[key]) || endsSnooze(key, value));
	};
	const { model, mark, ...others } = Object.fromEntries(Object.entries(section).filter(isNew));
	const { settings, problems } = readSessionSettings(others);
	const wrong = [...problems];
	const isMark = MARKS.includes(mark as Mark);
	if (mark !== undefined && !isMark) wrong.push(`mark must be one of ${MARKS.join(", ")}.`);
	const isModel = session.isModel(model);
	if (model !== undefined && !isModel) wrong.push("model is not a configured model. To list them: segue models");
	const gone = Object.keys(before).filter((key) => before[key] != null && section[key] == null);
	const names = gone.map((key) => (key === "enabled" ? "isEnabled" : key));
	return {
		session: { ...settings, ...(isModel && { model }) },
		unset: names.filter((name): name is keyof Settings => Object.hasOwn(DEFAULT_SETTINGS, name)),
		mark: isMark ? (mark as Mark) : gone.includes("mark") ? "none" : undefined,
		problems: wrong.map((problem) => `segue.${problem}`),
	};
}

/** Returns the suggestion id from the arguments of a Segue command. */
export function suggestionIdFromWire(args: readonly unknown[] | null | undefined): string {
	return typeof args?.[0] === "string" ? args[0] : "";
}
