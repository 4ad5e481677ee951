import { whenAborted } from "@segue/text";
import type { OpenChat } from "../eca-session.js";

/** Prompts of one chat that have no end yet. Nobody types as many while a turn is under way. */
export const PROMPTS_MAX = 16;

/** The prompts of a chat that have no end yet. Their turns are taken one after the other, in the order in which they came. */
export class PromptQueue {
	/** How to cancel each, the one under way first. */
	private readonly open = new Set<AbortController>();
	private last: Promise<void> = Promise.resolve();

	constructor(
		/** Called when one has ended, whatever came of it. */
		private readonly ended: () => void,
	) {}

	get status(): OpenChat["status"] {
		const [first] = this.open;
		if (first === undefined) return "idle";
		return first.signal.aborted ? "stopping" : "running";
	}

	get isFull(): boolean {
		return this.open.size >= PROMPTS_MAX;
	}

	/** Takes a prompt's turn behind its answer, and behind those before it. One that is cancelled waits for no answer. */
	add<Accepted>(
		accepted: Promise<Accepted>,
		answered: Promise<void>,
		take: (accepted: Accepted, signal: AbortSignal) => Promise<void>,
	): void {
		const cancel = new AbortController();
		this.open.add(cancel);
		this.last = this.inTurn(cancel, async (signal) => {
			const taken = await accepted;
			await Promise.race([answered, whenAborted(signal)]);
			await take(taken, signal);
		});
	}

	cancelAll(): void {
		for (const cancel of this.open) cancel.abort(new Error("stopped"));
	}

	/** Waits for the end of those that came so far. */
	async settled(): Promise<void> {
		await this.last;
	}

	private async inTurn(cancel: AbortController, take: (signal: AbortSignal) => Promise<void>): Promise<void> {
		await this.last;
		try {
			await take(cancel.signal);
		} catch {
			// The prompt itself was answered with the error.
		} finally {
			this.open.delete(cancel);
			this.ended();
		}
	}
}
