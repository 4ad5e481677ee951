import type { UnavailableModel } from "@segue/assist";
import type { EditModelSettings } from "@segue/models";
import { predict as embedded, type Prediction, readable, type Scene } from "@segue/predict";
import type { Privacy } from "@segue/text/privacy";
import { type Configuration, readConfiguration } from "../config/configuration.js";
import { maskAddress } from "../config/masking.js";
import { configuredSettings } from "../config/next-edit.js";
import { type EnvironmentVariables, foldersOf, workspaceFolderOf } from "../config/user-files.js";
import type { ListedModel, ModelChoice, NextEditPredictor } from "../next-edit/models.js";

// Users take longer than this to store a key and return to the editor. Reading the configuration takes a few
// milliseconds.
const READ_AGAIN_MS = 3_000;

/** Inputs other than the configuration files. */
interface ModelChoiceSources {
	/** The folder whose configuration applies if the editor has no open folder. */
	readonly folder: string;
	readonly env: EnvironmentVariables;
	/** The model from the command line, for this process only. */
	readonly model: string | undefined;
	readonly now: () => number;
}

/** The models that are configured for a workspace. Loads little more than the models' names until one is used. */
export class ConfiguredModels implements ModelChoice {
	readonly chosen: string;
	readonly settings: ModelChoice["settings"];
	readonly models: readonly ListedModel[];
	readonly trouble: string | undefined;
	/** Undefined until a file is checked for a model. */
	private privacy: Privacy | undefined;

	constructor(
		private readonly workspace: Scene["workspace"],
		private readonly sources: ModelChoiceSources,
	) {
		const { nextEdit, editModels, problems, warnings, leftOut } = this.read();
		this.chosen = nextEdit.model.value;
		this.settings = configuredSettings(nextEdit);
		this.models = editModels.names.map((name) => ({ name, description: describe(editModels.choose(name)) }));
		// Other ignored project settings don't affect next edits.
		const isLeftOut = leftOut.some((field) => /^nextEdit\b/.test(field));
		const [first] = [...problems, ...(isLeftOut ? warnings : [])];
		this.trouble = first === undefined ? undefined : `${first} To check the configuration, run: segue doctor`;
	}

	predictorOf(name: string): NextEditPredictor {
		const make = async () => {
			const { editModels, nextEdit } = this.read();
			const settings = editModels.choose(name);
			if ("why" in settings) return settings;
			const { modelPredictor } = await import("./model-predictor.js");
			return modelPredictor(settings, nextEdit.speculate.value);
		};
		return new ConfiguredModel(name, make, this.sources.now);
	}

	isPrivate(uri: string): boolean | Promise<boolean> {
		return this.privacy?.isPrivate(uri) ?? this.isPrivateSurely(uri);
	}

	problem(uri: string): string | undefined {
		return this.privacy?.problem(uri);
	}

	changed(uri: string): void {
		this.privacy?.changed([uri]);
	}

	private async isPrivateSurely(uri: string): Promise<boolean> {
		const { privacyIn } = await import("./model-predictor.js");
		this.privacy ??= privacyIn(foldersOf(this.workspace));
		return this.privacy.isPrivate(uri);
	}

	private read(): Configuration {
		const { folder, env, model } = this.sources;
		const flags = model === undefined ? {} : { nextEditModel: model };
		return readConfiguration({ folder: workspaceFolderOf(this.workspace) ?? folder, env, flags });
	}
}

function describe(settings: EditModelSettings | UnavailableModel): string {
	return "why" in settings ? settings.why : `Format ${settings.format} at ${maskAddress(settings.baseUrl)}`;
}

type PredictArguments = Parameters<NextEditPredictor["predict"]>;

/**
 * A configured model. While it is unavailable, the embedded engine predicts; if the engine finds nothing, the response
 * contains the reason. The configuration is read again from time to time, because the user may fix it.
 */
class ConfiguredModel implements NextEditPredictor {
	/** Undefined until the model is available. */
	private model: NextEditPredictor | undefined;
	private made: Promise<NextEditPredictor | UnavailableModel>;
	private madeAtMs: number;
	private isClosed = false;

	constructor(
		private readonly name: string,
		private readonly make: () => Promise<NextEditPredictor | UnavailableModel>,
		private readonly now: () => number,
	) {
		this.madeAtMs = now();
		this.made = this.begin();
		// Prevent an unhandled rejection. `predict` reports the error.
		this.made.catch(() => {});
	}

	predict(...args: PredictArguments): Prediction | Promise<Prediction> {
		if (this.model !== undefined) return this.model.predict(...args);
		if (this.now() - this.madeAtMs >= READ_AGAIN_MS) {
			this.madeAtMs = this.now();
			this.made = this.begin();
		}
		return this.made.then((made) => ("why" in made ? this.predictWithout(args, made.why) : made.predict(...args)));
	}

	recordFeedback(...verdict: Parameters<NextEditPredictor["recordFeedback"]>): void {
		this.model?.recordFeedback(...verdict);
	}

	close(): void {
		this.isClosed = true;
		this.model?.close();
	}

	private async begin(): Promise<NextEditPredictor | UnavailableModel> {
		const made = await this.make();
		if ("why" in made) return made;
		if (this.isClosed) return { why: "Another model was selected." };
		this.model ??= made;
		return this.model;
	}

	private predictWithout([scene, memory, call]: PredictArguments, why: string): Prediction {
		const open = readable(scene);
		if ("silence" in open) return open;
		const prediction = embedded(open, memory, call);
		if ("suggestions" in prediction) return prediction;
		// The reason may contain the project's paths, which must not be logged.
		const model = {
			name: this.name,
			failure: "unavailable",
			words: "It is not available with this configuration. To see why, run: segue doctor",
		};
		return { silence: "model-failed", detail: why, model };
	}
}
