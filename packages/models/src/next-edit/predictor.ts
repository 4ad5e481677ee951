import {
	type Memory,
	type ModelEdits,
	type Prediction,
	type PredictionObserver,
	predict,
	predictWith,
	readable,
	type Scene,
	type Suggestion,
} from "@segue/predict";
import { Change, type Document, type Edit, sameUri } from "@segue/text";
import type { ModelClock } from "../clock.js";
import { ModelFailure } from "../failure.js";
import { AnswerCache, type AnswerFailure, CachedAnswer, type RebasedAnswer } from "./answer-cache.js";
import type { EditModel } from "./edit-model.js";
import type { PromptInput } from "./format.js";
import { promptInputOf } from "./prompt-input.js";
import type { HiddenFileReason } from "./redaction.js";

interface ModelPredictorOptions {
	readonly clock: Pick<ModelClock, "now">;
	/** Whether to request the edit after a suggestion before the user accepts it. */
	readonly speculates: boolean;
	/** Defaults to a cache of the usual size. */
	readonly cache?: AnswerCache;
}

interface ModelPredictorCall {
	readonly signal: AbortSignal;
	/** Observes the candidates. The candidates reported last determined the result. */
	readonly watch?: PredictionObserver | undefined;
}

/**
 * Predicts with rules and a model. Create one per session, because it caches data about one user's documents.
 *
 * Known results are returned synchronously: cached replies for this text, or for an earlier text if the user has typed
 * part of the reply, and suggestions the rules are sure of. Otherwise the model is asked, and its first hunk that
 * passes the gate becomes the result. Later hunks are cached for the next request.
 */
export class ModelPredictor {
	private readonly cache: AnswerCache;
	/** Incomplete replies. The model limits their number. */
	private readonly pending = new Set<PendingReply>();
	private readonly waiting = new Set<WaitingRequest>();
	/** The pending reply of a speculative request. */
	private speculation: PendingReply | undefined;
	/** The scene to speculate on when the model is idle. */
	private next: Scene | undefined;
	private readonly offered = new WeakMap<Suggestion, OfferedHunk>();
	/** The documents after accepting a suggestion, for speculative requests. */
	private readonly after = new WeakMap<Suggestion, Document>();
	/** An unexpected error while no caller was waiting. */
	private unreported: { readonly error: unknown } | undefined;
	/** The results of rejected suggestions, newest last. */
	private rejected: readonly Pick<Document, "uri" | "text">[] = [];

	constructor(
		private readonly model: EditModel,
		private readonly options: ModelPredictorOptions,
	) {
		this.cache = options.cache ?? new AnswerCache();
	}

	/**
	 * Rejects with the signal's reason when aborted. The request to the model continues, and its reply is cached; the
	 * model itself aborts requests if there are too many. If an unexpected error occurs while no caller is waiting, the
	 * next call throws it.
	 */
	predict(scene: Scene, memory: Memory, { signal, watch }: ModelPredictorCall): Prediction | Promise<Prediction> {
		const open = readable(scene);
		if ("silence" in open) return open;
		const { unreported } = this;
		this.unreported = undefined;
		if (unreported !== undefined) throw unreported.error;
		const request: PredictionRequest = { scene: open, memory, watch };
		this.next = undefined;
		const { document, cursor } = open;
		const cached = this.cache.find(document.uri, document.text);
		const written = this.firstWritten(cached, request);
		if (written !== undefined) return this.offer(written, open);

		const byRules = predict(open, memory, { watch });
		if ("suggestions" in byRules && isSure(open, memory)) {
			if (!isKnown(cached, cursor)) this.ask(open);
			return this.offer(byRules, open);
		}
		const exact = cached.filter(({ isExact, answer }) => isExact && answer.covers(cursor)).map(({ answer }) => answer);
		const whole = exact.find(({ isWhole }) => isWhole);
		if (whole !== undefined) return this.withoutModel(byRules, whole, request);
		const own = exact.find(({ isOver }) => !isOver) ?? this.ask(open);
		if (typeof own === "string") return "suggestions" in byRules ? byRules : { silence: own };
		// A caller is now waiting for it, so it is no longer speculative.
		if (this.speculation?.answer === own) this.speculation = undefined;
		return this.wait({ ...request, byRules, own }, signal);
	}

	/** Records the outcome of a suggestion. */
	recordFeedback(suggestion: Suggestion, verdict: "accepted" | "rejected" | "ignored"): void {
		if (verdict === "rejected") this.stopSpeculating(suggestion);
		const offered = this.offered.get(suggestion);
		if (offered === undefined) return;
		const { answer, index, leadsTo } = offered;
		if (verdict === "rejected") {
			answer.reject(index);
			this.rejected = [...this.rejected, leadsTo].slice(-REJECTED_MAX);
		}
		if (answer.id !== undefined) this.model.sendFeedback?.(answer.id, verdict);
	}

	/** Aborts all pending requests. */
	close(): void {
		this.next = undefined;
		for (const { controller } of this.pending) controller.abort();
	}

	/** Sends a request and caches the reply, or returns the reason not to. */
	private ask(scene: Scene): CachedAnswer | HiddenFileReason | "no-history" {
		if (!isWorthAsking(scene)) return "no-history";
		const input = promptInputOf(scene);
		if (typeof input === "string") return input;
		const { uri, text } = scene.document;
		if (this.speculation !== undefined && this.pending.size >= this.model.pendingMax) this.abandon(this.speculation);
		const pending = { answer: new CachedAnswer(uri, text, scene.cursor), controller: new AbortController() };
		this.pending.add(pending);
		this.cache.add(pending.answer);
		void this.follow(pending, input);
		return pending.answer;
	}

	/** Drops the speculative request for the edit after a suggestion. */
	private stopSpeculating(suggestion: Suggestion): void {
		const after = this.after.get(suggestion);
		const isAfter = ({ uri, text }: Pick<Document, "uri" | "text">) =>
			after !== undefined && sameUri(uri, after.uri) && text.equals(after.text);
		if (this.next !== undefined && isAfter(this.next.document)) this.next = undefined;
		if (this.speculation !== undefined && isAfter(this.speculation.answer)) this.abandon(this.speculation);
	}

	private abandon({ controller, answer }: PendingReply): void {
		this.speculation = undefined;
		this.cache.delete(answer);
		controller.abort();
	}

	private async follow(pending: PendingReply, input: PromptInput): Promise<void> {
		const { answer, controller } = pending;
		try {
			for await (const reply of this.model.ask(input, controller.signal)) {
				answer.grow(reply);
				if (!reply.isWhole) this.grown(answer);
			}
			answer.end();
		} catch (error) {
			const failure = failureOf(error, this.model.name);
			answer.end(failure);
			if (failure === undefined) this.broken(answer, error);
		}
		this.pending.delete(pending);
		if (this.speculation === pending) this.speculation = undefined;
		// Keep received hunks, which may already be displayed. A failed reply without hunks is dropped.
		if (!answer.isWhole && answer.isEmpty) this.cache.delete(answer);
		this.grown(answer);
		this.speculate();
	}

	/** Resolves waiting requests that the new hunks can answer. */
	private grown(answer: CachedAnswer): void {
		for (const one of this.waiting) {
			if (!sameUri(one.own.uri, answer.uri)) continue;
			try {
				this.tryResolve(one);
			} catch (error) {
				// Only this request failed; others may be waiting for the same reply.
				one.fail(error);
			}
		}
	}

	/** Resolves a request if there is a result for it. */
	private tryResolve(one: WaitingRequest): void {
		const { scene, byRules, own } = one;
		const { uri, text } = scene.document;
		const cached = this.cache.find(uri, text).filter(({ answer }) => answer !== own);
		const written = this.firstWritten([...rebasedOf(own, scene), ...cached], one);
		if (written !== undefined) one.settle(this.offer(written, scene));
		else if (own.isOver) one.settle(this.withoutModel(byRules, own, one));
	}

	/** Reports an unexpected error to the waiting callers, or to the next caller if none is waiting. */
	private broken(answer: CachedAnswer, error: unknown): void {
		const waiting = [...this.waiting].filter(({ own }) => own === answer);
		for (const one of waiting) one.fail(error);
		if (waiting.length === 0) this.unreported ??= { error };
	}

	private wait(request: Omit<WaitingRequest, "settle" | "fail">, signal: AbortSignal): Promise<Prediction> {
		return new Promise((resolve, reject) => {
			const fail = (error: unknown) => {
				this.waiting.delete(waiting);
				signal.removeEventListener("abort", abort);
				reject(error);
			};
			const abort = () => fail(signal.reason);
			const settle = (prediction: Prediction) => {
				this.waiting.delete(waiting);
				signal.removeEventListener("abort", abort);
				resolve(prediction);
			};
			const waiting = { ...request, settle, fail };
			this.waiting.add(waiting);
			signal.addEventListener("abort", abort);
			if (signal.aborted) abort();
		});
	}

	/** Returns the first prediction that contains a hunk of a cached reply. */
	private firstWritten(
		cached: readonly RebasedAnswer[],
		{ scene, memory, watch }: PredictionRequest,
	): Prediction | undefined {
		for (const rebased of cached) {
			const wanted = this.withoutRejected(rebased, scene);
			if (wanted.hunks.length === 0) continue;
			const prediction = predictWith(scene, memory, this.writtenIn(wanted), watch);
			if (!("suggestions" in prediction)) continue;
			const written = prediction.suggestions.filter(({ source }) => source !== undefined);
			for (const suggestion of written) this.remember(suggestion, wanted, scene);
			if (written.length > 0) return prediction;
		}
		return undefined;
	}

	/**
	 * Returns the result for a reply that has no hunk to show: the rules' result or, without one, the reason why the
	 * reply has no hunk.
	 */
	private withoutModel(
		byRules: Prediction,
		answer: CachedAnswer,
		{ scene, memory, watch }: PredictionRequest,
	): Prediction {
		if ("suggestions" in byRules) return byRules;
		if (answer.failure !== undefined) return answer.failure;
		if (answer.isEmpty) return { silence: "no-edit" };
		const [wanted] = rebasedOf(answer, scene).map((rebased) => this.withoutRejected(rebased, scene));
		if (wanted === undefined || wanted.hunks.length === 0) return { silence: "rejected-before" };
		return predictWith(scene, memory, this.writtenIn(wanted), watch);
	}

	/** Removes hunks that lead to the same result as a rejected suggestion. Another reply can contain such a hunk, too. */
	private withoutRejected(rebased: RebasedAnswer, { document: { uri, text } }: Scene): RebasedAnswer {
		const there = this.rejected.filter((one) => sameUri(one.uri, uri));
		if (there.length === 0) return rebased;
		const hunks = rebased.hunks.filter(({ edits }) => {
			const change = Change.of(edits, text.length);
			const after = there.filter((one) => one.text.length === change.lengthAfter);
			return after.length === 0 || !after.some((one) => one.text.equals(change.apply(text)));
		});
		return { ...rebased, hunks };
	}

	private writtenIn({ answer: { id }, window, hunks }: RebasedAnswer): ModelEdits {
		const { name: model, specialTokens } = this.model;
		return { source: { model, ...(id !== undefined && { answer: id }) }, window, hunks, specialTokens };
	}

	private remember(suggestion: Suggestion, { answer, hunks }: RebasedAnswer, { document }: Scene): void {
		if (suggestion.kind !== "edit") return;
		const hunk = hunks.find(({ edits }) => isSame(edits, suggestion.edits));
		if (hunk === undefined) return;
		const text = Change.of(suggestion.edits, document.text.length).apply(document.text);
		this.offered.set(suggestion, { answer, index: hunk.index, leadsTo: { uri: document.uri, text } });
	}

	/** Returns a prediction and schedules a speculative request for the edit after it. */
	private offer(prediction: Prediction, scene: Scene): Prediction {
		const first = "suggestions" in prediction ? prediction.suggestions[0] : undefined;
		if (this.options.speculates && first !== undefined) {
			this.next = sceneAfter(first, scene, this.options.clock.now());
			if (this.next !== undefined) this.after.set(first, this.next.document);
			this.speculate();
		}
		return prediction;
	}

	/** Sends the speculative request if the model has capacity, one at a time. */
	private speculate(): void {
		const scene = this.next;
		if (scene === undefined || this.speculation !== undefined || this.pending.size >= this.model.pendingMax) return;
		this.next = undefined;
		const { uri, text } = scene.document;
		try {
			if (isKnown(this.cache.find(uri, text), scene.cursor)) return;
			const answer = this.ask(scene);
			this.speculation = [...this.pending].find((pending) => pending.answer === answer);
		} catch (error) {
			// The current caller did not request this, so the next call reports it.
			this.unreported ??= { error };
		}
	}
}

// The same as the number of cached replies, because nothing older can be suggested again.
const REJECTED_MAX = 50;

/** The hunk that a suggestion comes from, and the text after accepting it. */
interface OfferedHunk {
	readonly answer: CachedAnswer;
	readonly index: number;
	readonly leadsTo: Pick<Document, "uri" | "text">;
}

/** An incomplete reply. */
interface PendingReply {
	readonly answer: CachedAnswer;
	readonly controller: AbortController;
}

interface PredictionRequest {
	readonly scene: Scene;
	readonly memory: Memory;
	readonly watch: PredictionObserver | undefined;
}

/** A request that has no result yet. */
interface WaitingRequest extends PredictionRequest {
	readonly byRules: Prediction;
	/** The reply to this request. */
	readonly own: CachedAnswer;
	settle(prediction: Prediction): void;
	fail(error: unknown): void;
}

/**
 * Whether the rules would also show the suggestion automatically. A manual request shows any suggestion, but shows
 * uncertain ones only after the model has replied.
 */
function isSure(scene: Scene, memory: Memory): boolean {
	return scene.trigger !== "manual" || "suggestions" in predict({ ...scene, trigger: "automatic" }, memory);
}

/**
 * Whether a request is worthwhile. Manual requests and requests for new diagnostics always are. Automatic requests
 * before the first edit are not: they would show, and charge for, the model's opinion of files that the user is only
 * looking at.
 */
function isWorthAsking({ trigger, history }: Scene): boolean {
	return trigger !== "automatic" || history.files.length > 0;
}

/** Whether the model has already been asked about this text, or the rest of a cached reply applies to it. */
function isKnown(cached: readonly RebasedAnswer[], cursor: number): boolean {
	return cached.some(({ isExact, answer, hunks }) => (isExact ? answer.covers(cursor) : hunks.length > 0));
}

function rebasedOf(answer: CachedAnswer, { document }: Scene): RebasedAnswer[] {
	const rebased = answer.rebasedTo(document.text);
	return rebased === undefined ? [] : [rebased];
}

/** Converts an error to a failure. Returns undefined if the error is unexpected. */
function failureOf(error: unknown, model: string): AnswerFailure | undefined {
	if (error instanceof Error && error.name === "AbortError") return { silence: "superseded" };
	if (!(error instanceof ModelFailure)) return undefined;
	const { kind, message, ownWords } = error;
	const silence = kind === "resting" ? "model-resting" : "model-failed";
	return { silence, detail: message, model: { name: model, failure: kind, words: ownWords } };
}

function isSame(some: readonly Edit[], others: readonly Edit[]): boolean {
	return (
		some.length === others.length &&
		some.every(({ from, to, insert }, i) => {
			const other = others[i];
			return from === other?.from && to === other.to && insert === other.insert;
		})
	);
}

/**
 * Returns the scene after accepting a suggestion, or undefined if the suggestion does not edit the scene's document.
 */
function sceneAfter(suggestion: Suggestion, scene: Scene, nowMs: number): Scene | undefined {
	const { document, history } = scene;
	if (suggestion.kind !== "edit" || !sameUri(suggestion.uri, document.uri)) return undefined;
	const change = Change.of(suggestion.edits, document.text.length);
	const after = change.apply(document.text);
	const { cursor } = suggestion;
	const isElsewhere = ({ uri }: { readonly uri: string }) => !sameUri(uri, document.uri);
	return {
		...scene,
		document: { ...document, version: document.version + 1, text: after },
		cursor,
		selection: { anchor: cursor, head: cursor },
		history: history.changed(document, change, { atMs: nowMs, isAccepted: true, after }),
		// The index only describes the current documents.
		wordIndex: undefined,
		diagnostics: scene.diagnostics.filter(isElsewhere),
		views: scene.views.filter(isElsewhere),
		actions: scene.actions.filter(isElsewhere),
	};
}
