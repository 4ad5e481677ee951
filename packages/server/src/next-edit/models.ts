import { predict as embedded, type Memory, type Prediction, type Scene, type Suggestion } from "@segue/predict";
import { uriKey } from "@segue/text";
import type { Predict, PredictCall } from "../session.js";
import { EMBEDDED } from "../settings.js";

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

/** What predicts in one session. What can be chosen is found out when the session begins; requests wait for that. */
export class SessionModels {
	/** Settles when it is known. */
	readonly known: Promise<void>;
	/** Undefined until then. */
	private choice: ModelChoice | undefined;
	private chosen: { readonly model: string; readonly predictor: Predictor } | undefined;
	/** What no model was shown anything of in the last request. */
	private ignored: ReadonlySet<string> = new Set();
	private isClosed = false;

	/** A failure to find out what there is means that there is nothing, and is reported. */
	constructor(choice: Promise<ModelChoice>, report: (error: unknown) => void) {
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

	/** Has another one predict from now on. What the one before is asked comes to nothing. */
	choose(model: string): void {
		if (this.isClosed || model === (this.chosen?.model ?? EMBEDDED)) return;
		this.chosen?.predictor.close();
		const predictor = model === EMBEDDED ? undefined : this.choice?.predictorOf(model);
		this.chosen = predictor && { model, predictor };
	}

	predict(scene: Scene, memory: Memory, call: PredictCall): Prediction | Promise<Prediction> {
		const { choice, chosen } = this;
		if (choice === undefined) return this.known.then(() => this.predict(scene, memory, call));
		if (chosen === undefined) return explained(embedded(scene, memory, call), choice.trouble);
		const isOwnPrivate = choice.isPrivate(scene.document.uri);
		const ask = () => {
			const ignored = privateIn(scene, choice);
			// The same set for the same files: what is found out about a scene's documents is kept by it.
			if (!isSame(ignored, this.ignored)) this.ignored = ignored;
			return chosen.predictor.predict({ ...scene, ignored: this.ignored }, memory, call);
		};
		// Of other files, a model is shown nothing until it is known that it may be; without its own there is nothing to ask.
		return isOwnPrivate instanceof Promise ? isOwnPrivate.then(ask) : ask();
	}

	judged(suggestion: Suggestion, verdict: Verdict): void {
		this.chosen?.predictor.judged(suggestion, verdict);
	}

	/** The editor has opened, saved or closed a file. */
	changed(uri: string): void {
		this.choice?.changed(uri);
	}

	close(): void {
		this.isClosed = true;
		this.chosen?.predictor.close();
		this.chosen = undefined;
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

/** A prediction that tells, where it is a silence, what else the user should know. */
function explained(prediction: Prediction, detail: string | undefined): Prediction {
	return detail !== undefined && "silence" in prediction ? { ...prediction, detail } : prediction;
}

/** By `uriKey`, all files of a scene that no model is shown anything of, with those of which that is not known yet. */
function privateIn({ document, neighbours, excerpts, history }: Scene, choice: ModelChoice): ReadonlySet<string> {
	const uris = [document, ...neighbours, ...excerpts, ...history.files].map(({ uri }) => uri);
	return new Set(uris.filter((uri) => choice.isPrivate(uri) !== false).map(uriKey));
}

function isSame(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
	return some.size === others.size && [...some].every((one) => others.has(one));
}
