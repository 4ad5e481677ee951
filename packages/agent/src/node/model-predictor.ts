import type { UnavailableModel } from "@segue/assist";
import { type EditModelSettings, editModel, ModelFailure, ModelPredictor, ServerQueue } from "@segue/models";
import type { Scene } from "@segue/predict";
import { diskFiles } from "@segue/text/node";
import { Privacy } from "@segue/text/privacy";

// What only a session needs that asks a model, apart from the rest so that others need not load it.

/** Of all sessions of this process: a model on a machine of one's own is asked by one of them at a time. */
const TURNS = new ServerQueue();

/** What asks a model for one session, or why nothing can. */
export function modelPredictor(settings: EditModelSettings, speculates: boolean): ModelPredictor | UnavailableModel {
	try {
		return new ModelPredictor(editModel(settings, TURNS), { clock: Date, speculates });
	} catch (error) {
		if (!(error instanceof ModelFailure)) throw error;
		return { why: error.message };
	}
}

/** Where no folder is open, the ignore files of the repository that a file is in count all the same. */
export function privacyIn(folders: Scene["workspace"]["folders"]): Privacy {
	return new Privacy(
		diskFiles(() => ({ folders })),
		() => folders.map(({ uri }) => uri),
	);
}
