import { ModelPredictor } from "@segue/models";
import {
	History,
	Memory,
	type Prediction,
	type PredictionObserver,
	type Scene,
	type Suggestion,
	sceneOf,
	type Trigger,
} from "@segue/predict";
import { afterOf, drawPicture, readPicture } from "@segue/story";
import { Change, type Document, type Edit, Text } from "@segue/text";
import { FakeClock } from "../clock.js";
import { ScriptedEditModel } from "./scripted-edit-model.js";

const URI = "file:///project/a.ts";
// Longer than any pause within a single edit.
const BETWEEN_EDITS_MS = 2000;

const EARLIER = { uri: "file:///project/earlier.txt", languageId: "plaintext", version: 1, text: Text.of("") };
const CHANGED = Change.of([{ from: 0, to: 0, insert: "done" }], 0);

/** A document, a user who has already edited another file, and a model that answers when the test tells it to. */
export class EditModelFixture {
	readonly model = new ScriptedEditModel();
	readonly predictor: ModelPredictor;
	readonly clock = new FakeClock();
	document: Document;
	cursor: number;
	history = History.empty.changed(EARLIER, CHANGED, { atMs: 0, isAccepted: false });
	memory = Memory.empty;
	settings: Partial<Scene> = {};

	/** `drawn` is the document's text with the cursor drawn as ▮. */
	constructor(drawn: string, speculates = false) {
		const { before, selection } = readPicture(drawn);
		this.document = { uri: URI, languageId: "typescript", version: 1, text: Text.of(before) };
		this.cursor = selection?.head ?? 0;
		this.predictor = new ModelPredictor(this.model, { clock: this.clock, speculates });
	}

	get text(): string {
		return this.document.text.toString();
	}

	type(insert: string): void {
		this.change([{ from: this.cursor, to: this.cursor, insert }]);
	}

	/** Makes the drawn edits on behalf of the user. */
	does(drawn: string): void {
		const picture = readPicture(drawn);
		if (picture.before !== this.text) throw new Error(`the picture does not match the text: ${this.text}`);
		this.change(picture.edits, picture.selection?.head);
	}

	accept(suggestion: Suggestion): void {
		if (suggestion.kind !== "edit") throw new Error("only edits can be accepted");
		this.change(suggestion.edits, suggestion.cursor);
		this.memory = this.memory.accepted(suggestion);
		this.predictor.recordFeedback(suggestion, "accepted");
	}

	reject(suggestion: Suggestion): void {
		this.memory = this.memory.rejected(suggestion, "rejected");
		this.predictor.recordFeedback(suggestion, "rejected");
	}

	ask(
		trigger: Trigger = "automatic",
		signal = new AbortController().signal,
		watch?: PredictionObserver,
	): Prediction | Promise<Prediction> {
		const scene = { ...sceneOf(this.document, this.history, this.cursor), trigger, ...this.settings };
		return this.predictor.predict(scene, this.memory, { signal, watch });
	}

	/**
	 * Like `ask`, but requires that the prediction is available immediately. Returns each suggestion as a drawing, or
	 * the reason for no suggestion.
	 */
	askNow(trigger?: Trigger): string[] | string {
		const prediction = this.ask(trigger);
		if (prediction instanceof Promise) throw new Error("the prediction is not available immediately");
		return this.draw(prediction);
	}

	/** Returns the first suggestion in a prediction, which must be available immediately. */
	first(): Suggestion {
		const prediction = this.ask();
		if (prediction instanceof Promise || !("suggestions" in prediction)) throw new Error("no suggestion");
		return prediction.suggestions[0] as Suggestion;
	}

	draw(prediction: Prediction): string[] | string {
		if ("silence" in prediction) return [prediction.silence, prediction.detail].filter(Boolean).join(": ");
		return prediction.suggestions.map((one) => {
			if (one.kind !== "edit") return one.kind;
			return drawPicture({ before: this.text, edits: one.edits, selection: undefined, diagnostics: [] });
		});
	}

	/** Requests a prediction, makes the model answer with the text after the drawn edits, and draws the result. */
	async askAndHave(drawn: string): Promise<string[] | string> {
		const prediction = this.ask();
		this.model.open.at(-1)?.writes(afterOf(readPicture(drawn)));
		return this.draw(await prediction);
	}

	change(edits: readonly Edit[], cursor?: number): void {
		const change = Change.of(edits, this.document.text.length);
		const after = change.apply(this.document.text);
		this.cursor = cursor ?? change.map(change.edits.at(-1)?.to ?? 0, "after");
		this.history = this.history.changed(this.document, change, { atMs: this.clock.now(), isAccepted: false, after });
		this.document = { ...this.document, version: this.document.version + 1, text: after };
		this.clock.advance(BETWEEN_EDITS_MS);
	}
}
