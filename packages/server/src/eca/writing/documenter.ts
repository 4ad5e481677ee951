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

// What a model is shown of a declaration. What a comment has to say is told by its beginning.
const DECLARATION_CHARACTERS_MAX = 20_000;
// A comment that says more of one thing is not read.
const SAID_CHARACTERS_MAX = 500;
const ANSWER_CHARACTERS_MAX = 40_000;

const SYSTEM = `You write documentation comments.
You are shown a declaration and the names of what is to be said of it. Answer with one JSON object that has exactly these names as
its keys, and for each a string: a short, plain sentence in the present tense that tells what a caller has to know and the code
does not say at a glance. No types, no names of tags, no line ends. "${SUMMARY}" says what it is or does, "returns" what it gives
back, "error" when it fails, "throws X" when X is thrown. Answer with the object alone.`;

/** Writes comments: drafts, in which a model says what there is to say, where one is configured. */
export class Documenter {
	private readonly parsers = new Parsers(installedGrammars);

	constructor(
		private readonly session: EcaSession,
		private readonly clock: Clock,
	) {}

	/** Throws an RpcError for what cannot have a comment. */
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
		const filled = await saidBy(engine, reach, session, draft, clock, signal);
		const start = positionOf(text, draft.from);
		const range = { start, end: draft.to === draft.from ? start : positionOf(text, draft.to) };
		const item = { text: draft.write(filled.said), docVersion: params.docVersion, range };
		return { items: [item], ...(filled.reason !== undefined && { reason: filled.reason }) };
	}
}

interface Documented {
	readonly items: eca.Insertion[];
	/** Why there is none, or why nothing is filled in. */
	readonly reason?: string;
}

interface DocumentSource {
	readonly text: Text;
	readonly reach: FileReach;
	readonly engine: EcaEngine | undefined;
}

/** The document as the editor has it or, where it does not say, as it lies on disk. */
async function documentOf(
	session: EcaSession,
	params: eca.GenerateDocumentation,
	signal: AbortSignal,
): Promise<DocumentSource> {
	const { docText } = params;
	const path = pathFromEditor(params.path);
	if (path === undefined) throw invalidParams("It is a file of another machine.");
	const engine = await engineFor(session, docText != null);
	if (engine === undefined) return { engine, reach: "here", text: Text.of(docText ?? "") };
	const workspace = engine.workspaceOf(session.folders);
	const reach = await fileReachOf(workspace, path);
	if (reach === "nowhere") throw invalidParams("The file holds secrets by its name, and no comment is written in it.");
	return { engine, reach, text: Text.of(docText ?? (await textAt(workspace, path, signal))) };
}

/** A draft of a text that is there needs no engine; one that is configured wrongly is told of in chat. */
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
	readonly said: ReadonlyMap<string, string>;
	readonly reason?: string;
}

/** What a model says of the blanks of a draft: nothing, where none may be asked or it answers with something else. */
async function saidBy(
	engine: EcaEngine | undefined,
	reach: FileReach,
	session: EcaSession,
	draft: Draft,
	clock: Clock,
	signal: AbortSignal,
): Promise<FilledDraft> {
	const none: ReadonlyMap<string, string> = new Map();
	const model = reach === "anywhere" && engine !== undefined ? modelOf(engine, session) : undefined;
	if (model === undefined) return { said: none };
	const text = `${maskKeys(draft.declaration).slice(0, DECLARATION_CHARACTERS_MAX)}\n\nThe keys are ${JSON.stringify(draft.blanks)}.`;
	const question = {
		system: SYSTEM,
		text,
		isEnough: (said: string) => said.length > ANSWER_CHARACTERS_MAX,
	};
	try {
		const said = readComments(await completePrompt(model, question, clock, signal), draft.blanks);
		return said.size > 0 ? { said } : { said, reason: `${model.name} said nothing that fits.` };
	} catch (error) {
		if (!(error instanceof ModelFailure || error instanceof ModelTimeout)) throw error;
		return { said: none, reason: error.message };
	}
}

/** The usual one or, where there is none, the one that completes. */
function modelOf({ models, writers }: EcaEngine, { chosen }: EcaSession): ChatModel | undefined {
	const usual = models.choose(chosen?.model);
	if (!("why" in usual)) return usual;
	const other = writers.completion === undefined ? usual : models.choose(writers.completion);
	return "why" in other ? undefined : other;
}

/** What an answer says of blanks, each on one line. */
export function readComments(answer: string, blanks: readonly string[]): ReadonlyMap<string, string> {
	const said = new Map<string, string>();
	let values: unknown;
	try {
		values = JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1));
	} catch {
		return said;
	}
	for (const blank of blanks) {
		const value = (values as Record<string, unknown> | null)?.[blank];
		const line = typeof value === "string" ? value.replace(/[\s\p{Cc}]+/gu, " ").trim() : "";
		if (line !== "" && line !== BLANK && line.length <= SAID_CHARACTERS_MAX) said.set(blank, line);
	}
	return said;
}
