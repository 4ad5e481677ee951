import type { Outlines } from "@segue/agent/outline/outliner";
import { type Example, examplesOf, type Finding, type Scene } from "@segue/predict";
import { type Offered, ScenePlayer } from "./scene-player.js";

/** Plays stories on one predictor, without the others, the scorer and the gate: what it finds first is suggested. */
export class PredictorPlayer extends ScenePlayer {
	constructor(
		private readonly propose: (scene: Scene, examples: readonly Example[]) => Finding[],
		settings?: Partial<Scene>,
		outlines?: Outlines,
	) {
		super(settings, outlines);
	}

	protected offer(scene: Scene): Offered {
		const [first] = this.propose(scene, examplesOf(scene.history));
		return first === undefined ? { silence: "nothing-found" } : { proposal: first.proposal, why: first.why([]) };
	}

	async reject(): Promise<void> {
		throw new Error("a predictor knows nothing of verdicts");
	}
}
