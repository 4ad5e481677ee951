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

/** Observes requests, responses and outcomes. Must not throw or block. */
export interface RequestObserver {
	/** Starts observing a request from a session in this workspace. */
	begin(workspace: Workspace): RequestObservation;
}

/** Observes one request. A cancelled request gets no response. */
export interface RequestObservation {
	/** Passed to the engine. The decision is based on the last report to this observer. */
	readonly watch: PredictionObserver;
	recordResponse(answer: ObservedResponse): void;
	/** Called if the client reports an outcome. */
	recordOutcome(suggestion: Suggestion, verdict: OfferOutcome): void;
}

export interface ObservedResponse {
	/** Undefined if it could not be built. */
	readonly scene: Scene | undefined;
	/** The suggestions that are sent. The editor shows the first and queues the others. */
	readonly offers: readonly { readonly suggestion: Suggestion; readonly document: Document }[];
	/** The reason why there is no suggestion; undefined if there is one. */
	readonly silence: NoSuggestion | undefined;
	/** The predictor's explanation. It may quote a model server's message, which may quote code. */
	readonly detail?: string | undefined;
	/** The model that was queried but had no edit, if any. */
	readonly model?: ModelWithoutEdit | undefined;
}

export type OfferOutcome = ({ readonly kind: "accepted" } & Acceptance) | Rejection;

interface Rejection {
	readonly kind: "rejected";
	/** Undefined if the client gives no reason or an unknown one. */
	readonly reason: DismissalReason | undefined;
}

export interface Acceptance {
	/** The user accepted only some of its words or lines. */
	readonly isPartial: boolean;
	/** The user typed the suggested text. */
	readonly isTyped: boolean;
}
