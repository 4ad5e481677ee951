import type { Mode, ThreadSettings } from "@segue/assist";
import { NoSuchThread } from "@segue/assist/failures";
import type { Effort } from "@segue/models";
import type * as eca from "@segue/protocol/eca";
import type { EcaEngine } from "../backend.js";
import type { EcaChatSettings } from "../eca-session.js";

/** Before anybody has chosen anything. */
const UNSET: EcaChatSettings = { model: undefined, mode: "edit", effort: undefined, trust: false };

/** What is chosen in a chat. All but trust is kept with its thread, so that whoever opens it next finds it so. */
export class ChatChoices {
	/** What holds where nothing was chosen here. */
	private defaults = UNSET;
	private chosen: Partial<EcaChatSettings> = {};
	private loading: Promise<void> | undefined;
	private isSaved = true;
	/** Becomes so when what was chosen last is kept. Never rejects. */
	private saving: Promise<unknown> = Promise.resolve();

	constructor(private readonly threadId: string) {}

	get settings(): EcaChatSettings {
		return { ...this.defaults, ...this.chosen };
	}

	/** Takes up, once, what was chosen in the thread before, or else what new chats begin with. */
	load(engine: EcaEngine, ofNew: Partial<EcaChatSettings>): Promise<void> {
		this.loading ??= this.loadNow(engine, ofNew);
		this.loading.catch(() => {
			this.loading = undefined;
		});
		return this.loading;
	}

	/** Returns how to take it back, if nothing else was chosen since. */
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

	/** Keeps what was chosen, behind what was chosen before. A chat in which nothing was asked yet has no thread to keep it with. */
	async save({ assist, agent }: EcaEngine): Promise<void> {
		// What is chosen of another agent is kept by that one.
		if (this.isSaved || agent !== undefined) return;
		this.isSaved = true;
		const { mode, model, effort } = this.settings;
		const kept = this.saving.then(() => assist.saveSettings(this.threadId, { mode, model, effort }));
		this.saving = kept.catch(() => {});
		try {
			await kept;
		} catch (error) {
			this.isSaved = false;
			if (!(error instanceof NoSuchThread)) throw error;
		}
	}

	private async loadNow({ assist, mode }: EcaEngine, ofNew: Partial<EcaChatSettings>): Promise<void> {
		const remembered = await assist.settings(this.threadId).catch(nothingIfNew);
		this.defaults = { ...UNSET, mode, ...ofNew, ...definedIn(remembered) };
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

/** What a prompt chooses for its chat. What it does not name stays. */
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

/** The first version has a list of models that nobody has any more, and "auto": they all mean the usual one. */
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
