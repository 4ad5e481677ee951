import type { Proposal, Suggestion } from "@segue/predict";
import { drawPicture } from "@segue/story";
import type { Document } from "@segue/text";
import * as z from "zod";
import type { LoggedCandidate, RequestLogEntry } from "./request-log-entry.js";

// Of so many candidates the features are written down; the others are hopeless.
const EXPLAINED_MAX = 3;

const candidateRecord = z.object({
	predictor: z.string(),
	model: z.string().optional(),
	kind: z.string(),
	chance: z.number(),
	objection: z.string().optional(),
	/** Where it stands in the answer, from 0; without it, it is not in it. */
	offered: z.number().optional(),
	verdict: z.string().optional(),
	/** Those that are not 0. */
	features: z.record(z.string(), z.number()).optional(),
	/** Only with code: what it was concluded from, and what it does. */
	why: z.string().optional(),
	drawn: z.array(z.string()).optional(),
});
export type CandidateRecord = z.infer<typeof candidateRecord>;

/** A request as a log file has it. What is optional and holds a document's text or path is there only with code. */
export const requestRecord = z.object({
	at: z.string(),
	trigger: z.string().optional(),
	language: z.string(),
	latencyMs: z.number(),
	/** How many were considered; the likeliest of them are told. */
	count: z.number(),
	candidates: z.array(candidateRecord),
	silence: z.string().optional(),
	/** The model that had nothing to offer, in our own words. */
	model: z.object({ name: z.string(), failure: z.string().optional(), words: z.string() }).optional(),
	/** Only with code. */
	uri: z.string().optional(),
	detail: z.string().optional(),
});
export type RequestRecord = z.infer<typeof requestRecord>;

/** What is written down of a request: no word of a document and no path, unless it is to be with code. */
export function recordOf(entry: RequestLogEntry, withCode: boolean): RequestRecord {
	const { at, trigger, language, latencyMs, count, considered, offers, silence, model, document, detail } = entry;
	const isConsidered = (suggestion: Suggestion) => considered.some((one) => one.suggestion === suggestion);
	// What a model wrote for an earlier request is offered without being considered again.
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

// More than anybody reads, and than a chance depends on.
const DIGITS = 4;

/** Most are 0, and the file is written again and again. */
function featuresOf(features: LoggedCandidate["candidate"]["features"]): Record<string, number> {
	const said = [...features].filter(([, value]) => value !== 0);
	return Object.fromEntries(said.map(([name, value]) => [name, Number(value.toPrecision(DIGITS))]));
}

function standingOf(suggestion: Suggestion, { offers, outcomes: verdicts }: RequestLogEntry) {
	const offered = offers.findIndex((one) => one.suggestion === suggestion);
	return offered === -1 ? {} : { offered, verdict: verdicts.get(suggestion) };
}

// More lines than this of one edit say no more.
const DRAWN_MAX = 8;

/** What is proposed and where: the lines that an edit touches, or what else is to be done. */
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
			const all = rest > 0 ? [...shown, `… ${rest} more lines`] : shown;
			return all.length === 1 ? [`${place}  ${all[0]}`] : [place, ...all];
		}
		case "jump":
			return [`${path}:${text.lineAt(proposal.at) + 1}  jump to ${text.line(text.lineAt(proposal.at)).trim()}`];
		case "rename":
			return [`${path}  rename ${proposal.oldName} to ${proposal.newName}`];
		case "searchAndReplace":
			return [`${path}  replace ${proposal.search} by ${proposal.replace}`];
	}
}
