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
	/** Whether the model is also asked for what comes after a suggestion, before the user has taken that. */
	readonly speculates: boolean;
	/** What is kept, where somebody wants less to be. */
	readonly cache?: AnswerCache;
}

interface ModelPredictorCall {
	readonly signal: AbortSignal;
	/** Is told of what is considered, where somebody wants to know; what it hears last is what was decided by. */
	readonly watch?: PredictionObserver | undefined;
}

/**
 * Predicts with a model behind the rules. One for each session: what it keeps is about one user's documents.
 *
 * What is known is answered at once: what the model wrote for this text or for one that has since been typed on as it wrote,
 * and what the rules are sure of. Otherwise the model is asked, and the first of its hunks that passes the gate is the answer;
 * what comes later is kept for the next request.
 */
export class ModelPredictor {
	private readonly cache: AnswerCache;
	/** What the model has been asked and not answered to the end. How many there can be is up to the model. */
	private readonly pending = new Set<PendingReply>();
	private readonly waiting = new Set<WaitingRequest>();
	/** The flight that nobody has asked for yet. */
	private speculation: PendingReply | undefined;
	/** What is worth asking once the model has nothing else to do. */
	private next: Scene | undefined;
	private readonly offered = new WeakMap<Suggestion, OfferedHunk>();
	/** What comes after suggestions, as far as it may have been asked for. */
	private readonly after = new WeakMap<Suggestion, Document>();
	/** Something that nobody has thought of went wrong while nobody waited for it. */
	private fault: { readonly error: unknown } | undefined;
	/** What rejected suggestions would have led to, newest last. */
	private rejected: readonly Pick<Document, "uri" | "text">[] = [];

	constructor(
		private readonly model: EditModel,
		private readonly options: ModelPredictorOptions,
	) {
		this.cache = options.cache ?? new AnswerCache();
	}

	/**
	 * Rejects when the call is cancelled, with the reason of that. The model goes on then, and what it says is kept; it gives a
	 * question up itself when it is asked too many. What is at fault while nobody waits is thrown the next time.
	 */
	predict(scene: Scene, memory: Memory, { signal, watch }: ModelPredictorCall): Prediction | Promise<Prediction> {
		const open = readable(scene);
		if ("silence" in open) return open;
		const { fault } = this;
		this.fault = undefined;
		if (fault !== undefined) throw fault.error;
		const asked: PredictionRequest = { scene: open, memory, watch };
		this.next = undefined;
		const { document, cursor } = open;
		const held = this.cache.find(document.uri, document.text);
		const written = this.firstWritten(held, asked);
		if (written !== undefined) return this.offer(written, open);

		const byRules = predict(open, memory, { watch });
		if ("suggestions" in byRules && isSure(open, memory)) {
			if (!isKnown(held, cursor)) this.ask(open);
			return this.offer(byRules, open);
		}
		const exact = held.filter(({ isExact, answer }) => isExact && answer.covers(cursor)).map(({ answer }) => answer);
		const whole = exact.find(({ isWhole }) => isWhole);
		if (whole !== undefined) return this.withoutModel(byRules, whole, asked);
		const own = exact.find(({ isOver }) => !isOver) ?? this.ask(open);
		if (typeof own === "string") return "suggestions" in byRules ? byRules : { silence: own };
		// Somebody waits for it from now on.
		if (this.speculation?.answer === own) this.speculation = undefined;
		return this.wait({ ...asked, byRules, own }, signal);
	}

	/** What became of a suggestion. */
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

	/** Whatever is being asked comes to nothing. */
	close(): void {
		this.next = undefined;
		for (const { controller } of this.pending) controller.abort();
	}

	/** Asks the model, and keeps what it says; or says why it is not asked. */
	private ask(scene: Scene): CachedAnswer | HiddenFileReason | "no-history" {
		if (!isWorthAsking(scene)) return "no-history";
		const input = promptInputOf(scene);
		if (typeof input === "string") return input;
		const { uri, text } = scene.document;
		if (this.speculation !== undefined && this.pending.size >= this.model.pendingMax) this.abandon(this.speculation);
		const flight = { answer: new CachedAnswer(uri, text, scene.cursor), controller: new AbortController() };
		this.pending.add(flight);
		this.cache.add(flight.answer);
		void this.follow(flight, input);
		return flight.answer;
	}

	/** Nobody wants to know what comes after a suggestion. */
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

	private async follow(flight: PendingReply, input: PromptInput): Promise<void> {
		const { answer, controller } = flight;
		try {
			for await (const answered of this.model.ask(input, controller.signal)) {
				answer.grow(answered);
				if (!answered.isWhole) this.grown(answer);
			}
			answer.end();
		} catch (error) {
			const failure = failureOf(error, this.model.name);
			answer.end(failure);
			if (failure === undefined) this.broken(answer, error);
		}
		this.pending.delete(flight);
		if (this.speculation === flight) this.speculation = undefined;
		// What was settled may be on the screen by now, and goes on from there. Of what failed there is nothing else to keep.
		if (!answer.isWhole && answer.isEmpty) this.cache.delete(answer);
		this.grown(answer);
		this.speculate();
	}

	/** Who waits may have an answer now. */
	private grown(answer: CachedAnswer): void {
		for (const one of this.waiting) {
			if (!sameUri(one.own.uri, answer.uri)) continue;
			try {
				this.look(one);
			} catch (error) {
				// It is no fault of the answer's, which others may wait for.
				one.fail(error);
			}
		}
	}

	/** Settles a request if there is an answer to it. */
	private look(one: WaitingRequest): void {
		const { scene, byRules, own } = one;
		const { uri, text } = scene.document;
		const held = this.cache.find(uri, text).filter((carried) => carried.answer !== own);
		const written = this.firstWritten([...rebasedOf(own, scene), ...held], one);
		if (written !== undefined) one.settle(this.offer(written, scene));
		else if (own.isOver) one.settle(this.withoutModel(byRules, own, one));
	}

	/** The model is at fault in a way that nobody has thought of: who waits is to know, or else who asks next. */
	private broken(answer: CachedAnswer, error: unknown): void {
		const waiting = [...this.waiting].filter(({ own }) => own === answer);
		for (const one of waiting) one.fail(error);
		if (waiting.length === 0) this.fault ??= { error };
	}

	private wait(request: Omit<WaitingRequest, "settle" | "fail">, signal: AbortSignal): Promise<Prediction> {
		return new Promise((resolve, reject) => {
			const fail = (error: unknown) => {
				this.waiting.delete(waiting);
				signal.removeEventListener("abort", leave);
				reject(error);
			};
			const leave = () => fail(signal.reason);
			const settle = (prediction: Prediction) => {
				this.waiting.delete(waiting);
				signal.removeEventListener("abort", leave);
				resolve(prediction);
			};
			const waiting = { ...request, settle, fail };
			this.waiting.add(waiting);
			signal.addEventListener("abort", leave);
			if (signal.aborted) leave();
		});
	}

	/** The first prediction that something of an answer is in. */
	private firstWritten(
		held: readonly RebasedAnswer[],
		{ scene, memory, watch }: PredictionRequest,
	): Prediction | undefined {
		for (const carried of held) {
			const wanted = this.withoutRejected(carried, scene);
			if (wanted.hunks.length === 0) continue;
			const prediction = predictWith(scene, memory, this.writtenIn(wanted), watch);
			if (!("suggestions" in prediction)) continue;
			const written = prediction.suggestions.filter(({ source }) => source !== undefined);
			for (const suggestion of written) this.remember(suggestion, wanted, scene);
			if (written.length > 0) return prediction;
		}
		return undefined;
	}

	/** What is said where nothing of an answer can be shown: what the rules say, else why nothing came of the answer. */
	private withoutModel(
		byRules: Prediction,
		answer: CachedAnswer,
		{ scene, memory, watch }: PredictionRequest,
	): Prediction {
		if ("suggestions" in byRules) return byRules;
		if (answer.failure !== undefined) return answer.failure;
		if (answer.isEmpty) return { silence: "no-edit" };
		const [wanted] = rebasedOf(answer, scene).map((carried) => this.withoutRejected(carried, scene));
		if (wanted === undefined || wanted.hunks.length === 0) return { silence: "rejected-before" };
		return predictWith(scene, memory, this.writtenIn(wanted), watch);
	}

	/** Another answer may write what was rejected, too, or the rest of it. */
	private withoutRejected(carried: RebasedAnswer, { document: { uri, text } }: Scene): RebasedAnswer {
		const there = this.rejected.filter((one) => sameUri(one.uri, uri));
		if (there.length === 0) return carried;
		const hunks = carried.hunks.filter(({ edits }) => {
			const change = Change.of(edits, text.length);
			const after = there.filter((one) => one.text.length === change.lengthAfter);
			return after.length === 0 || !after.some((one) => one.text.equals(change.apply(text)));
		});
		return { ...carried, hunks };
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

	/** Answers with suggestions, after which the model may be asked for what comes next. */
	private offer(prediction: Prediction, scene: Scene): Prediction {
		const first = "suggestions" in prediction ? prediction.suggestions[0] : undefined;
		if (this.options.speculates && first !== undefined) {
			this.next = sceneAfter(first, scene, this.options.clock.now());
			if (this.next !== undefined) this.after.set(first, this.next.document);
			this.speculate();
		}
		return prediction;
	}

	/** Asks for what comes next if nobody else needs the model, one at a time. */
	private speculate(): void {
		const scene = this.next;
		if (scene === undefined || this.speculation !== undefined || this.pending.size >= this.model.pendingMax) return;
		this.next = undefined;
		const { uri, text } = scene.document;
		try {
			if (isKnown(this.cache.find(uri, text), scene.cursor)) return;
			const answer = this.ask(scene);
			this.speculation = [...this.pending].find((flight) => flight.answer === answer);
		} catch (error) {
			// Whoever is being answered now has not asked for this.
			this.fault ??= { error };
		}
	}
}

// As many as there are answers kept: what else could write the same is forgotten by then.
const REJECTED_MAX = 50;

/** Which hunk of which answer a suggestion is, and the text that it leads to. */
interface OfferedHunk {
	readonly answer: CachedAnswer;
	readonly index: number;
	readonly leadsTo: Pick<Document, "uri" | "text">;
}

/** Something that the model was asked and has not answered to the end. */
interface PendingReply {
	readonly answer: CachedAnswer;
	readonly controller: AbortController;
}

/** What is asked for. */
interface PredictionRequest {
	readonly scene: Scene;
	readonly memory: Memory;
	readonly watch: PredictionObserver | undefined;
}

/** A request that has no answer yet. */
interface WaitingRequest extends PredictionRequest {
	readonly byRules: Prediction;
	/** What the model was asked for this request. */
	readonly own: CachedAnswer;
	settle(prediction: Prediction): void;
	fail(error: unknown): void;
}

/**
 * Whether the rules would show something even unasked. Who asks is shown anything, but nothing that they are not sure of
 * before the model has had its say.
 */
function isSure(scene: Scene, memory: Memory): boolean {
	return scene.trigger !== "manual" || "suggestions" in predict({ ...scene, trigger: "automatic" }, memory);
}

/**
 * Whether there is anything to go by. Who only opens files and looks around would be shown what a model thinks of them, and
 * pay for it; who asks, or is told of an error, wants to know.
 */
function isWorthAsking({ trigger, history }: Scene): boolean {
	return trigger !== "automatic" || history.files.length > 0;
}

/** Whether the model need not be asked: it was, or what it wrote before goes on here. */
function isKnown(held: readonly RebasedAnswer[], cursor: number): boolean {
	return held.some(({ isExact, answer, hunks }) => (isExact ? answer.covers(cursor) : hunks.length > 0));
}

function rebasedOf(answer: CachedAnswer, { document }: Scene): RebasedAnswer[] {
	const carried = answer.rebasedTo(document.text);
	return carried === undefined ? [] : [carried];
}

/** Why a question was not answered; undefined where nobody can say. */
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

/** The scene as it will be when a suggestion was taken; undefined for what is no edit of its document. */
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
		// It is of the documents as they are.
		wordIndex: undefined,
		diagnostics: scene.diagnostics.filter(isElsewhere),
		views: scene.views.filter(isElsewhere),
		actions: scene.actions.filter(isElsewhere),
	};
}
