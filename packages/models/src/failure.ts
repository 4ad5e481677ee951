/** What goes wrong between us and a model, by what a person can do about it. */
export type FailureKind =
	| "no-key"
	| "wrong-key"
	| "unknown-model"
	| "unreachable"
	| "busy"
	| "too-long"
	| "filtered"
	| "cut"
	| "malformed"
	| "refused"
	/** It is left alone for a while, after it gave no answer. */
	| "resting";

/**
 * Why a model did not answer, or not to the end. The message is a sentence for a person, with the next step, and never
 * holds a key.
 */
export class ModelFailure extends Error {
	constructor(
		readonly kind: FailureKind,
		message: string,
		/** The message without the words of others, which may quote what they were shown. */
		readonly ownWords: string = message,
	) {
		super(message);
		this.name = "ModelFailure";
	}
}

/** A failure that may be gone when the same is asked again. Its message tells what happened, and no next step yet. */
export class PassingFailure extends ModelFailure {
	constructor(
		kind: FailureKind,
		message: string,
		/** How long the provider wants to be left alone, where it says so. */
		readonly retryAfterMs: number | undefined,
		ownWords?: string,
	) {
		super(kind, message, ownWords);
	}
}
