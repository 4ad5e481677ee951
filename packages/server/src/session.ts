import {
	History,
	type Kind,
	Memory,
	type Prediction,
	type Reason,
	type Scene,
	type Silence,
	type Suggestion,
} from "@segue/predict";
import type {
	DidChange,
	DidOpen,
	PositionEncoding,
	SuggestRequest,
	SuggestResponse,
	Suggestion as WireSuggestion,
} from "@segue/protocol/acp";
import { ErrorCode, RpcError } from "@segue/rpc";
import { Change, type Document, type Edit, positionAt, rangeAt, sameUri, splitsCharacter } from "@segue/text";
import { Mirror, type Outcome } from "./mirror.js";
import { type Obstacle, sceneOf } from "./scene.js";
import { DEFAULT_SETTINGS, type Settings } from "./settings.js";

// The client shows the first and keeps the others for when it is accepted; more would be out of date by then.
const SUGGESTIONS_MAX = 3;
// Those of ten answers. What is older than these has no verdict to come.
const OFFERED_MAX = 10 * SUGGESTIONS_MAX;

// A user waits for one. The rest are on their way to be cancelled, and the oldest is when yet another comes.
const PENDING_MAX = 4;

/** Predicts at once, or later if it takes a model. */
export type Predict = (scene: Scene, memory: Memory, signal: AbortSignal) => Prediction | Promise<Prediction>;

export interface SessionOptions {
	readonly encoding: PositionEncoding;
	readonly kinds: ReadonlySet<Exclude<Kind, "edit">>;
	readonly predict: Predict;
	readonly now: () => number;
}

/** One session of next edits: its own documents, history, memory and settings, shared with no other. */
export class Session {
	settings: Settings = DEFAULT_SETTINGS;
	private readonly mirror: Mirror;
	private history = History.empty;
	private memory = Memory.empty;
	/** What was offered and has no verdict yet, by id. */
	private readonly offered = new Map<string, Offer>();
	/** What was accepted last. Its change may come after the verdict or before it. */
	private lastAccepted: Offer | undefined;
	/** Answers that are being made, and how to stop each. */
	private readonly pending = new Map<Promise<SuggestResponse>, () => void>();
	private count = 0;

	constructor(private readonly options: SessionOptions) {
		this.mirror = new Mirror(options.encoding);
	}

	didOpen(event: DidOpen): Outcome {
		const outcome = this.mirror.open(event);
		const opened = this.mirror.find(event.uri);
		if (opened !== undefined) this.history = this.history.opened(opened.document);
		return outcome;
	}

	didChange(event: DidChange): Outcome {
		const outcome = this.mirror.change(event);
		if (outcome.kind === "changed") {
			const { before, change } = outcome;
			const circumstances = { atMs: this.options.now(), isAccepted: this.isOffered(before, change) };
			this.history = this.history.changed(before, change, circumstances);
		}
		return outcome;
	}

	didClose(uri: string): void {
		this.mirror.close(uri);
	}

	didFocus(uri: string): void {
		this.mirror.focus(uri);
	}

	/** The scene is made before anything is waited for, so later events do not change it. */
	suggest(request: SuggestRequest, signal: AbortSignal): SuggestResponse | Promise<SuggestResponse> {
		const { mirror, history, settings } = this;
		const { encoding, kinds } = this.options;
		const scene = sceneOf(request, { mirror, history, settings, encoding, kinds });
		if ("obstacle" in scene) return silent(scene.obstacle);

		if (this.pending.size >= PENDING_MAX) {
			const [oldest] = this.pending.values();
			oldest?.();
		}
		const controller = new AbortController();
		const stop = () => controller.abort(new RpcError(ErrorCode.cancelled, "Request cancelled"));
		signal.addEventListener("abort", stop, { once: true });
		const answer = this.answer(scene, controller.signal);
		this.pending.set(answer, stop);
		const forget = () => this.pending.delete(answer);
		answer.then(forget, forget);
		return answer;
	}

	accept(id: string): void {
		const offer = this.takeOffer(id);
		if (offer === undefined) return;
		this.lastAccepted = offer;
		this.memory = this.memory.accepted(offer.suggestion);
	}

	reject(id: string, reason: string | null | undefined): void {
		const offer = this.takeOffer(id);
		const known = REASONS.find((one) => one === reason);
		if (offer !== undefined) this.memory = this.memory.rejected(offer.suggestion, known);
	}

	/**
	 * Cancels what is being predicted, and resolves when all of it has been answered: the caller of `suggest` waits for
	 * the same promises, and did so first.
	 */
	async close(): Promise<void> {
		const answers = [...this.pending.keys()];
		for (const stop of this.pending.values()) stop();
		await Promise.allSettled(answers);
	}

	private async answer(scene: Scene, signal: AbortSignal): Promise<SuggestResponse> {
		const stopped = new Promise<never>((_resolve, reject) => {
			signal.addEventListener("abort", () => reject(signal.reason), { once: true });
		});
		const prediction = await Promise.race([this.options.predict(scene, this.memory, signal), stopped]);
		if ("silence" in prediction) return silent(prediction.silence);
		const offers = prediction.suggestions.flatMap((suggestion) => offerOf(suggestion, scene));
		if (offers.length === 0) return silent(prediction.suggestions.length === 0 ? "nothing-found" : "unfit");
		return { suggestions: offers.slice(0, SUGGESTIONS_MAX).map((offer) => this.offer(offer)) };
	}

	private offer(offer: Offer): WireSuggestion {
		const id = `suggestion_${++this.count}`;
		this.offered.set(id, offer);
		for (const old of [...this.offered.keys()].slice(0, -OFFERED_MAX)) this.offered.delete(old);
		return writeSuggestion(id, offer, this.options.encoding);
	}

	/** An id that was never offered, or has its verdict, is no more known. */
	private takeOffer(id: string): Offer | undefined {
		const offer = this.offered.get(id);
		this.offered.delete(id);
		return offer;
	}

	private isOffered(before: Document, change: Change): boolean {
		const offers = [...this.offered.values(), ...(this.lastAccepted === undefined ? [] : [this.lastAccepted])];
		return offers.some(({ suggestion, document }) => {
			if (suggestion.kind !== "edit" || !sameUri(document.uri, before.uri)) return false;
			if (!document.text.equals(before.text)) return false;
			return Change.of(suggestion.edits, before.text.length).apply(before.text).equals(change.apply(before.text));
		});
	}
}

/** A suggestion and the document it is for. */
interface Offer {
	readonly suggestion: Suggestion;
	readonly document: Document;
}

/** A suggestion as it may go out; none where it is of a kind that the client does not know, or cannot be applied. */
function offerOf(suggestion: Suggestion, scene: Scene): Offer[] {
	const document = [scene.document, ...scene.neighbours].find(({ uri }) => sameUri(uri, suggestion.uri));
	if (document === undefined) return [];
	const isFit = suggestion.kind === "edit" ? changes(suggestion.edits, document) : scene.kinds.has(suggestion.kind);
	return isFit ? [{ suggestion, document }] : [];
}

/** Whether edits are apart, inside the text, split no character of it, and change it. */
function changes(edits: readonly Edit[], { text }: Document): boolean {
	try {
		const change = Change.of(edits, text.length);
		const splits = change.edits.some(({ from, to }) => splitsCharacter(text, from) || splitsCharacter(text, to));
		return !splits && !change.apply(text).equals(text);
	} catch {
		return false;
	}
}

const REASONS: readonly Reason[] = ["rejected", "ignored", "replaced", "cancelled"];

/** No suggestion, and why. */
function silent(reason: Obstacle | Silence | "unfit"): SuggestResponse {
	return { suggestions: [], _meta: { segue: { reason } } };
}

/** A suggestion as the wire has it, with positions in the document it is for. */
function writeSuggestion(
	id: string,
	{ suggestion, document: { uri, text, version } }: Offer,
	encoding: PositionEncoding,
): WireSuggestion {
	const { predictor, why } = suggestion;
	const _meta = { segue: { version, predictor, why } };
	switch (suggestion.kind) {
		case "edit": {
			const change = Change.of(suggestion.edits, text.length);
			const edits = change.edits.map(({ from, to, insert }) => {
				return { range: rangeAt(text, from, to, encoding), newText: insert };
			});
			const cursorPosition = positionAt(change.apply(text), suggestion.cursor, encoding);
			return { id, kind: "edit", uri, edits, cursorPosition, _meta };
		}
		case "jump":
			return { id, kind: "jump", uri, position: positionAt(text, suggestion.at, encoding), _meta };
		case "rename": {
			const position = positionAt(text, suggestion.at, encoding);
			return { id, kind: "rename", uri, position, newName: suggestion.newName, _meta };
		}
		case "searchAndReplace": {
			const { search, replace, isRegex } = suggestion;
			return { id, kind: "searchAndReplace", uri, search, replace, isRegex, _meta };
		}
	}
}
