// Prompts don't report the outcomes of earlier answers. A suggestion that keeps coming back has not been applied, so
// after being sent a few times, it is suppressed for that client and file for a while.
const TIMES_MAX = 3;
const FORGET_MS = 10 * 60_000;
// More files than all clients on one machine edit in that time. Beyond this, the least recently used file is evicted.
const FILES_MAX = 500;
// Suggestions per file. The oldest is evicted.
const SUGGESTIONS_MAX = 32;

/** A suggestion for a prompt. */
export interface SentSuggestion {
	/** A hash of the client and the file. */
	readonly file: string;
	/** A hash that is equal for suggestions that insert the same text. */
	readonly suggestion: string;
	/** The number of times the suggested line occurs in the document. If it increases, the suggestion was applied. */
	readonly written: number;
}

/** Counts repeated suggestions. Stores hashes and counts, no text. */
export class ResendCounter {
	/** By file hash, least recently used first. */
	private readonly files = new Map<string, Map<string, Count>>();

	constructor(private readonly now: () => number) {}

	/** Whether a suggestion has been sent too often. */
	isDropped(sending: SentSuggestion): boolean {
		return (this.known(sending)?.times ?? 0) >= TIMES_MAX;
	}

	/** Records a sent suggestion. Resending it for an identical prompt does not count. */
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

	/** Returns the count for a suggestion, unless the suggestion has been applied or the count has expired. */
	private known({ file, suggestion, written }: SentSuggestion): Count | undefined {
		const count = this.files.get(file)?.get(suggestion);
		if (count === undefined || written > count.written || this.now() - count.sinceMs > FORGET_MS) return undefined;
		return count;
	}
}

interface Count {
	readonly times: number;
	readonly written: number;
	/** A hash of the last prompt that the suggestion was sent for. */
	readonly prompt: string;
	readonly sinceMs: number;
}
