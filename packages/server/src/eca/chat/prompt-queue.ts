import { whenAborted } from "@segue/text";
import type { OpenChat } from "../eca-session.js";

/** Limit for unfinished prompts in one chat. Users don't type more during a turn. */
export const PROMPTS_MAX = 16;

/** The unfinished prompts of a chat. Their turns run one at a time, in order. */
export class PromptQueue {
	/** The controllers that cancel the prompts, starting with the running prompt. */
	private readonly open = new Set<AbortController>();
	private last: Promise<void> = Promise.resolve();

	constructor(
		/** Called when a turn has ended, successfully or not. */
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

	/**
	 * Runs a prompt's turn after the response and after earlier turns. A cancelled prompt does not wait for the response.
	 */
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

	/** Resolves once all prompts added so far have ended. */
	async settled(): Promise<void> {
		await this.last;
	}

	private async inTurn(cancel: AbortController, take: (signal: AbortSignal) => Promise<void>): Promise<void> {
		await this.last;
		try {
			await take(cancel.signal);
		} catch {
			// The response to the prompt reports the error.
		} finally {
			this.open.delete(cancel);
			this.ended();
		}
	}
}
