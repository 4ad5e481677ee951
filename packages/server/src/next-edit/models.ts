import type { Memory, Prediction, Scene, Suggestion } from "@segue/predict";
import { uriKey } from "@segue/text";
import type { Predict, PredictCall } from "../session.js";
import { EMBEDDED } from "../settings.js";
import { withNextStep } from "./next-step.js";

/** The models that sessions of next edits can choose from. */
export interface EditModels {
	/** What there is for a workspace, by its first folder. */
	in(workspace: Scene["workspace"]): Promise<ModelChoice>;
}

/** What can be chosen in one workspace. */
export interface ModelChoice {
	/** What predicts where nobody chooses: one of the models, or the embedded engine. */
	readonly chosen: string;
	readonly models: readonly ListedModel[];
	/** What is wrong with the configuration and what to do, for the user to read where nothing is suggested. */
	readonly trouble: string | undefined;
	/** For one session. A model that cannot be used says why wherever the embedded engine finds nothing. */
	predictorOf(model: string): Predictor;
	/** Whether a model is shown nothing of a file: it is secret, or the project's ignore files name it. */
	isPrivate(uri: string): boolean | Promise<boolean>;
	/** Why a file is private although no pattern may speak of it, in a sentence for the user; asked after `isPrivate`. */
	problem?(uri: string): string | undefined;
	/** To be told of what the editor opens, saves and closes: it may be an ignore file. */
	changed(uri: string): void;
}

export interface ListedModel {
	readonly name: string;
	/** In which format it is asked, and where; or why it cannot be. */
	readonly description: string;
}

export interface Predictor {
	predict: Predict;
	judged(suggestion: Suggestion, verdict: Verdict): void;
	close(): void;
}

export type Verdict = "accepted" | "rejected" | "ignored";

/**
 * What predicts in one session. What can be chosen is found out when the session begins; a request waits for that where the
 * embedded engine has nothing to suggest.
 */
export class SessionModels {
	/** Settles when it is known. */
	readonly known: Promise<void>;
	/** Undefined until then. */
	private choice: ModelChoice | undefined;
	/** Undefined where it is the embedded engine. */
	private chosen: { readonly name: string; readonly predictor: Predictor } | undefined;
	/** What no model was shown anything of in the last request. */
	private ignored: ReadonlySet<string> = new Set();
	/** Which of some neighbours are private, for as long as nothing is heard of a file: they are the same while the user types. */
	private neighbours = new WeakMap<Scene["neighbours"], readonly string[]>();
	private isClosed = false;

	/** A failure to find out what there is means that there is nothing, and is reported. */
	constructor(
		choice: Promise<ModelChoice>,
		/** What predicts without a model. */
		private readonly embedded: Predict,
		readonly report: (error: unknown) => void,
	) {
		const found = choice.catch((error: unknown) => {
			report(error);
			return NOTHING;
		});
		this.known = found.then((known) => {
			this.choice = known;
		});
	}

	/** Those that there are besides the embedded engine, as far as is known. */
	get listed(): readonly ListedModel[] {
		return this.choice?.models ?? [];
	}

	/** What was chosen beforehand. */
	get configured(): string {
		return this.choice?.chosen ?? EMBEDDED;
	}

	/** Has this one predict from now on, made anew where it is the same. What the one before is asked comes to nothing. */
	choose(model: string): void {
		if (this.isClosed) return;
		const predictor = model === EMBEDDED ? undefined : this.choice?.predictorOf(model);
		this.chosen?.predictor.close();
		this.chosen = predictor && { name: model, predictor };
	}

	predict(scene: Scene, memory: Memory, call: PredictCall): Prediction | Promise<Prediction> {
		const { choice, chosen } = this;
		if (choice === undefined) {
			return following(this.embedded(scene, memory, call), (prediction) => {
				if ("suggestions" in prediction) return prediction;
				const orChosen = () => (this.chosen ? this.predict(scene, memory, call) : this.explained(prediction));
				return this.known.then(orChosen);
			});
		}
		if (chosen === undefined) {
			return following(this.embedded(scene, memory, call), (prediction) => this.explained(prediction));
		}
		// Of other files, a model is shown nothing until it is known that it may be. They are asked about first, so that most
		// of them are known by the time the document is, which is waited for.
		this.privateIn(scene, choice);
		return following(choice.isPrivate(scene.document.uri), () => {
			const ignored = this.privateIn(scene, choice);
			// The same set for the same files: what is found out about a scene's documents is kept by it.
			if (!isSame(ignored, this.ignored)) this.ignored = ignored;
			const prediction = chosen.predictor.predict({ ...scene, ignored: this.ignored }, memory, call);
			return following(prediction, (made) => {
				const detail =
					"silence" in made && made.silence === "ignored-file" ? choice.problem?.(scene.document.uri) : undefined;
				return detail === undefined ? withNextStep(made, chosen.name) : { ...made, detail };
			});
		});
	}

	judged(suggestion: Suggestion, verdict: Verdict): void {
		this.chosen?.predictor.judged(suggestion, verdict);
	}

	/** The editor has opened, saved or closed a file. */
	changed(uri: string): void {
		this.choice?.changed(uri);
		this.neighbours = new WeakMap();
	}

	close(): void {
		this.isClosed = true;
		this.chosen?.predictor.close();
		this.chosen = undefined;
	}

	/** A prediction that tells, where it is a silence, what is wrong with the configuration. */
	private explained(prediction: Prediction): Prediction {
		const detail = this.choice?.trouble;
		return detail !== undefined && "silence" in prediction ? { ...prediction, detail } : prediction;
	}

	/** By `uriKey`, the files of a scene that no model is shown anything of, with those of which that is not known yet. */
	private privateIn({ document, neighbours, excerpts, history }: Scene, choice: ModelChoice): ReadonlySet<string> {
		const others = [...excerpts, ...history.files];
		const few = [...others, document].filter(({ uri }) => choice.isPrivate(uri) !== false);
		return new Set([...this.privateAmong(neighbours, choice), ...few.map(({ uri }) => uriKey(uri))]);
	}

	private privateAmong(neighbours: Scene["neighbours"], choice: ModelChoice): readonly string[] {
		const known = this.neighbours.get(neighbours);
		if (known !== undefined) return known;
		const asked = neighbours.map(({ uri }) => ({ uri, isPrivate: choice.isPrivate(uri) }));
		const hidden = asked.filter(({ isPrivate }) => isPrivate !== false).map(({ uri }) => uriKey(uri));
		if (!asked.some(({ isPrivate }) => isPrivate instanceof Promise)) this.neighbours.set(neighbours, hidden);
		return hidden;
	}
}

/** Where there are no models. */
const NOTHING: ModelChoice = {
	chosen: EMBEDDED,
	models: [],
	trouble: "The models for next edits are not known. To see why, run: segue doctor",
	predictorOf: () => {
		throw new Error("no model is listed");
	},
	isPrivate: () => true,
	changed: () => {},
};

/** Goes on with what is there, at once where it is there already. */
function following<Value, Next>(
	value: Value | Promise<Value>,
	next: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> {
	return value instanceof Promise ? value.then(next) : next(value);
}

function isSame(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
	return some.size === others.size && [...some].every((one) => others.has(one));
}
