import type {
	DismissalReason,
	ModelWithoutEdit,
	PredictionObserver,
	Scene,
	Suggestion,
	Workspace,
} from "@segue/predict";
import type { Document } from "@segue/text";
import type { NoSuggestion } from "./no-suggestion.js";

/** Sees what is asked of sessions, what they answer, and what becomes of it. It never throws, and takes next to no time. */
export interface RequestObserver {
	/** A request has come from a session of this workspace, and its observation begins. */
	begin(workspace: Workspace): RequestObservation;
}

/** What is seen of one request. One that is cancelled is never answered. */
export interface RequestObservation {
	/** For the engine: what it tells last is what it decided by. */
	readonly watch: PredictionObserver;
	recordResponse(answer: ObservedResponse): void;
	/** What became of a suggestion, where the client says so. */
	recordOutcome(suggestion: Suggestion, verdict: OfferOutcome): void;
}

export interface ObservedResponse {
	/** Undefined where there was an obstacle to making it. */
	readonly scene: Scene | undefined;
	/** What goes out, in this order: the first is shown, the others wait behind it. */
	readonly offers: readonly { readonly suggestion: Suggestion; readonly document: Document }[];
	/** Why nothing goes out; undefined where something does. */
	readonly silence: NoSuggestion | undefined;
	/** A sentence of the one who predicts. It may hold what a model's server said, and so what it was shown. */
	readonly detail?: string | undefined;
	/** The model that had nothing to offer, where one was asked. */
	readonly model?: ModelWithoutEdit | undefined;
}

export type OfferOutcome = ({ readonly kind: "accepted" } & Acceptance) | Rejection;

interface Rejection {
	readonly kind: "rejected";
	/** Undefined where the client gives none that is known. */
	readonly reason: DismissalReason | undefined;
}

export interface Acceptance {
	/** The user took some of its words or lines, and not all. */
	readonly isPartial: boolean;
	/** The user typed just what was suggested. */
	readonly isTyped: boolean;
}
