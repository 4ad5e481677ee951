import { type Change, sameUri, type Text } from "@segue/text";

// Debounce before an automatic request: longer after rejections, shorter after acceptances. The upper bound keeps
// suggestions coming; the lower bound prevents a request for every keystroke.
const DEBOUNCE_MS = 100;
const DEBOUNCE_MS_MIN = 50;
const DEBOUNCE_MS_MAX = 3000;
const REJECTED_FACTOR = 1.5;
const ACCEPTED_FACTOR = 0.8;

// The number of recent decisions that count, and the time after which a decision no longer has any effect.
const VERDICTS_MAX = 10;
const FORGOTTEN_MS = 10 * 60_000;

// After a rejection on a line, that line gets no automatic suggestions for this long.
const QUIET_MS = 5000;
// More rejections than a user can make in that time.
const QUIET_MAX = 16;

/** Delays automatic requests, depending on the user's recent decisions. Manual requests are not delayed. */
export class Debounce {
	/** The factors for the last decisions, newest last. */
	private verdicts: readonly { readonly factor: number; readonly atMs: number }[] = [];
	private rejections: readonly Rejection[] = [];

	accepted(atMs: number): void {
		this.count(ACCEPTED_FACTOR, atMs);
	}

	/**
	 * Records that the user dismissed a suggestion or typed something else in its place. Not called for suggestions
	 * that ended for other reasons.
	 */
	rejected(atMs: number, uri: string, offset: number): void {
		this.count(REJECTED_FACTOR, atMs);
		this.rejections = [...this.rejections, { uri, offset, atMs }].slice(-QUIET_MAX);
	}

	/** Maps the rejections in a document through a change. */
	changed(uri: string, change: Change): void {
		if (this.rejections.length === 0) return;
		this.rejections = this.rejections.flatMap((one) => {
			if (!sameUri(one.uri, uri)) return [one];
			// The suggestion may have been for a closed file that has since been opened with a shorter text.
			if (one.offset > change.lengthBefore) return [];
			// If a line break is inserted here, the rejection stays with the first half of the line.
			return [{ ...one, offset: change.map(one.offset, "before") }];
		});
	}

	/** Returns the pause before an automatic request. */
	debounceMs(nowMs: number): number {
		const factors = this.verdicts.map(({ factor, atMs }) => {
			const age = Math.max(0, Math.min((nowMs - atMs) / FORGOTTEN_MS, 1));
			return factor ** (1 - age);
		});
		const delayMs = factors.reduce((product, factor) => product * factor, DEBOUNCE_MS);
		return Math.max(DEBOUNCE_MS_MIN, Math.min(delayMs, DEBOUNCE_MS_MAX));
	}

	/** Whether a suggestion on this offset's line was rejected a moment ago. */
	isCoolingDown(uri: string, text: Text, offset: number, nowMs: number): boolean {
		return this.rejections.some((one) => {
			if (!isRecent(one, nowMs) || !sameUri(one.uri, uri) || one.offset > text.length) return false;
			return text.lineAt(one.offset) === text.lineAt(offset);
		});
	}

	private count(factor: number, atMs: number): void {
		this.verdicts = [...this.verdicts, { factor, atMs }].slice(-VERDICTS_MAX);
	}
}

/** The position of a rejected suggestion in the current text, and the time of the rejection. */
interface Rejection {
	readonly uri: string;
	readonly offset: number;
	readonly atMs: number;
}

function isRecent({ atMs }: Rejection, nowMs: number): boolean {
	return Math.abs(nowMs - atMs) < QUIET_MS; // the clock may have been set back
}
