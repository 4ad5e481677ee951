import { BLANK, type Draft, draftAt, SUMMARY } from "@segue/agent/documentation/draft";
import { installedGrammars } from "@segue/agent/node/grammar-files";
import { Parsers } from "@segue/agent/outline/parser";
import { type ChatModel, ModelFailure } from "@segue/models";
import type * as eca from "@segue/protocol/eca";
import { RpcError } from "@segue/rpc";
import { type Clock, languageOf, maskKeys, offsetOf, positionAt, Text } from "@segue/text";
import type { EcaEngine } from "../backend.js";
import type { EcaSession } from "../eca-session.js";
import { type FileReach, fileReachOf, invalidParams, pathFromEditor, textAt } from "../file-access.js";
import { completePrompt, ModelTimeout } from "./model-request.js";

// The beginning of a declaration is enough for a comment.
const DECLARATION_CHARACTERS_MAX = 20_000;
// Users don't read longer descriptions.
const DESCRIPTION_CHARACTERS_MAX = 500;
const ANSWER_CHARACTERS_MAX = 40_000;

const SYSTEM = `You write documentation comments.
You are shown a declaration and a list of keys. Answer with one JSON object that has exactly these keys. Each value is a
string: a short, plain sentence in the present tense with what callers need to know and cannot see in the code at a glance.
No types, no tag names, no line breaks. "${SUMMARY}" describes what the declaration is or does, "returns" what it returns,
"error" when it fails, "throws X" when X is thrown. Answer with the object only.`;

/** Generates documentation comments from drafts, with descriptions from a model if one is configured. */
export class Documenter {
	private readonly parsers = new Parsers(installedGrammars);

	constructor(
		private readonly session: EcaSession,
		private readonly clock: Clock,
	) {}

	/** Generates a comment. Throws an RpcError if there is nothing to document. */
	async write(params: eca.GenerateDocumentation, signal: AbortSignal): Promise<Documented> {
		const { session, clock } = this;
		const { text, reach, engine } = await documentOf(session, params, signal);
		const { line, character } = params.position;
		const place = { line: Math.max(line - 1, 0), character: Math.max(character - 1, 0) };
		const offset = offsetOf(text, place, "utf-16");
		const draft = await draftAt(this.parsers, languageOf(params.path), text.toString(), offset);
		if ("why" in draft) {
			if (draft.isDone) return { items: [], reason: draft.why };
			throw invalidParams(draft.why);
		}
		const filled = await fillDraft(engine, reach, session, draft, clock, signal);
		const start = positionOf(text, draft.from);
		const range = { start, end: draft.to === draft.from ? start : positionOf(text, draft.to) };
		const item = { text: draft.write(filled.descriptions), docVersion: params.docVersion, range };
		return { items: [item], ...(filled.reason !== undefined && { reason: filled.reason }) };
	}
}

interface Documented {
	readonly items: eca.Insertion[];
	/** Why there is no comment, or why it has no descriptions. */
	readonly reason?: string;
}

interface DocumentSource {
	readonly text: Text;
	readonly reach: FileReach;
	readonly engine: EcaEngine | undefined;
}

/** Returns the document with the text sent by the editor or, if there is none, with the text on disk. */
async function documentOf(
	session: EcaSession,
	params: eca.GenerateDocumentation,
	signal: AbortSignal,
): Promise<DocumentSource> {
	const { docText } = params;
	const path = pathFromEditor(params.path);
	if (path === undefined) throw invalidParams("The file is on another machine.");
	const engine = await engineFor(session, docText != null);
	if (engine === undefined) return { engine, reach: "here", text: Text.of(docText ?? "") };
	const workspace = engine.workspaceOf(session.folders);
	const reach = await fileReachOf(workspace, path);
	if (reach === "nowhere")
		throw invalidParams("This file may contain secrets, so Segue does not generate comments for it.");
	return { engine, reach, text: Text.of(docText ?? (await textAt(workspace, path, signal))) };
}

/**
 * Returns undefined if the configuration is invalid and the text is known, because a draft needs no engine and chat
 * reports the error.
 */
async function engineFor(session: EcaSession, hasText: boolean): Promise<EcaEngine | undefined> {
	try {
		return await session.engine();
	} catch (error) {
		if (error instanceof RpcError && hasText) return undefined;
		throw error;
	}
}

function positionOf(text: Text, offset: number) {
	const { line, character } = positionAt(text, offset, "utf-16");
	return { line: line + 1, character: character + 1 };
}

interface FilledDraft {
	readonly descriptions: ReadonlyMap<string, string>;
	readonly reason?: string;
}

/**
 * Asks a model for the descriptions missing from a draft. Returns none if no model may be used or its answer is not
 * usable.
 */
async function fillDraft(
	engine: EcaEngine | undefined,
	reach: FileReach,
	session: EcaSession,
	draft: Draft,
	clock: Clock,
	signal: AbortSignal,
): Promise<FilledDraft> {
	const none: ReadonlyMap<string, string> = new Map();
	const model = reach === "anywhere" && engine !== undefined ? modelOf(engine, session) : undefined;
	if (model === undefined) return { descriptions: none };
	const text = `${maskKeys(draft.declaration).slice(0, DECLARATION_CHARACTERS_MAX)}\n\nThe keys are ${JSON.stringify(draft.blanks)}.`;
	const prompt = {
		system: SYSTEM,
		text,
		isEnough: (answer: string) => answer.length > ANSWER_CHARACTERS_MAX,
	};
	try {
		const descriptions = readComments(await completePrompt(model, prompt, clock, signal), draft.blanks);
		if (descriptions.size > 0) return { descriptions };
		return { descriptions, reason: `${model.name} returned no usable descriptions.` };
	} catch (error) {
		if (!(error instanceof ModelFailure || error instanceof ModelTimeout)) throw error;
		return { descriptions: none, reason: error.message };
	}
}

/** Returns the default model or, if there is none, the model for completions. */
function modelOf({ models, writers }: EcaEngine, { chosen }: EcaSession): ChatModel | undefined {
	const preferred = models.choose(chosen?.model);
	if (!("why" in preferred)) return preferred;
	const fallback = writers.completion === undefined ? preferred : models.choose(writers.completion);
	return "why" in fallback ? undefined : fallback;
}

/** Reads the missing descriptions from an answer and puts each on one line. */
export function readComments(answer: string, blanks: readonly string[]): ReadonlyMap<string, string> {
	const descriptions = new Map<string, string>();
	let values: unknown;
	try {
		values = JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1));
	} catch {
		return descriptions;
	}
	for (const blank of blanks) {
		const value = (values as Record<string, unknown> | null)?.[blank];
		const line = typeof value === "string" ? value.replace(/[\s\p{Cc}]+/gu, " ").trim() : "";
		if (line !== "" && line !== BLANK && line.length <= DESCRIPTION_CHARACTERS_MAX) descriptions.set(blank, line);
	}
	return descriptions;
}
