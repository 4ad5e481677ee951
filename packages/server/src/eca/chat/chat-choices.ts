import type { Mode, ThreadSettings } from "@segue/assist";
import { NoSuchThread } from "@segue/assist/failures";
import type { Effort } from "@segue/models";
import type * as eca from "@segue/protocol/eca";
import type { EcaEngine } from "../backend.js";
import type { EcaChatSettings } from "../eca-session.js";

/** The initial settings. */
const UNSET: EcaChatSettings = { model: undefined, mode: "edit", effort: undefined, trust: false };

/**
 * A chat's settings. All settings except trust are stored with the chat's thread and restored when the chat is
 * reopened.
 */
export class ChatChoices {
	/** The settings that apply if the user selects nothing. */
	private defaults = UNSET;
	private chosen: Partial<EcaChatSettings> = {};
	private loading: Promise<void> | undefined;
	private isSaved = true;
	/** Resolves once the latest settings are saved. Never rejects. */
	private saving: Promise<unknown> = Promise.resolve();

	constructor(private readonly threadId: string) {}

	get settings(): EcaChatSettings {
		return { ...this.defaults, ...this.chosen };
	}

	/** Loads the thread's stored settings once. `ofNew` are the defaults for a new thread. */
	load(engine: EcaEngine, ofNew: Partial<EcaChatSettings>): Promise<void> {
		this.loading ??= this.loadNow(engine, ofNew);
		this.loading.catch(() => {
			this.loading = undefined;
		});
		return this.loading;
	}

	/** Changes settings. The returned function undoes the change, unless the settings have changed again. */
	choose(chosen: Partial<EcaChatSettings>): () => void {
		const { chosen: before } = this;
		const after = { ...before, ...chosen };
		const { trust: _passing, ...lasting } = chosen;
		if (Object.keys(lasting).length > 0) this.isSaved = false;
		this.chosen = after;
		return () => {
			if (this.chosen !== after) return;
			this.chosen = before;
			this.isSaved = false;
		};
	}

	/** Saves the settings after any earlier save. Until its first prompt, a chat has no thread to save them with. */
	async save({ assist, agent }: EcaEngine): Promise<void> {
		// An external agent stores its own settings.
		if (this.isSaved || agent !== undefined) return;
		this.isSaved = true;
		const { mode, model, effort } = this.settings;
		const saved = this.saving.then(() => assist.saveSettings(this.threadId, { mode, model, effort }));
		this.saving = saved.catch(() => {});
		try {
			await saved;
		} catch (error) {
			this.isSaved = false;
			if (!(error instanceof NoSuchThread)) throw error;
		}
	}

	private async loadNow({ assist, mode }: EcaEngine, ofNew: Partial<EcaChatSettings>): Promise<void> {
		const stored = await assist.settings(this.threadId).catch(nothingIfNew);
		this.defaults = { ...UNSET, mode, ...ofNew, ...definedIn(stored) };
		if (Object.keys(ofNew).length > 0) this.isSaved = false;
	}
}

function nothingIfNew(error: unknown): ThreadSettings {
	if (error instanceof NoSuchThread) return {};
	throw error;
}

function definedIn({ mode, model, effort }: ThreadSettings): Partial<EcaChatSettings> {
	return {
		...(mode !== undefined && { mode }),
		...(model !== undefined && { model }),
		...(effort !== undefined && { effort }),
	};
}

/** Returns the settings that a prompt changes. */
export function settingsOfPrompt(
	{ model, agent, behavior, variant, trust }: eca.PromptParams,
	{ models }: EcaEngine,
): Partial<EcaChatSettings> {
	const named = agent ?? behavior;
	const mode = named == null ? undefined : modeOf(named);
	return {
		...(model != null && { model: knownModel(model, models) }),
		...(mode !== undefined && { mode }),
		...(variant !== undefined && { effort: effortOf(variant) }),
		...(trust != null && { trust }),
	};
}

/**
 * Returns undefined, which means the default model, for an unknown name. The first version of the protocol lists "auto"
 * and models that no longer exist.
 */
function knownModel(name: string, models: EcaEngine["models"]): string | undefined {
	return models.names.includes(name) || !("why" in models.choose(name)) ? name : undefined;
}

/** Returns the mode for an ECA agent, given its current name, its former name or our name for it. */
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

/** The protocol's names for efforts, which it calls variants. */
export const EFFORTS: readonly Effort[] = ["low", "medium", "high"];

/** Returns undefined for null and for an unknown variant. */
export function effortOf(variant: string | null): Effort | undefined {
	return EFFORTS.find((effort) => effort === variant);
}
