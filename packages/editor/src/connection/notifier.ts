import { PeerError } from "@segue/rpc";
import { errorText } from "@segue/text";
import type { Host, Notice } from "../host.js";

// Nobody reads the hundredth thing that is wrong with an agent.
const NOTES_MAX = 100;
// Room for the last words of a process, not for whatever an agent puts into an error.
const NOTE_LENGTH_MAX = 4096;

/**
 * What the user was told. It outlives a connection, because nobody wants to read the same again from every new process of
 * an agent that keeps dying.
 */
export class Notifier {
	isOver = false;
	private readonly texts = new Set<string>();

	constructor(private readonly host: Pick<Host, "report">) {}

	/** A `report` that fails has nobody left to tell. */
	report(kind: Notice["kind"], text: string): void {
		const short = text.length > NOTE_LENGTH_MAX ? `${text.slice(0, NOTE_LENGTH_MAX)}…` : text;
		if (this.isOver || this.texts.has(short) || this.texts.size >= NOTES_MAX) return;
		this.texts.add(short);
		try {
			this.host.report({ kind, text: short });
		} catch {}
	}

	forget(): void {
		this.texts.clear();
	}
}

export function messageOf(error: unknown): string {
	if (error instanceof PeerError) return `the agent answered with the error ${error.code}: ${error.message}`;
	return errorText(error);
}
