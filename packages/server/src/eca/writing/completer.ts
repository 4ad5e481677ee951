import path from "node:path";
import { pathToFileURL } from "node:url";
import { type QuietReason, quietReason } from "@segue/agent/next-edit/quiet";
import type { Settings } from "@segue/agent/next-edit/settings";
import { ModelFailure } from "@segue/models";
import {
	type Completion,
	complete,
	History,
	Memory,
	type NoCompletionReason,
	type Scene,
	sceneOf,
} from "@segue/predict";
import type * as eca from "@segue/protocol/eca";
import { ErrorCode, RpcError } from "@segue/rpc";
import {
	addsMask,
	type Clock,
	type Document,
	isKeyFile,
	isSecretUri,
	languageOf,
	maskKeysIn,
	offsetOf,
	positionAt,
	readContentChanges,
	Text,
	uriKey,
} from "@segue/text";
import type { EcaEngine } from "../backend.js";
import type { EcaSession } from "../eca-session.js";
import { fileReachOf } from "../file-access.js";
import { withoutFence } from "./code-fences.js";
import { completePrompt, ModelTimeout, type WritingPrompt } from "./model-request.js";

// At this confidence or above, our own completion is right 5 times out of 6. That is as good as a model, and instant.
const SURE = 0.65;

// Editors send the full document with each request. The limits allow more documents than users edit at a time, and as
// much text as can be searched between two keystrokes.
const DOCUMENTS_MAX = 10;
const CHARACTERS_MAX = 2_000_000;

/** Completes text at the cursor, based on other lines in recent documents and, if configured, with a model. */
export class Completer {
	/** Recent documents by `uriKey`, latest last. */
	private readonly documents = new Map<string, Document>();
	private latest = new AbortController();
	/** The settings for the last request's folder. */
	private configured: { readonly folder: string; readonly settings: Promise<Omit<Settings, "model">> } | undefined;

	constructor(
		private readonly session: EcaSession,
		private readonly clock: Clock,
		/** The time when the editor connected, which is when a configured snooze starts. */
		private readonly startedAtMs: number,
	) {}

	/** Completes text at the cursor. Cancels the previous request, because there is only one cursor. */
	async complete(params: eca.CompletionInline, signal: AbortSignal): Promise<Completed> {
		this.latest.abort(new Superseded());
		const own = new AbortController();
		this.latest = own;
		const uri = this.uriOf(params.path);
		if (isSecretUri(uri) || isKeyFile(params.docText)) return nothing("secret-file");
		const document = this.opened(uri, params);
		const { line, character } = params.position;
		const place = { line: Math.max(line - 1, 0), character: Math.max(character - 1, 0) };
		const cursor = offsetOf(document.text, place, "utf-16");
		const quiet = await this.quietReason(document, cursor);
		if (own.signal.aborted) return nothing("superseded");
		if (quiet !== undefined) return nothing(quiet);
		const found = complete(this.sceneAt(document, cursor), Memory.empty);
		const write = (text: string) => written(text, document, cursor, params.docVersion);
		if (!("silence" in found) && found.confidence >= SURE) return write(found.insert);
		try {
			const text = await this.ask(document, cursor, params.path, found, AbortSignal.any([signal, own.signal]));
			return typeof text === "string" ? write(text) : text;
		} catch (error) {
			if (error instanceof Superseded) return nothing("superseded");
			if (!(error instanceof ModelFailure || error instanceof ModelTimeout)) throw error;
			if (!("silence" in found)) return write(found.insert);
			throw new RpcError(ErrorCode.internal, error.message);
		}
	}

	/**
	 * Returns why the settings suppress a completion, if they do. ECA does not report manual requests or outcomes, so
	 * `onlyWhenAsked` would turn completions off completely, and `giveUpAfterIgnored` has nothing to count. Editors apply
	 * their own delay.
	 */
	private async quietReason(document: Document, cursor: number): Promise<QuietReason | "disabled" | undefined> {
		const { folders, backend } = this.session;
		const [folder] = folders;
		if (this.configured?.folder !== folder) {
			this.configured = { folder, settings: backend.suggestionSettings(folder) };
		}
		const settings = await this.configured.settings;
		if (!settings.isEnabled) return "disabled";
		const tops = folders.map((one) => ({ uri: pathToFileURL(one).href, name: path.basename(one) }));
		const workspace = { uri: undefined, folders: tops, repository: undefined };
		const isSnoozed = this.clock.now() < this.startedAtMs + settings.snoozeMinutes * MINUTE_MS;
		return quietReason(
			{ document, cursor, workspace, trigger: "automatic" },
			{ ...settings, onlyWhenAsked: false, giveUpAfterIgnored: 0 },
			{ isSnoozed, ignoredInARow: 0 },
		);
	}

	/** Returns the model's completion, our own, or the reason why there is none. */
	private async ask(
		document: Document,
		cursor: number,
		file: string | null | undefined,
		found: Completion | { readonly silence: NoCompletionReason },
		signal: AbortSignal,
	): Promise<string | Completed> {
		const own = "silence" in found ? nothing(found.silence) : found.insert;
		if ("silence" in found && UNREAD.has(found.silence)) return own;
		const engine = await this.engine();
		if (engine?.writers.completion === undefined) return own;
		if (file != null && (await fileReachOf(engine.workspaceOf(this.session.folders), file)) !== "anywhere") return own;
		const model = engine.models.choose(engine.writers.completion);
		if ("why" in model) {
			if (typeof own === "string") return own;
			throw new RpcError(ErrorCode.internal, model.why);
		}
		signal.throwIfAborted();
		const shown = { ...document, text: maskKeysIn(document.text) };
		const answer = await completePrompt(model, insertionPrompt(shown, cursor), this.clock, signal);
		const insertion = insertionIn(answer, shown, cursor);
		if (insertion !== undefined && !addsMask("", insertion)) return insertion;
		return typeof own === "string" ? own : nothing("model-has-nothing");
	}

	/** Returns undefined if the configuration is invalid. Chat reports that; completions work without a model. */
	private async engine(): Promise<EcaEngine | undefined> {
		try {
			return await this.session.engine();
		} catch (error) {
			if (error instanceof RpcError) return undefined;
			throw error;
		}
	}

	private uriOf(file: string | null | undefined): string {
		if (file == null) return UNNAMED;
		return file.startsWith("file:") ? file : pathToFileURL(path.resolve(this.session.folders[0], file)).href;
	}

	/** Returns the current document. Shares unchanged text with its previous version. */
	private opened(uri: string, { docText, docVersion, path: file }: eca.CompletionInline): Document {
		const key = uriKey(uri);
		const before = this.documents.get(key)?.text ?? Text.empty;
		const text = readContentChanges(before, [{ text: docText }], "utf-16").apply(before);
		const document = { uri, languageId: languageOf(file ?? ""), version: docVersion ?? 0, text };
		this.documents.delete(key);
		this.documents.set(key, document);
		let characters = 0;
		for (const [rank, [one, { text }]] of [...this.documents].toReversed().entries()) {
			characters += text.length;
			if (rank > 0 && (rank >= DOCUMENTS_MAX || characters > CHARACTERS_MAX)) this.documents.delete(one);
		}
		return document;
	}

	private sceneAt(document: Document, cursor: number): Scene {
		const neighbours = [...this.documents.values()].toReversed().filter((one) => one !== document);
		return { ...sceneOf(document, History.empty, cursor), neighbours };
	}
}

interface Completed {
	readonly items: eca.Insertion[];
	/** Why there is no item. */
	readonly reason?: string;
}

const MINUTE_MS = 60_000;

const UNNAMED = "untitled:document";

/** The abort reason for a request that a newer request has replaced. */
class Superseded extends Error {}

/** Reasons that apply to files that are not written by hand. Such files are not sent to a model. */
const UNREAD: ReadonlySet<NoCompletionReason> = new Set(["binary-file", "minified-file", "too-large-file"] as const);

/**
 * Returns an empty result instead of an error. Editors send a request at every pause and would show each error to the
 * user.
 */
function nothing(reason: string): Completed {
	return { items: [], reason };
}

function written(text: string, document: Document, cursor: number, docVersion: number | null | undefined): Completed {
	const { line, character } = positionAt(document.text, cursor, "utf-16");
	const place = { line: line + 1, character: character + 1 };
	return { items: [{ text, docVersion, range: { start: place, end: place } }] };
}

// Limits for the text around the cursor that is sent to a model: enough to show the file's style, but short enough for
// a quick response.
const BEFORE_MAX = 12_000;
const AFTER_MAX = 4_000;
// Users don't review longer completions.
const LINES_MAX = 20;
const INSERTION_CHARACTERS_MAX = 4_000;

const SYSTEM = `You complete text at a cursor in an editor.
You are shown a part of a file, with the cursor marked.
Answer with exactly the text to insert at the cursor and nothing else: no explanation, no code fence, and none of the text
that is already before or after the cursor. Match the file's style and indentation. Write only what certainly comes next:
the rest of the line, or a few lines, at most ${LINES_MAX}. If nothing should be inserted, answer with nothing.`;

/** Returns a prompt for the text to insert at the cursor. */
function insertionPrompt({ text, languageId }: Document, cursor: number): WritingPrompt {
	const from = text.lineStart(text.lineAt(Math.max(cursor - BEFORE_MAX, 0)));
	const to = text.lineEnd(text.lineAt(Math.min(cursor + AFTER_MAX, text.length)));
	const before = text.slice(Math.max(from, cursor - 2 * BEFORE_MAX), cursor);
	const after = text.slice(cursor, Math.min(to, cursor + 2 * AFTER_MAX));
	const mark = markFor(before + after);
	return {
		system: SYSTEM,
		text: `The cursor is at ${mark} in this ${languageId} text:\n\n${before}${mark}${after}`,
		isEnough: (answer) =>
			answer.length > INSERTION_CHARACTERS_MAX || answer.split("\n", LINES_MAX + 3).length > LINES_MAX + 2,
	};
}

/** Returns a mark that does not occur in the text. */
function markFor(text: string): string {
	let mark = MARK;
	while (text.includes(mark)) mark = `<${mark}>`;
	return mark;
}

const MARK = "<CURSOR>";

/**
 * Extracts the text to insert from an answer, or returns undefined. Removes surrounding text, which models repeat
 * despite the prompt.
 */
export function insertionIn(answer: string, { text }: Document, cursor: number): string | undefined {
	const line = text.lineAt(cursor);
	const before = text.slice(text.lineStart(line), cursor).trimStart();
	const after = text.slice(cursor, text.lineEnd(line)).trimEnd();
	let insertion = withoutFence(answer)
		.replaceAll("\r\n", "\n")
		.replace(/<*<CURSOR>>*/g, "");
	if (before !== "" && insertion.trimStart().startsWith(before)) insertion = insertion.trimStart().slice(before.length);
	insertion = insertion.split("\n").slice(0, LINES_MAX).join("\n").trimEnd();
	if (after !== "" && insertion.endsWith(after)) insertion = insertion.slice(0, -after.length);
	if (insertion.trim() === "") return undefined;
	const isCrlf = text.lineCount > 1 && text.slice(text.lineEnd(0), text.lineStart(1)) === "\r\n";
	return isCrlf ? insertion.replaceAll("\n", "\r\n") : insertion;
}
