import { Memory, predict, type Reason, type Scene, type Suggestion } from "@segue/predict";
import { type Offered, ScenePlayer } from "./scene-player.js";

/** Plays stories on the engine itself: all predictors, the scorer, the gate and the memory. */
export class EnginePlayer extends ScenePlayer {
	/** What was suggested, in order. */
	readonly shown: Suggestion[] = [];
	private memory = Memory.empty;
	private best: Suggestion | undefined;

	protected offer(scene: Scene): Offered {
		const prediction = predict(scene, this.memory);
		if ("silence" in prediction) return prediction;
		const best = prediction.suggestions[0] as Suggestion;
		this.best = best;
		this.shown.push(best);
		const isThere = best.kind !== "edit" || best.cursor === this.cursorAfter(best);
		if (!isThere) throw new Error(`the cursor belongs behind the edit, and not at ${best.cursor}`);
		return { proposal: best, why: best.why };
	}

	override async accept(): Promise<void> {
		this.memory = this.memory.accepted(this.best as Suggestion);
		await super.accept();
	}

	async reject(reason: string | undefined): Promise<void> {
		this.memory = this.memory.rejected(this.best as Suggestion, reason as Reason | undefined);
	}
}
