import type { SeenSuggestion, SeenVerdict } from "@segue/assist";
import type { ConsideredCandidate, ModelWithoutEdit, Suggestion, Trigger, Workspace } from "@segue/predict";
import type { Document } from "@segue/text";
import type { NoSuggestion } from "../next-edit/no-suggestion.js";
import type { ObservedResponse, OfferOutcome, RequestObservation } from "../next-edit/observer.js";

// What is further behind is hopeless, and a request may have a thousand.
const CONSIDERED_MAX = 8;

/** What was considered, with its reason in words: what could still be asked for them would keep a whole scene alive. */
export interface LoggedCandidate extends Omit<ConsideredCandidate, "candidate"> {
	readonly candidate: Omit<ConsideredCandidate["candidate"], "why">;
	readonly why: string;
}

/** What was seen of one request, as long as somebody may want to know. */
export class RequestLogEntry implements RequestObservation {
	/** The likeliest candidates, and every one that became a suggestion. Empty once condensed. */
	considered: readonly LoggedCandidate[] = [];
	/** The features of the suggestions of a condensed entry. */
	private features: ReadonlyMap<Suggestion, Readonly<Record<string, number>>> | undefined;
	/** How many were considered in all. */
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
		/** Which of the process's requests it is. */
		readonly number: number,
		readonly at: Date,
		/** Whose configuration says whether what becomes of its suggestions is kept. */
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
	 * Drops what only the log of recent requests shows: the candidates and the document, some 30 KB. A session keeps the
	 * entry for as long as a suggestion of it may get a verdict.
	 */
	condense(): void {
		this.features ??= new Map(this.offers.map(({ suggestion }) => [suggestion, this.featuresOf(suggestion)]));
		this.considered = [];
		this.languageId = this.document?.languageId;
		this.document = undefined;
	}

	/** What editors call the language; one word, whatever they say. */
	get language(): string {
		const said = this.document?.languageId ?? this.languageId ?? "";
		return LANGUAGE.test(said) ? said : "unknown";
	}

	/** The suggestions that the user has seen: the first of an answer, and of the others those that had a verdict of the user. */
	seen(): (Omit<SeenSuggestion, "id"> & { readonly rank: number })[] {
		return this.offers.flatMap(({ suggestion }, rank) => {
			const verdict = this.outcomes.get(suggestion);
			if (rank > 0 && (verdict === undefined || !BY_USER.has(verdict))) return [];
			const { predictor, source, kind, confidence: chance } = suggestion;
			const { language, trigger = "automatic", latencyMs } = this;
			const features = this.featuresOf(suggestion);
			const said = { predictor, model: source?.model, language, latencyMs, verdict };
			return [{ rank, at: this.at.toISOString(), ...said, kind, trigger, chance, features }];
		});
	}

	private featuresOf(suggestion: Suggestion): Readonly<Record<string, number>> {
		const condensed = this.features?.get(suggestion);
		if (condensed !== undefined) return condensed;
		const considered = this.considered.find((one) => one.suggestion === suggestion);
		return Object.fromEntries(considered?.candidate.features ?? []);
	}
}

// No language has a longer name, and none has signs that would do anything in a terminal.
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
 * The log file is written at least this often, which shows that its process still runs. Feedback that could not be stored is tried
 * again then, even without a request.
 */
export const RENEWAL_MS = 120_000;

/** Where the last requests are read by `segue why`. */
export interface RequestLogOutput {
	write(recent: readonly RequestLogEntry[]): Promise<void>;
	close(): Promise<void>;
}

/** What keeps what became of suggestions. */
export interface FeedbackStore {
	add(entries: readonly RequestLogEntry[]): Promise<void>;
	close(): Promise<void>;
}
