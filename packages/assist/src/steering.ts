import type { Body } from "./thread.js";

/** Of what was said and not heard yet. Nobody says more while one step is taken; a client that does has lost count. */
const SAID_MAX = 100;

/** What a person says to a turn while it is under way. */
export class Steering {
	private said: string[] = [];
	private isOver = false;

	/** False where the turn will hear nothing more. */
	say(text: string): boolean {
		if (this.isOver || this.said.length >= SAID_MAX) return false;
		this.said.push(text);
		return true;
	}

	/** Takes back all that was not heard yet. */
	unsay(): void {
		this.said = [];
	}

	/** What was said since it was heard last. */
	hear(): readonly string[] {
		const { said } = this;
		this.said = [];
		return said;
	}

	/** The turn would end now: what was said after all, or nothing, and then nothing more can be said. */
	hearLast(): readonly string[] {
		if (this.said.length === 0) this.isOver = true;
		return this.hear();
	}

	/** The turn ends in any case. Returns what it has not heard. */
	close(): readonly string[] {
		this.isOver = true;
		return this.hear();
	}
}

/** What was said to a turn that a model or an agent takes, as an entry of the same turn. */
export function promptOf(said: readonly string[], model: string | undefined): Extract<Body, { type: "prompt" }> {
	return { type: "prompt", parts: said.map((text) => ({ type: "text", text })), model };
}
