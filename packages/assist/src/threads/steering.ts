import { ThreadBusy } from "../failures.js";
import type { Body } from "./thread.js";

/** Of what was said and not heard yet. Nobody says more while one step is taken; a client that does has lost count. */
const MESSAGES_MAX = 100;

/** What a person says to a turn while it is under way. */
export class Steering {
	private messages: string[] = [];
	private isOver = false;

	/** False where the turn will hear nothing more. */
	add(text: string): boolean {
		if (this.isOver || this.messages.length >= MESSAGES_MAX) return false;
		this.messages.push(text);
		return true;
	}

	/** Takes back all that was not heard yet. */
	clear(): void {
		this.messages = [];
	}

	/** What was said since it was heard last. */
	take(): readonly string[] {
		const { messages: said } = this;
		this.messages = [];
		return said;
	}

	/** The turn would end now: what was said after all, or nothing, and then nothing more can be said. */
	takeLast(): readonly string[] {
		if (this.messages.length === 0) this.isOver = true;
		return this.take();
	}

	/** The turn ends in any case. Returns what it has not heard. */
	close(): readonly string[] {
		this.isOver = true;
		return this.take();
	}
}

/** What was said to a turn that a model or an agent takes, as an entry of the same turn. */
export function steeringPrompt(said: readonly string[], model: string | undefined): Extract<Body, { type: "prompt" }> {
	return { type: "prompt", parts: said.map((text) => ({ type: "text", text })), model };
}

/** What goes on in which thread of this process: turns, or one thing that no turn may go on beside. */
export class Activity {
	private readonly turns = new Set<RunningTurn>();
	/** By thread, what nothing else may go on beside. */
	private readonly alone = new Map<string, Promise<unknown>>();

	/** A turn begins, once what goes on alone is over. */
	async turn<T>(threadId: string, take: (steering: Steering) => Promise<T>): Promise<T> {
		const steering = new Steering();
		const before = this.alone.get(threadId);
		// Its caller is told what became of it.
		const ended = before === undefined ? take(steering) : before.catch(() => {}).then(() => take(steering));
		const turn: RunningTurn = { threadId, steering, ended };
		this.turns.add(turn);
		try {
			return await ended;
		} finally {
			this.turns.delete(turn);
		}
	}

	/** Throws `ThreadBusy` where something goes on. */
	async exclusive<T>(threadId: string, job: () => Promise<T>): Promise<T> {
		if (this.alone.has(threadId) || this.steerings(threadId).length > 0) throw new ThreadBusy(threadId);
		const ended = job();
		this.alone.set(threadId, ended);
		try {
			return await ended;
		} finally {
			this.alone.delete(threadId);
		}
	}

	/** How to speak to the turns of a thread. */
	steerings(threadId: string): Steering[] {
		return [...this.turns].filter((turn) => turn.threadId === threadId).map(({ steering }) => steering);
	}

	/** All that goes on now is over. */
	async settled(): Promise<void> {
		await Promise.allSettled([...[...this.turns].map(({ ended }) => ended), ...this.alone.values()]);
	}
}

interface RunningTurn {
	readonly threadId: string;
	readonly steering: Steering;
	readonly ended: Promise<unknown>;
}
