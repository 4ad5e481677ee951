import { readSessionSettings } from "@segue/agent/config/session-settings";
import { type DocumentUpdate, type NextEditRequest, NO_CONTEXT } from "@segue/agent/next-edit/request";
import type { NextEditSession } from "@segue/agent/next-edit/session";
import { DEFAULT_SETTINGS, type Settings } from "@segue/agent/next-edit/settings";
import { type Diagnostic, isCode, type Trigger, type Workspace } from "@segue/predict";
import * as lsp from "@segue/protocol/lsp";
import { type Document, languageOf, offsetOf, offsetsOf, readContentChanges, Text } from "@segue/text";

/** UTF-16 where the client knows it, as nearly all do and some plugins assume; else what the client prefers. */
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

/** Undefined for an opening that has no text. */
export function documentFromWire({ textDocument }: lsp.DidOpen): Document | undefined {
	const { uri, languageId, version, text } = textDocument;
	if (text === undefined || version === undefined) return undefined;
	return { uri, languageId: languageFromWire(languageId, uri), version, text: Text.of(text) };
}

/** Some clients have names of their own for a language, such as eglot's "js". Then the file's name decides. */
function languageFromWire(languageId: string, uri: string): string {
	if (isCode(languageId)) return languageId;
	const byName = languageOf(uri);
	return byName === "plaintext" ? languageId : byName;
}

/** `before` is the text that the session has. Undefined for a change that has no content. */
export function updateFromWire(
	{ textDocument: { uri, version }, contentChanges }: lsp.DidChange,
	before: Text,
	encoding: lsp.PositionEncoding,
): DocumentUpdate | undefined {
	if (contentChanges === undefined || version === undefined) return undefined;
	const isWhole = contentChanges.some(({ range }) => !range);
	return { uri, version, change: readContentChanges(before, contentChanges, encoding), isWhole };
}

/** A request of a client for suggestions, by whichever method. */
export interface SuggestionQuery {
	readonly uri: string;
	/** Of most methods, requests carry none. Then they are about the text that was told last. */
	readonly version?: number | null | undefined;
	readonly position: lsp.Position;
	readonly trigger: Trigger;
	/** The client does not say whether the user asked. */
	readonly isUnlabelled?: boolean;
	readonly diagnostics: readonly Diagnostic[];
	/** What the client can show besides edits. */
	readonly kinds?: ReadonlySet<"jump"> | undefined;
}

export function requestFromWire(
	asked: SuggestionQuery,
	session: Pick<NextEditSession, "held">,
	encoding: lsp.PositionEncoding,
): NextEditRequest {
	const { uri, position, trigger, isUnlabelled = false, diagnostics, kinds } = asked;
	const held = session.held(uri)?.document;
	const version = asked.version ?? held?.version ?? 0;
	// The session refuses a request about a text that it does not have.
	const cursor = offsetOf(held?.text ?? Text.empty, position, encoding);
	const context = { ...NO_CONTEXT, diagnostics };
	return { uri, version, cursor, anchor: cursor, trigger, isUnlabelled, context, ...(kinds && { kinds }) };
}

/** Clients that say nothing ask by themselves while the user types. */
export function triggerFromWire(kind: number | null | undefined): Trigger {
	return kind === lsp.TriggerKind.invoked ? "manual" : "automatic";
}

const SEVERITIES: readonly Diagnostic["severity"][] = ["error", "warning", "info", "hint"];

/** What Segue itself marked is no problem of the user's code. */
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

/** How the place of the next edit is marked in the text, for clients that show no suggestions. */
export type Mark = "none" | "hint" | "diagnostic";

const MARKS: readonly Mark[] = ["none", "hint", "diagnostic"];

/** The settings of a client: those of the session, and those that only LSP has. */
interface ClientSettings {
	readonly session: Partial<Settings>;
	/** Those that it no longer says anything of. */
	readonly unset: readonly (keyof Settings)[];
	readonly mark: Mark | undefined;
	/** For the user: what is wrong with them. */
	readonly problems: readonly string[];
}

/**
 * Reads the `segue` section of a client's settings. What it said before is left out, because setting some values again means
 * something: a snooze begins anew. What it no longer says goes back to the configuration.
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
	if (model !== undefined && !isModel)
		wrong.push("model is not a model that is configured. To list them: segue models");
	const gone = Object.keys(before).filter((key) => before[key] != null && section[key] == null);
	const names = gone.map((key) => (key === "enabled" ? "isEnabled" : key));
	return {
		session: { ...settings, ...(isModel && { model }) },
		unset: names.filter((name): name is keyof Settings => Object.hasOwn(DEFAULT_SETTINGS, name)),
		mark: isMark ? (mark as Mark) : gone.includes("mark") ? "none" : undefined,
		problems: wrong.map((problem) => `segue.${problem}`),
	};
}

/** The id of the suggestion that a command of ours is about. */
export function suggestionIdFromWire(args: readonly unknown[] | null | undefined): string {
	return typeof args?.[0] === "string" ? args[0] : "";
}
