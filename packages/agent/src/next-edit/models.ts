import type { Memory, NoSuggestionReason, Prediction, PredictionObserver, Scene, Suggestion } from "@segue/predict";
import { uriKey } from "@segue/text";
import { EMBEDDED, type Settings } from "./settings.js";

// Links are followed within a few milliseconds. A file system that hangs delays one request by this much.
const OTHERS_MS_MAX = 1_000;

/** The models that sessions of next edits can choose from. */
export interface EditModels {
	/** What there is for a workspace, by its first folder. */
	in(workspace: Scene["workspace"]): Promise<ModelChoice>;
}

/** What can be chosen in one workspace. */
export interface ModelChoice {
	/** What predicts where nobody chooses: one of the models, or the embedded engine. */
	readonly chosen: string;
	/** The configured settings of a session. Those that are missing have their defaults. */
	readonly settings: Partial<Omit<Settings, "model">>;
	readonly models: readonly ListedModel[];
	/** What is wrong with the configuration and what to do, for the user to read where nothing is suggested. */
	readonly trouble: string | undefined;
	/** For one session. A model that cannot be used says why wherever the embedded engine finds nothing. */
	predictorOf(model: string): NextEditPredictor;
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

/** Predicts at once, or later if it takes a model. The signal is made for those who ask for it. */
export type Predict = (scene: Scene, memory: Memory, call: PredictCall) => Prediction | Promise<Prediction>;

export interface PredictCall {
	readonly signal: AbortSignal;
	/** To be told of what is considered, where somebody wants to know. */
	readonly watch?: PredictionObserver | undefined;
	/** Asked again where a model is asked later than the request came, because settings may have become known. */
	readonly mayAskModel?: () => boolean;
}

export interface NextEditPredictor {
	predict: Predict;
	recordFeedback(suggestion: Suggestion, verdict: PredictorFeedback): void;
	close(): void;
}

type PredictorFeedback = "accepted" | "rejected" | "ignored";

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
	private chosen: { readonly name: string; readonly predictor: NextEditPredictor } | undefined;
	/** What no model was shown anything of in the last request. */
	private ignored: ReadonlySet<string> = new Set();
	/** Which of some neighbours are private, for as long as nothing is heard of a file: they are the same while the user types. */
	private neighbours = new WeakMap<Scene["neighbours"], readonly string[]>();
	/** By `uriKey`, files of which it took too long to find out. No request waits for them again. */
	private readonly slow = new Set<string>();
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
			return NO_MODELS;
		});
		this.known = found.then((known) => {
			this.choice = known;
		});
	}

	/** Those that there are besides the embedded engine, as far as is known. */
	get listed(): readonly ListedModel[] {
		return this.choice?.models ?? [];
	}

	/** Whether a model may be asked in the next request. */
	get mayAskModel(): boolean {
		return this.choice === undefined || this.chosen !== undefined;
	}

	/** What was chosen beforehand. */
	get configured(): string {
		return this.choice?.chosen ?? EMBEDDED;
	}

	/** The other settings that are configured, as far as they are known. */
	get settings(): ModelChoice["settings"] {
		return this.choice?.settings ?? {};
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
		// Of other files, a model is shown nothing until it is known that it may be; without its own there is nothing to ask.
		const others = this.decideOthers(scene, choice);
		return andThen(joined(choice.isPrivate(scene.document.uri), others), () => {
			const ignored = this.privateIn(scene, choice);
			// The same set for the same files: what is found out about a scene's documents is kept by it.
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

	/** The editor has opened, saved or closed a file. */
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

	/** A prediction that tells, where it is a silence, what is wrong with the configuration. */
	private explained(prediction: Prediction): Prediction {
		const detail = this.choice?.trouble;
		return detail !== undefined && "silence" in prediction ? { ...prediction, detail } : prediction;
	}

	/** Finds out which other files of a scene are private; undefined where that is known. */
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

	/** By `uriKey`, the files of a scene that no model is shown anything of, with those of which that is not known yet. */
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
		const asked = neighbours.map(({ uri }) => ({ uri, isPrivate: decide({ uri }) }));
		const hidden = asked.filter(({ isPrivate }) => isPrivate !== false).map(({ uri }) => uriKey(uri));
		if (!asked.some(({ isPrivate }) => isPrivate instanceof Promise)) this.neighbours.set(neighbours, hidden);
		return hidden;
	}
}

/** Where there are no models. */
const NO_MODELS: ModelChoice = {
	chosen: EMBEDDED,
	settings: {},
	models: [],
	trouble: "The models for next edits are not known. To see why, run: segue doctor",
	predictorOf: () => {
		throw new Error("no model is listed");
	},
	isPrivate: () => true,
	changed: () => {},
};

/** Both, at once where both are there already. */
function joined(one: unknown, other: Promise<unknown> | undefined): unknown {
	return one instanceof Promise || other !== undefined ? Promise.all([one, other]) : one;
}

/** Goes on with what is there, at once where it is there already. */
export function andThen<Value, Next>(
	value: Value | Promise<Value>,
	next: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> {
	return value instanceof Promise ? value.then(next) : next(value);
}

function isSame(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
	return some.size === others.size && [...some].every((one) => others.has(one));
}

/** A prediction that tells, where nothing came of what a model wrote, what that means and what to do if it happens often. */
function withNextStep(prediction: Prediction, model: string): Prediction {
	if (!("silence" in prediction) || prediction.detail !== undefined) return prediction;
	const words = NEXT_STEPS[prediction.silence];
	if (words === undefined) return prediction;
	return { ...prediction, detail: words, model: { name: model, failure: undefined, words } };
}

const OTHER_FORMAT = "If that happens often, try another format: segue doctor";

/**
 * Of those reasons that say nothing to somebody who does not know how models are asked, and that are never about what a rule
 * found.
 */
const NEXT_STEPS: Readonly<Partial<Record<NoSuggestionReason, string>>> = {
	"unreadable-answer": `What the model wrote is not in the format that it was asked in. ${OTHER_FORMAT}`,
	"cut-off": `The model had to stop in the middle of its answer, which may have been more than was asked for. ${OTHER_FORMAT}`,
	"special-token": `The model wrote a token of its prompts into the text. ${OTHER_FORMAT}`,
	"special-token-in-text":
		"The text around the cursor holds a token of the model's prompts, and is not shown to it. It is asked again elsewhere; a format with other tokens can be tried, too: segue doctor",
	"no-edit":
		"The model says that there is nothing to change here. If it always says so, try another format: segue doctor",
};
