import type { Proposal, Suggestion } from "@segue/predict";
import { drawPicture } from "@segue/story";
import type { Document } from "@segue/text";
import * as z from "zod";
import type { LoggedCandidate, RequestLogEntry } from "./request-log-entry.js";

// Features are recorded for at most this many candidates. The others have no chance of being shown.
const EXPLAINED_MAX = 3;

const candidateRecord = z.object({
	predictor: z.string(),
	model: z.string().optional(),
	kind: z.string(),
	chance: z.number(),
	objection: z.string().optional(),
	/** The 0-based position in the response; absent if it was not offered. */
	offered: z.number().optional(),
	verdict: z.string().optional(),
	/** Features other than 0. */
	features: z.record(z.string(), z.number()).optional(),
	/** The explanation, and a drawing of the edit. Present only with code. */
	why: z.string().optional(),
	drawn: z.array(z.string()).optional(),
});
export type CandidateRecord = z.infer<typeof candidateRecord>;

/** A request in a log file. Fields with text or paths of documents are present only with code. */
export const requestRecord = z.object({
	at: z.string(),
	trigger: z.string().optional(),
	language: z.string(),
	latencyMs: z.number(),
	/** The total number of candidates, of which the most likely are recorded. */
	count: z.number(),
	candidates: z.array(candidateRecord),
	silence: z.string().optional(),
	/** The model that had no edit, without messages from its server. */
	model: z.object({ name: z.string(), failure: z.string().optional(), words: z.string() }).optional(),
	/** Present only with code. */
	uri: z.string().optional(),
	detail: z.string().optional(),
});
export type RequestRecord = z.infer<typeof requestRecord>;

/** Converts an entry to a record. Without `withCode`, the record contains no text or path of a document. */
export function recordOf(entry: RequestLogEntry, withCode: boolean): RequestRecord {
	const { at, trigger, language, latencyMs, count, considered, offers, silence, model, document, detail } = entry;
	const isConsidered = (suggestion: Suggestion) => considered.some((one) => one.suggestion === suggestion);
	// A model's cached edit is offered without being considered again.
	const others = offers.filter(({ suggestion }) => !isConsidered(suggestion));
	return {
		at: at.toISOString(),
		trigger,
		language,
		latencyMs,
		count: count + others.length,
		candidates: [
			...others.map(({ suggestion }) => offeredRecord(suggestion, entry)),
			...considered.map((one, rank) => consideredRecord(one, rank, entry, withCode)),
		],
		silence,
		model,
		...(withCode && { uri: document?.uri, detail }),
	};
}

function offeredRecord(suggestion: Suggestion, entry: RequestLogEntry): CandidateRecord {
	const { predictor, source, kind, confidence } = suggestion;
	return { predictor, model: source?.model, kind, chance: confidence, ...standingOf(suggestion, entry) };
}

function consideredRecord(
	{ candidate, document, confidence, objection, suggestion, why }: LoggedCandidate,
	rank: number,
	entry: RequestLogEntry,
	withCode: boolean,
): CandidateRecord {
	const { predictor, modelEdits: written, proposal, features } = candidate;
	return {
		...{ predictor, model: written?.source.model, kind: proposal.kind, chance: confidence, objection },
		...(suggestion && standingOf(suggestion, entry)),
		...(rank < EXPLAINED_MAX && { features: featuresOf(features) }),
		...(withCode && { why, drawn: drawProposal(proposal, document, proposal.uri) }),
	};
}

// Precise enough to read, and to compute the `chance` from.
const DIGITS = 4;

/** Omits zeros, because most features are 0 and the file is written often. */
function featuresOf(features: LoggedCandidate["candidate"]["features"]): Record<string, number> {
	const nonzero = [...features].filter(([, value]) => value !== 0);
	return Object.fromEntries(nonzero.map(([name, value]) => [name, Number(value.toPrecision(DIGITS))]));
}

function standingOf(suggestion: Suggestion, { offers, outcomes: verdicts }: RequestLogEntry) {
	const offered = offers.findIndex((one) => one.suggestion === suggestion);
	return offered === -1 ? {} : { offered, verdict: verdicts.get(suggestion) };
}

// Showing more lines of one edit doesn't help the reader.
const DRAWN_MAX = 8;

/** Draws a proposal: an edit as its location and the lines that it touches, any other action as a description. */
export function drawProposal(proposal: Proposal, { text }: Document, path: string): string[] {
	switch (proposal.kind) {
		case "edit": {
			const first = text.lineAt(Math.min(...proposal.edits.map(({ from }) => from)));
			const from = text.lineStart(first);
			const to = text.lineEnd(text.lineAt(Math.max(...proposal.edits.map((edit) => edit.to))));
			const edits = proposal.edits.map((edit) => ({ ...edit, from: edit.from - from, to: edit.to - from }));
			const picture = { before: text.slice(from, to), edits, selection: undefined, diagnostics: [] };
			const lines = drawPicture(picture).split("\n");
			const left = Math.min(
				...lines.filter((line) => line.trim() !== "").map((line) => /^[⇥ ]*/u.exec(line)?.[0].length ?? 0),
			);
			const shown = lines.slice(0, DRAWN_MAX).map((line) => line.slice(left));
			const rest = lines.length - shown.length;
			const place = `${path}:${first + 1}`;
			const all = rest > 0 ? [...shown, `… ${rest} more ${rest === 1 ? "line" : "lines"}`] : shown;
			return all.length === 1 ? [`${place}  ${all[0]}`] : [place, ...all];
		}
		case "jump":
			return [`${path}:${text.lineAt(proposal.at) + 1}  jump to ${text.line(text.lineAt(proposal.at)).trim()}`];
		case "rename":
			return [`${path}  rename ${proposal.oldName} to ${proposal.newName}`];
		case "searchAndReplace":
			return [`${path}  replace ${proposal.search} with ${proposal.replace}`];
	}
}
