import { fileURLToPath } from "node:url";
import type { Unavailable } from "@segue/assist";
import { Privacy } from "@segue/editor";
import { diskFiles } from "@segue/editor/node";
import { type EditModelSettings, editModel, ModelFailure, ModelPredictor } from "@segue/models";
import { predict as embedded, type Prediction, readable, type Scene } from "@segue/predict";
import { type Configuration, readConfiguration } from "../configuration/configuration.js";
import { maskAddress } from "../configuration/masking.js";
import type { Environment } from "../configuration/places.js";
import type { ListedModel, ModelChoice, Predictor } from "./models.js";

/** What the process says, besides the files of configuration. */
export interface ModelSources {
	/** Whose configuration holds where the editor has no folder open. */
	readonly folder: string;
	readonly env: Environment;
	/** What is said for this process alone. */
	readonly model: string | undefined;
}

/** The models that are configured for a workspace. A session that never asks one keeps little more than their names. */
export class ConfiguredModels implements ModelChoice {
	readonly chosen: string;
	readonly models: readonly ListedModel[];
	readonly trouble: string | undefined;
	/** Undefined until a model is to be shown something. */
	private privacy: Privacy | undefined;

	constructor(
		private readonly workspace: Scene["workspace"],
		private readonly sources: ModelSources,
	) {
		const { nextEdit, editModels, problems } = this.read();
		this.chosen = nextEdit.model.value;
		this.models = editModels.names.map((name) => ({ name, description: describe(editModels.choose(name)) }));
		this.trouble = problems.length === 0 ? undefined : `${problems[0]} To look at all that is configured: segue doctor`;
	}

	predictorOf(name: string): Predictor {
		// A key may be there since, which somebody stored in a terminal.
		const { editModels, nextEdit } = this.read();
		const settings = editModels.choose(name);
		if ("why" in settings) return new Unusable(settings.why);
		try {
			return new ModelPredictor(editModel(settings), { clock: Date, speculates: nextEdit.speculate.value });
		} catch (error) {
			if (!(error instanceof ModelFailure)) throw error;
			return new Unusable(error.message);
		}
	}

	isPrivate(uri: string): boolean | Promise<boolean> {
		this.privacy ??= privacyIn(foldersOf(this.workspace));
		return this.privacy.isPrivate(uri);
	}

	changed(uri: string): void {
		this.privacy?.changed([uri]);
	}

	private read(): Configuration {
		const { folder, env, model } = this.sources;
		const [first] = foldersOf(this.workspace).flatMap(({ uri }) => pathOf(uri) ?? []);
		const flags = model === undefined ? {} : { nextEditModel: model };
		return readConfiguration({ folder: first ?? folder, env, flags });
	}
}

function describe(settings: EditModelSettings | Unavailable): string {
	return "why" in settings ? settings.why : `Asked as ${settings.format} at ${maskAddress(settings.baseUrl)}`;
}

/** Where no folder is open, nobody has said which ignore files count. */
function privacyIn(folders: Scene["workspace"]["folders"]): Privacy {
	const files = folders.length === 0 ? undefined : diskFiles(() => ({ folders }));
	return new Privacy(files, () => folders.map(({ uri }) => uri));
}

/** Stands for a model that cannot be asked: the embedded engine answers, and where it has nothing, the user hears why. */
class Unusable implements Predictor {
	constructor(private readonly why: string) {}

	predict(...[scene, memory, call]: Parameters<Predictor["predict"]>): Prediction {
		const open = readable(scene);
		if ("silence" in open) return open;
		const prediction = embedded(open, memory, call);
		return "silence" in prediction ? { silence: "model-failed", detail: this.why } : prediction;
	}

	judged(): void {}

	close(): void {}
}

function foldersOf({ uri, folders }: Scene["workspace"]) {
	if (folders.length > 0 || uri === undefined) return folders;
	return [{ uri, name: "" }];
}

/** Undefined where it is on no disk of ours. */
function pathOf(uri: string): string | undefined {
	try {
		return fileURLToPath(uri);
	} catch {
		return undefined;
	}
}
