import { PeerError } from "@segue/rpc";
import { errorText } from "@segue/text";
import type { Host, Notice } from "../host.js";

// Users don't read more messages about one agent than this.
const NOTES_MAX = 100;
// Enough for the last lines of a process's output; longer errors are cut off.
const NOTE_LENGTH_MAX = 4096;

/**
 * Reports each message to the host once. Outlives connections, so that an agent that keeps crashing does not repeat its
 * messages after every restart.
 */
export class Notifier {
	isOver = false;
	private readonly texts = new Set<string>();
	/** The problem that has occurred since the last session started. */
	private problem: Notice | undefined;

	constructor(private readonly host: Pick<Host, "report">) {}

	report(kind: Notice["kind"], text: string): void {
		const short = text.length > NOTE_LENGTH_MAX ? `${text.slice(0, NOTE_LENGTH_MAX)}…` : text;
		if (this.isOver) return;
		if (this.texts.has(short)) {
			this.problem ??= { kind, text: short, isRepeated: true };
			return;
		}
		if (this.texts.size >= NOTES_MAX) return;
		this.texts.add(short);
		this.problem = { kind, text: short };
		this.send(this.problem);
	}

	/**
	 * Explains why there is no session. Sends a problem again that was reported before the last session started, because
	 * the host no longer shows it. Returns false if there is no problem.
	 */
	explain(): boolean {
		if (this.problem?.isRepeated) this.send(this.problem);
		return this.problem !== undefined;
	}

	/** Must be called when a session starts. */
	started(): void {
		this.problem = undefined;
	}

	/** Ignores errors thrown by the host's `report`. */
	private send(notice: Notice): void {
		try {
			this.host.report(notice);
		} catch {}
	}

	forget(): void {
		this.texts.clear();
	}
}

export function messageOf(error: unknown): string {
	if (error instanceof PeerError) return `the agent returned error ${error.code}: ${error.message}`;
	return errorText(error);
}
