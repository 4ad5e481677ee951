import { ThreadBusy } from "../failures.js";
import type { Body } from "./thread.js";

/** Maximum pending messages. Users don't send more during one step; a client that sends more is broken. */
const MESSAGES_MAX = 100;

/** Messages that the user sends to a running turn. */
export class Steering {
	private messages: string[] = [];
	private isOver = false;

	/** Returns false if the turn accepts no more messages. */
	add(text: string): boolean {
		if (this.isOver || this.messages.length >= MESSAGES_MAX) return false;
		this.messages.push(text);
		return true;
	}

	/** Drops pending messages. */
	clear(): void {
		this.messages = [];
	}

	/** Returns and removes the pending messages. */
	take(): readonly string[] {
		const { messages } = this;
		this.messages = [];
		return messages;
	}

	/** Like `take`, for when the turn is about to end. If nothing is pending, no more messages are accepted. */
	takeLast(): readonly string[] {
		if (this.messages.length === 0) this.isOver = true;
		return this.take();
	}

	/** Stops accepting messages, and returns the pending ones. */
	close(): readonly string[] {
		this.isOver = true;
		return this.take();
	}
}

/** Converts messages to a prompt entry for the running turn. */
export function steeringPrompt(
	messages: readonly string[],
	model: string | undefined,
): Extract<Body, { type: "prompt" }> {
	return { type: "prompt", parts: messages.map((text) => ({ type: "text", text })), model };
}

/** Tracks the running turns and exclusive jobs of each thread in this process. */
export class Activity {
	private readonly turns = new Set<RunningTurn>();
	/** Exclusive jobs by thread. */
	private readonly jobs = new Map<string, Promise<unknown>>();

	/** Runs a turn, after waiting for the thread's exclusive job, if any. */
	async turn<T>(threadId: string, run: (steering: Steering) => Promise<T>): Promise<T> {
		const steering = new Steering();
		const before = this.jobs.get(threadId);
		// The job's caller handles its errors.
		const ended = before === undefined ? run(steering) : before.catch(() => {}).then(() => run(steering));
		const turn: RunningTurn = { threadId, steering, ended };
		this.turns.add(turn);
		try {
			return await ended;
		} finally {
			this.turns.delete(turn);
		}
	}

	/** Runs a job during which no turn can start. Throws `ThreadBusy` if a turn or another job is running. */
	async exclusive<T>(threadId: string, job: () => Promise<T>): Promise<T> {
		if (this.jobs.has(threadId) || this.steerings(threadId).length > 0) throw new ThreadBusy(threadId);
		const ended = job();
		this.jobs.set(threadId, ended);
		try {
			return await ended;
		} finally {
			this.jobs.delete(threadId);
		}
	}

	/** Returns the `Steering` for each of the thread's running turns. */
	steerings(threadId: string): Steering[] {
		return [...this.turns].filter((turn) => turn.threadId === threadId).map(({ steering }) => steering);
	}

	/** Resolves once all current turns and jobs have ended. */
	async settled(): Promise<void> {
		await Promise.allSettled([...[...this.turns].map(({ ended }) => ended), ...this.jobs.values()]);
	}
}

interface RunningTurn {
	readonly threadId: string;
	readonly steering: Steering;
	readonly ended: Promise<unknown>;
}
