import type { Memory, NoSuggestionReason, Prediction, PredictionObserver, Scene, Suggestion } from "@segue/predict";
import { uriKey } from "@segue/text";
import { EMBEDDED, type Settings } from "./settings.js";

// Resolving symbolic links takes a few milliseconds. A hanging file system delays a single request by this much.
const OTHERS_MS_MAX = 1_000;

/** The models that next-edit sessions can choose from. */
export interface EditModels {
	/** Finds the models for a workspace, based on its first folder. */
	in(workspace: Scene["workspace"]): Promise<ModelChoice>;
}

/** The models and settings of one workspace. */
export interface ModelChoice {
	/** The configured default: one of the models, or the embedded engine. */
	readonly chosen: string;
	/** The configured settings for a session. Missing settings use their defaults. */
	readonly settings: Partial<Omit<Settings, "model">>;
	readonly models: readonly ListedModel[];
	/** A problem with the configuration and how to fix it, shown to the user if there is no suggestion. */
	readonly trouble: string | undefined;
	/**
	 * Creates a predictor for one session. If the model is unavailable, the predictor returns the reason when the
	 * embedded engine finds nothing.
	 */
	predictorOf(model: string): NextEditPredictor;
	/** Whether a file must not be sent to models, because it is secret or ignored by the project. */
	isPrivate(uri: string): boolean | Promise<boolean>;
	/**
	 * Returns an explanation for the user if a file is private for a reason other than a pattern. Call `isPrivate`
	 * first.
	 */
	problem?(uri: string): string | undefined;
	/** Must be called when the editor opens, saves or closes a file, because it may be an ignore file. */
	changed(uri: string): void;
}

export interface ListedModel {
	readonly name: string;
	/** Its prompt format and URL, or the reason why it is unavailable. */
	readonly description: string;
}

/** Predicts synchronously, or asynchronously if it uses a model. The signal is created on first access. */
export type Predict = (scene: Scene, memory: Memory, call: PredictCall) => Prediction | Promise<Prediction>;

export interface PredictCall {
	readonly signal: AbortSignal;
	/** Receives the candidates being considered. */
	readonly watch?: PredictionObserver | undefined;
	/** Checked again before a delayed model request, because settings may have been loaded in the meantime. */
	readonly mayAskModel?: () => boolean;
}

export interface NextEditPredictor {
	predict: Predict;
	recordFeedback(suggestion: Suggestion, verdict: PredictorFeedback): void;
	close(): void;
}

type PredictorFeedback = "accepted" | "rejected" | "ignored";

/**
 * The predictor of one session. The models are loaded when the session starts; until then, a request waits for them
 * only if the embedded engine has no suggestion.
 */
export class SessionModels {
	/** Resolves when the models are loaded. */
	readonly known: Promise<void>;
	/** Undefined until the models are loaded. */
	private choice: ModelChoice | undefined;
	/** Undefined for the embedded engine. */
	private chosen: { readonly name: string; readonly predictor: NextEditPredictor } | undefined;
	/** Files hidden from the model in the last request. */
	private ignored: ReadonlySet<string> = new Set();
	/**
	 * Caches which neighbours are private. The key is the array of neighbours, which stays the same while the user
	 * types. Reset when any file changes.
	 */
	private neighbours = new WeakMap<Scene["neighbours"], readonly string[]>();
	/** Files whose privacy check timed out, by `uriKey`. No request waits for them again. */
	private readonly slow = new Set<string>();
	private isClosed = false;

	/** If `choice` rejects, the error is reported and no models are available. */
	constructor(
		choice: Promise<ModelChoice>,
		/** Predicts without a model. */
		private readonly embedded: Predict,
		readonly report: (error: unknown) => void,
	) {
		const found = choice.catch((error: unknown) => {
			report(error);
			return NO_MODELS;
		});
		this.known = found.then((known) => {
			this.choice = known;
		});
	}

	/** The available models except the embedded engine; empty until they are loaded. */
	get listed(): readonly ListedModel[] {
		return this.choice?.models ?? [];
	}

	/** Whether the next request may use a model. */
	get mayAskModel(): boolean {
		return this.choice === undefined || this.chosen !== undefined;
	}

	/** The configured model. */
	get configured(): string {
		return this.choice?.chosen ?? EMBEDDED;
	}

	/** The other configured settings; empty until they are loaded. */
	get settings(): ModelChoice["settings"] {
		return this.choice?.settings ?? {};
	}

	/**
	 * Switches to a model. Creates a new predictor even if the model stays the same, and closes the previous predictor.
	 */
	choose(model: string): void {
		if (this.isClosed) return;
		const predictor = model === EMBEDDED ? undefined : this.choice?.predictorOf(model);
		this.chosen?.predictor.close();
		this.chosen = predictor && { name: model, predictor };
	}

	predict(scene: Scene, memory: Memory, call: PredictCall): Prediction | Promise<Prediction> {
		const { choice, chosen } = this;
		if (choice === undefined) {
			return andThen(this.embedded(scene, memory, call), (prediction) => {
				if ("suggestions" in prediction) return prediction;
				const orChosen = () => {
					const mayAsk = this.chosen !== undefined && call.mayAskModel?.() !== false;
					return mayAsk ? this.predict(scene, memory, call) : this.explained(prediction);
				};
				return this.known.then(orChosen);
			});
		}
		if (chosen === undefined) {
			return andThen(this.embedded(scene, memory, call), (prediction) => this.explained(prediction));
		}
		// Other files stay hidden until they are known to be public. The document itself must be checked first.
		const others = this.decideOthers(scene, choice);
		return andThen(joined(choice.isPrivate(scene.document.uri), others), () => {
			const ignored = this.privateIn(scene, choice);
			// Reuse an equal set, because results are cached by its identity.
			if (!isSame(ignored, this.ignored)) this.ignored = ignored;
			const prediction = chosen.predictor.predict({ ...scene, ignored: this.ignored }, memory, call);
			return andThen(prediction, (made) => {
				const detail =
					"silence" in made && made.silence === "ignored-file" ? choice.problem?.(scene.document.uri) : undefined;
				return detail === undefined ? withNextStep(made, chosen.name) : { ...made, detail };
			});
		});
	}

	recordFeedback(suggestion: Suggestion, verdict: PredictorFeedback): void {
		this.chosen?.predictor.recordFeedback(suggestion, verdict);
	}

	/** Must be called when the editor has opened, saved or closed a file. */
	changed(uri: string): void {
		this.choice?.changed(uri);
		this.neighbours = new WeakMap();
		this.slow.delete(uriKey(uri));
	}

	close(): void {
		this.isClosed = true;
		this.chosen?.predictor.close();
		this.chosen = undefined;
	}

	/** Adds the configuration problem to a prediction without suggestions. */
	private explained(prediction: Prediction): Prediction {
		const detail = this.choice?.trouble;
		return detail !== undefined && "silence" in prediction ? { ...prediction, detail } : prediction;
	}

	/** Checks which other files in a scene are private. Returns undefined if every file has already been checked. */
	private decideOthers({ neighbours, excerpts, history }: Scene, choice: ModelChoice): Promise<void> | undefined {
		const open = new Map<string, Promise<unknown>>();
		const decide = ({ uri }: { readonly uri: string }) => {
			const key = uriKey(uri);
			const isPrivate = choice.isPrivate(uri);
			if (isPrivate instanceof Promise && !this.slow.has(key)) {
				open.set(
					key,
					isPrivate.finally(() => open.delete(key)),
				);
			}
			return isPrivate;
		};
		for (const other of [...excerpts, ...history.files]) void decide(other);
		this.privateAmong(neighbours, decide);
		if (open.size === 0) return undefined;
		return new Promise((resolve) => {
			const giveUp = setTimeout(() => {
				for (const key of open.keys()) this.slow.add(key);
				resolve();
			}, OTHERS_MS_MAX);
			void Promise.allSettled(open.values()).then(() => {
				clearTimeout(giveUp);
				resolve();
			});
		});
	}

	/** The files in a scene that are private or not checked yet, by `uriKey`. */
	private privateIn({ document, neighbours, excerpts, history }: Scene, choice: ModelChoice): ReadonlySet<string> {
		const few = [document, ...excerpts, ...history.files].filter(({ uri }) => choice.isPrivate(uri) !== false);
		return new Set([
			...few.map(({ uri }) => uriKey(uri)),
			...this.privateAmong(neighbours, ({ uri }) => choice.isPrivate(uri)),
		]);
	}

	private privateAmong(
		neighbours: Scene["neighbours"],
		decide: (document: { readonly uri: string }) => boolean | Promise<boolean>,
	): readonly string[] {
		const known = this.neighbours.get(neighbours);
		if (known !== undefined) return known;
		const decisions = neighbours.map(({ uri }) => ({ uri, isPrivate: decide({ uri }) }));
		const hidden = decisions.filter(({ isPrivate }) => isPrivate !== false).map(({ uri }) => uriKey(uri));
		if (!decisions.some(({ isPrivate }) => isPrivate instanceof Promise)) this.neighbours.set(neighbours, hidden);
		return hidden;
	}
}

const NO_MODELS: ModelChoice = {
	chosen: EMBEDDED,
	settings: {},
	models: [],
	trouble: "The models for next edits could not be loaded. To see why, run: segue doctor",
	predictorOf: () => {
		throw new Error("no model is listed");
	},
	isPrivate: () => true,
	changed: () => {},
};

/** Waits for both values, or returns synchronously if both are already available. */
function joined(one: unknown, other: Promise<unknown> | undefined): unknown {
	return one instanceof Promise || other !== undefined ? Promise.all([one, other]) : one;
}

/** Like `then`, but synchronous if the value is not a promise. */
export function andThen<Value, Next>(
	value: Value | Promise<Value>,
	next: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> {
	return value instanceof Promise ? value.then(next) : next(value);
}

function isSame(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
	return some.size === others.size && [...some].every((one) => others.has(one));
}

/** Adds advice to a prediction that has no suggestions because of the model. */
function withNextStep(prediction: Prediction, model: string): Prediction {
	if (!("silence" in prediction) || prediction.detail !== undefined) return prediction;
	const words = NEXT_STEPS[prediction.silence];
	if (words === undefined) return prediction;
	return { ...prediction, detail: words, model: { name: model, failure: undefined, words } };
}

const SET_FORMAT = "set nextEdit.format to another prompt format. To test the model, run: segue doctor";
const OTHER_FORMAT = `If this happens often, ${SET_FORMAT}`;

/** Advice to append to a reason. Only for reasons that never apply to a rule's suggestion. */
const NEXT_STEPS: Readonly<Partial<Record<NoSuggestionReason, string>>> = {
	"unreadable-answer": OTHER_FORMAT,
	"cut-off": OTHER_FORMAT,
	"special-token": OTHER_FORMAT,
	"special-token-in-text": `The model still works elsewhere. To use it here, ${SET_FORMAT}`,
	"no-edit": `If the model never suggests an edit, ${SET_FORMAT}`,
};
