import type { Mode } from "@segue/assist";
import type { Effort } from "@segue/models";
import type { PromptParams } from "@segue/protocol/eca";
import type { EcaEngine } from "./backend.js";
import type { ChatSettings } from "./session.js";

/** What a prompt chooses for its chat. What it does not name stays. */
export function chosenIn(
	{ model, agent, behavior, variant, trust }: PromptParams,
	{ models }: EcaEngine,
): Partial<ChatSettings> {
	const named = agent ?? behavior;
	const mode = named == null ? undefined : modeOf(named);
	return {
		...(model != null && { model: knownModel(model, models) }),
		...(mode !== undefined && { mode }),
		...(variant !== undefined && { effort: effortOf(variant) }),
		...(trust != null && { trust }),
	};
}

/** The first form has a list of models that nobody has any more, and "auto": they all mean the usual one. */
function knownModel(name: string, models: EcaEngine["models"]): string | undefined {
	return models.names.includes(name) || !("why" in models.choose(name)) ? name : undefined;
}

/** By what ECA calls an agent today, or did before, and by what we call the mode. */
export function modeOf(agent: string): Mode | undefined {
	return Object.hasOwn(MODES, agent) ? MODES[agent] : undefined;
}

const MODES: Readonly<Record<string, Mode>> = {
	code: "edit",
	edit: "edit",
	agent: "edit",
	build: "edit",
	plan: "plan",
	ask: "ask",
	chat: "ask",
};

/** What the editor calls variants. */
export const EFFORTS: readonly Effort[] = ["low", "medium", "high"];

/** Undefined for none, and for one that there is not. */
export function effortOf(variant: string | null): Effort | undefined {
	return EFFORTS.find((effort) => effort === variant);
}
