import type { Mode } from "@segue/assist";
import type { Effort } from "@segue/models";
import type { PromptParams } from "@segue/protocol/eca";
import type { EcaEngine } from "./backend.js";
import type { ChatSettings } from "./session.js";

/** Before anybody has chosen anything. */
export const UNSET: ChatSettings = { model: undefined, mode: "edit", effort: undefined, trust: false };

/** The settings with what a prompt says of them. */
export function settingsAfter(
	settings: ChatSettings,
	{ model, agent, behavior, variant, trust }: PromptParams,
	{ models }: EcaEngine,
): ChatSettings {
	const named = agent ?? behavior;
	return {
		model: model == null ? settings.model : knownModel(model, models),
		mode: (named == null ? undefined : modeOf(named)) ?? settings.mode,
		effort: variant == null ? settings.effort : effortOf(variant),
		trust: trust ?? settings.trust,
	};
}

/** The first form has a list of models that nobody has any more, and "auto": they all mean the usual one. */
function knownModel(name: string, models: EcaEngine["models"]): string | undefined {
	return models.names.includes(name) || !("why" in models.choose(name)) ? name : undefined;
}

export function modeOf(agent: string): Mode | undefined {
	return MODES[agent];
}

const MODES: Readonly<Record<string, Mode>> = { code: "edit", edit: "edit", plan: "plan", ask: "ask", chat: "ask" };

function effortOf(variant: string): Effort | undefined {
	return (["low", "medium", "high"] as const).find((effort) => effort === variant);
}
