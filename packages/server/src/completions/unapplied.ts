// A prompt says nothing about what became of earlier answers. A suggestion that a client gets again and again was not applied, so
// after a few times it is not sent to that client for that file any more, for a while.
const TIMES_MAX = 3;
const FORGET_MS = 10 * 60_000;
// More files than the clients of one machine edit in that time. The least recently used goes first.
const FILES_MAX = 500;
// Suggestions of one file, the oldest of which goes first.
const SUGGESTIONS_MAX = 32;

/** Counts how often suggestions came back. Holds hashes and counts, no text. */
export class Unapplied {
	/** By client and file, the least recently used first. */
	private readonly files = new Map<
		string,
		{ readonly counts: Map<string, number>; prompt: string; usedAtMs: number }
	>();

	constructor(private readonly now: () => number) {}

	/** Whether a suggestion was sent as often as it may be. */
	isDropped(file: string, suggestion: string): boolean {
		const known = this.files.get(file);
		if (known === undefined || this.now() - known.usedAtMs > FORGET_MS) return false;
		return (known.counts.get(suggestion) ?? 0) >= TIMES_MAX;
	}

	/** A suggestion is sent. The answer to a repeated prompt does not count: the user has seen nothing new. */
	sent(file: string, suggestion: string, prompt: string): void {
		const old = this.files.get(file);
		const known = old === undefined || this.now() - old.usedAtMs > FORGET_MS ? undefined : old;
		const counts = known?.counts ?? new Map<string, number>();
		const count = counts.get(suggestion) ?? 0;
		counts.delete(suggestion);
		counts.set(suggestion, known?.prompt === prompt && count > 0 ? count : count + 1);
		const [first] = counts.keys();
		if (counts.size > SUGGESTIONS_MAX && first !== undefined) counts.delete(first);
		this.files.delete(file);
		this.files.set(file, { counts, prompt, usedAtMs: this.now() });
		const [oldest] = this.files.keys();
		if (this.files.size > FILES_MAX && oldest !== undefined) this.files.delete(oldest);
	}
}
