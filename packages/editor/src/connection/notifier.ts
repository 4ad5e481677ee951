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
	/** Whether a problem was reported after the last session started. */
	hasProblem = false;
	private readonly texts = new Set<string>();

	constructor(private readonly host: Pick<Host, "report">) {}

	/** Ignores errors thrown by the host's `report`. */
	report(kind: Notice["kind"], text: string): void {
		const short = text.length > NOTE_LENGTH_MAX ? `${text.slice(0, NOTE_LENGTH_MAX)}…` : text;
		if (this.isOver || this.texts.has(short) || this.texts.size >= NOTES_MAX) return;
		this.texts.add(short);
		this.hasProblem = true;
		try {
			this.host.report({ kind, text: short });
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
