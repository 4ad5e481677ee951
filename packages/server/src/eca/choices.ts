import type { ThreadSettings } from "@segue/assist";
import { NoSuchThread } from "@segue/assist/failures";
import type { EcaEngine } from "./backend.js";
import type { ChatSettings } from "./session.js";

/** Before anybody has chosen anything. */
const UNSET: ChatSettings = { model: undefined, mode: "edit", effort: undefined, trust: false };

/** What is chosen in a chat. All but trust is kept with its thread, so that whoever opens it next finds it so. */
export class Choices {
	/** What holds where nothing was chosen here. */
	private usual = UNSET;
	private chosen: Partial<ChatSettings> = {};
	private finding: Promise<void> | undefined;
	private isKept = true;
	/** Becomes so when what was chosen last is kept. Never rejects. */
	private keeping: Promise<unknown> = Promise.resolve();

	constructor(private readonly threadId: string) {}

	get settings(): ChatSettings {
		return { ...this.usual, ...this.chosen };
	}

	/** Takes up, once, what was chosen in the thread before, or else what new chats begin with. */
	find(engine: EcaEngine, ofNew: Partial<ChatSettings>): Promise<void> {
		this.finding ??= this.findNow(engine, ofNew);
		this.finding.catch(() => {
			this.finding = undefined;
		});
		return this.finding;
	}

	/** Returns how to take it back, if nothing else was chosen since. */
	choose(chosen: Partial<ChatSettings>): () => void {
		const { chosen: before } = this;
		const after = { ...before, ...chosen };
		const { trust: _passing, ...lasting } = chosen;
		if (Object.keys(lasting).length > 0) this.isKept = false;
		this.chosen = after;
		return () => {
			if (this.chosen !== after) return;
			this.chosen = before;
			this.isKept = false;
		};
	}

	/** Keeps what was chosen, behind what was chosen before. A chat in which nothing was asked yet has no thread to keep it with. */
	async keep({ assist, agent }: EcaEngine): Promise<void> {
		// What is chosen of another agent is kept by that one.
		if (this.isKept || agent !== undefined) return;
		this.isKept = true;
		const { mode, model, effort } = this.settings;
		const kept = this.keeping.then(() => assist.remember(this.threadId, { mode, model, effort }));
		this.keeping = kept.catch(() => {});
		try {
			await kept;
		} catch (error) {
			this.isKept = false;
			if (!(error instanceof NoSuchThread)) throw error;
		}
	}

	private async findNow({ assist, mode }: EcaEngine, ofNew: Partial<ChatSettings>): Promise<void> {
		const remembered = await assist.settings(this.threadId).catch(nothingIfNew);
		this.usual = { ...UNSET, mode, ...ofNew, ...definedIn(remembered) };
		if (Object.keys(ofNew).length > 0) this.isKept = false;
	}
}

function nothingIfNew(error: unknown): ThreadSettings {
	if (error instanceof NoSuchThread) return {};
	throw error;
}

function definedIn({ mode, model, effort }: ThreadSettings): Partial<ChatSettings> {
	return {
		...(mode !== undefined && { mode }),
		...(model !== undefined && { model }),
		...(effort !== undefined && { effort }),
	};
}
