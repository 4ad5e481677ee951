import type { UnavailableModel } from "@segue/assist";
import { type EditModelSettings, editModel, ModelFailure, ModelPredictor, ServerQueue } from "@segue/models";
import type { Scene } from "@segue/predict";
import { diskFiles } from "@segue/text/node";
import { Privacy } from "@segue/text/privacy";

// Imported only by sessions that use a model, so that other sessions don't load it.

/** Shared by all sessions in this process, because a local model server handles one request at a time. */
const TURNS = new ServerQueue();

/** Creates the predictor for one session, or returns the reason why the model is unavailable. */
export function modelPredictor(settings: EditModelSettings, speculates: boolean): ModelPredictor | UnavailableModel {
	try {
		return new ModelPredictor(editModel(settings, TURNS), { clock: Date, speculates });
	} catch (error) {
		if (!(error instanceof ModelFailure)) throw error;
		return { why: error.message };
	}
}

/** Applies ignore files. Without an open folder, the ignore files in a file's repository still apply. */
export function privacyIn(folders: Scene["workspace"]["folders"]): Privacy {
	return new Privacy(
		diskFiles(() => ({ folders })),
		() => folders.map(({ uri }) => uri),
	);
}
