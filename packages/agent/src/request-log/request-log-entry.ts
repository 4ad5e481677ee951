import type { SeenSuggestion, SeenVerdict } from "@segue/assist";
import type { ConsideredCandidate, ModelWithoutEdit, Suggestion, Trigger, Workspace } from "@segue/predict";
import type { Document } from "@segue/text";
import type { NoSuggestion } from "../next-edit/no-suggestion.js";
import type { ObservedResponse, OfferOutcome, RequestObservation } from "../next-edit/observer.js";

// Less likely candidates have no chance of being shown, and a request may have a thousand.
const CONSIDERED_MAX = 8;

/**
 * A candidate with its explanation as a string. Storing the function that creates the explanation would retain the
 * whole scene.
 */
export interface LoggedCandidate extends Omit<ConsideredCandidate, "candidate"> {
	readonly candidate: Omit<ConsideredCandidate["candidate"], "why">;
	readonly why: string;
}

/** The record of one request. */
export class RequestLogEntry implements RequestObservation {
	/** The most likely candidates, and all candidates that became suggestions. Empty once the entry is condensed. */
	considered: readonly LoggedCandidate[] = [];
	/** The features of the suggestions, once the entry is condensed. */
	private features: ReadonlyMap<Suggestion, Readonly<Record<string, number>>> | undefined;
	/** The total number of candidates. */
	count = 0;
	latencyMs = 0;
	document: Document | undefined;
	private languageId: string | undefined;
	trigger: Trigger | undefined;
	offers: ObservedResponse["offers"] = [];
	silence: NoSuggestion | undefined;
	detail: string | undefined;
	model: ModelWithoutEdit | undefined;
	readonly outcomes = new Map<Suggestion, SeenVerdict>();

	constructor(
		/** The number of the request in this process. */
		readonly number: number,
		readonly at: Date,
		/** Its configuration determines whether outcomes are stored. */
		readonly workspace: Workspace,
		private readonly elapsedMs: () => number,
		private readonly changed: (entry: RequestLogEntry) => void,
	) {}

	readonly watch = (considered: readonly ConsideredCandidate[]): void => {
		this.count = considered.length;
		this.considered = considered
			.filter(({ suggestion }, rank) => rank < CONSIDERED_MAX || suggestion !== undefined)
			.map(loggedCandidate);
	};

	recordResponse({ scene, offers, silence, detail, model }: ObservedResponse): void {
		this.latencyMs = this.elapsedMs();
		this.document = scene?.document;
		this.trigger = scene?.trigger;
		this.offers = offers;
		this.silence = silence;
		this.detail = detail;
		this.model = model;
		this.changed(this);
	}

	recordOutcome(suggestion: Suggestion, verdict: OfferOutcome): void {
		this.outcomes.set(suggestion, wordFor(verdict));
		this.changed(this);
	}

	/**
	 * Drops the candidates and the document (about 30 KB), which are needed only for the log of recent requests. A
	 * session keeps the entry while its suggestions may still get feedback.
	 */
	condense(): void {
		this.features ??= new Map(this.offers.map(({ suggestion }) => [suggestion, this.featuresOf(suggestion)]));
		this.considered = [];
		this.languageId = this.document?.languageId;
		this.document = undefined;
	}

	/** The editor's language id, or "unknown" if it is not a single word. */
	get language(): string {
		const id = this.document?.languageId ?? this.languageId ?? "";
		return LANGUAGE.test(id) ? id : "unknown";
	}

	/**
	 * The suggestions that the user has seen: the first in the response, and others on which the user gave feedback.
	 */
	seen(): (Omit<SeenSuggestion, "id"> & { readonly rank: number })[] {
		return this.offers.flatMap(({ suggestion }, rank) => {
			const verdict = this.outcomes.get(suggestion);
			if (rank > 0 && (verdict === undefined || !BY_USER.has(verdict))) return [];
			const { predictor, source, kind, confidence: chance } = suggestion;
			const { language, trigger = "automatic", latencyMs } = this;
			const features = this.featuresOf(suggestion);
			const common = { predictor, model: source?.model, language, latencyMs, verdict };
			return [{ rank, at: this.at.toISOString(), ...common, kind, trigger, chance, features }];
		});
	}

	private featuresOf(suggestion: Suggestion): Readonly<Record<string, number>> {
		const condensed = this.features?.get(suggestion);
		if (condensed !== undefined) return condensed;
		const considered = this.considered.find((one) => one.suggestion === suggestion);
		return Object.fromEntries(considered?.candidate.features ?? []);
	}
}

// Allows longer strings than any language id, but no control characters for terminals.
const LANGUAGE = /^[\w.+#-]{1,40}$/;

const BY_USER: ReadonlySet<SeenVerdict> = new Set(["accepted", "partly", "typed", "rejected", "ignored"]);

function loggedCandidate({ candidate: { why: explain, ...candidate }, ...one }: ConsideredCandidate): LoggedCandidate {
	return { ...one, candidate, why: one.suggestion?.why ?? explain([]) };
}

function wordFor(verdict: OfferOutcome): SeenVerdict {
	if (verdict.kind === "rejected") return verdict.reason ?? "gone";
	return verdict.isPartial ? "partly" : verdict.isTyped ? "typed" : "accepted";
}

/**
 * The log file is written at least this often to show that its process is still running. Failed attempts to store
 * feedback are retried at the same time, even without a request.
 */
export const RENEWAL_MS = 120_000;

/** The last requests, which `segue why` reads. */
export interface RequestLogOutput {
	write(recent: readonly RequestLogEntry[]): Promise<void>;
	close(): Promise<void>;
}

/** Stores the outcomes of suggestions. */
export interface FeedbackStore {
	add(entries: readonly RequestLogEntry[]): Promise<void>;
	close(): Promise<void>;
}
