import type { Scene } from "@segue/predict";
import type { HostProcess } from "../host-process.js";
import type { EditModels, ModelChoice } from "../next-edit/models.js";

/**
 * The configured models. Nothing is loaded before the first session starts, because an editor may never need models.
 */
export class LazyModels implements EditModels {
	constructor(
		private readonly modelName: string | undefined,
		private readonly notify: (text: string) => void,
		private readonly process: HostProcess,
	) {}

	async in(workspace: Scene["workspace"]): Promise<ModelChoice> {
		const { ConfiguredModels } = await import("./configured-models.js");
		const { env, cwd } = this.process;
		const choice = new ConfiguredModels(workspace, { folder: cwd(), env, model: this.modelName, now: Date.now });
		if (choice.trouble !== undefined) this.notify(choice.trouble);
		return choice;
	}
}
