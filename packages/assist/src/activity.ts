import { Steering } from "./steering.js";
import { ThreadBusy } from "./store/failure.js";

/** What goes on in which thread of this process: turns, or one thing that no turn may go on beside. */
export class Activity {
	private readonly turns = new Set<UnderWay>();
	/** By thread, what nothing else may go on beside. */
	private readonly alone = new Map<string, Promise<unknown>>();

	/** A turn begins, once what goes on alone is over. */
	async turn<T>(threadId: string, take: (steering: Steering) => Promise<T>): Promise<T> {
		const steering = new Steering();
		const before = this.alone.get(threadId);
		// Its caller is told what became of it.
		const ended = before === undefined ? take(steering) : before.catch(() => {}).then(() => take(steering));
		const turn: UnderWay = { threadId, steering, ended };
		this.turns.add(turn);
		try {
			return await ended;
		} finally {
			this.turns.delete(turn);
		}
	}

	/** Throws `ThreadBusy` where something goes on. */
	async only<T>(threadId: string, job: () => Promise<T>): Promise<T> {
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

interface UnderWay {
	readonly threadId: string;
	readonly steering: Steering;
	readonly ended: Promise<unknown>;
}
