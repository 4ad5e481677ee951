// A prompt says nothing about what became of earlier answers. A suggestion that a client gets again and again was not applied, so
// after a few times it is not sent to that client for that file any more, for a while.
const TIMES_MAX = 3;
const FORGET_MS = 10 * 60_000;
// More files than the clients of one machine edit in that time. The least recently used goes first.
const FILES_MAX = 500;
// Suggestions of one file, the oldest of which goes first.
const SUGGESTIONS_MAX = 32;

/** One suggestion in a prompt. */
export interface SentSuggestion {
	/** A hash of the client and the file. */
	readonly file: string;
	/** Equal for suggestions that write the same. */
	readonly suggestion: string;
	/** How often the document has what the suggestion writes. More often than before means that it was applied. */
	readonly written: number;
}

/** Counts how often suggestions came back. Holds hashes and counts, no text. */
export class ResendCounter {
	/** By file, the least recently used first. */
	private readonly files = new Map<string, Map<string, Count>>();

	constructor(private readonly now: () => number) {}

	/** Whether a suggestion was sent as often as it may be. */
	isDropped(sending: SentSuggestion): boolean {
		return (this.known(sending)?.times ?? 0) >= TIMES_MAX;
	}

	/** A suggestion is sent. The answer to a repeated prompt does not count: the user has seen nothing new. */
	sent(sending: SentSuggestion, prompt: string): void {
		const { file, suggestion, written } = sending;
		const known = this.known(sending);
		const times = known === undefined ? 1 : known.prompt === prompt ? known.times : known.times + 1;
		const counts = this.files.get(file) ?? new Map<string, Count>();
		counts.delete(suggestion);
		counts.set(suggestion, { times, written, prompt, sinceMs: known?.sinceMs ?? this.now() });
		const [first] = counts.keys();
		if (counts.size > SUGGESTIONS_MAX && first !== undefined) counts.delete(first);
		this.files.delete(file);
		this.files.set(file, counts);
		const [oldest] = this.files.keys();
		if (this.files.size > FILES_MAX && oldest !== undefined) this.files.delete(oldest);
	}

	/** What is known of a suggestion, unless it was applied since or is forgotten. */
	private known({ file, suggestion, written }: SentSuggestion): Count | undefined {
		const count = this.files.get(file)?.get(suggestion);
		if (count === undefined || written > count.written || this.now() - count.sinceMs > FORGET_MS) return undefined;
		return count;
	}
}

interface Count {
	readonly times: number;
	readonly written: number;
	/** A hash of the prompt that it was sent for last. */
	readonly prompt: string;
	readonly sinceMs: number;
}
