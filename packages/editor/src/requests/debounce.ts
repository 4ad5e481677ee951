import { type Change, sameUri, type Text } from "@segue/text";

// How long a user rests before they are asked for: longer for one who rejects, shorter for one who accepts, and never so
// long that nothing ever comes or so short that every keystroke asks.
const DEBOUNCE_MS = 100;
const DEBOUNCE_MS_MIN = 50;
const DEBOUNCE_MS_MAX = 3000;
const REJECTED_FACTOR = 1.5;
const ACCEPTED_FACTOR = 0.8;

// How many verdicts count, and how long until one is forgotten: it counts less with every moment.
const VERDICTS_MAX = 10;
const FORGOTTEN_MS = 10 * 60_000;

// How long a line on which something was rejected is left alone.
const QUIET_MS = 5000;
// More than anybody rejects in that time.
const QUIET_MAX = 16;

/**
 * When a suggestion is asked for without being called for, by what the user made of those before. One that they call for
 * waits for nothing here.
 */
export class Debounce {
	/** The factors of the last verdicts, newest last. */
	private verdicts: readonly { readonly factor: number; readonly atMs: number }[] = [];
	private rejections: readonly Rejection[] = [];

	accepted(atMs: number): void {
		this.count(ACCEPTED_FACTOR, atMs);
	}

	/** The user dismissed a suggestion or wrote something else in its place. Others that went away are not told. */
	rejected(atMs: number, uri: string, offset: number): void {
		this.count(REJECTED_FACTOR, atMs);
		this.rejections = [...this.rejections, { uri, offset, atMs }].slice(-QUIET_MAX);
	}

	/** A document changed, and its lines with it. */
	changed(uri: string, change: Change): void {
		if (this.rejections.length === 0) return;
		this.rejections = this.rejections.flatMap((one) => {
			if (!sameUri(one.uri, uri)) return [one];
			// What was suggested for a file that was not open may lie behind the end of what was opened.
			if (one.offset > change.lengthBefore) return [];
			// At the end of a line that is broken there, the new line is another one.
			return [{ ...one, offset: change.map(one.offset, "before") }];
		});
	}

	/** How long the user has to rest before a suggestion is asked for. */
	debounceMs(nowMs: number): number {
		const factors = this.verdicts.map(({ factor, atMs }) => {
			const age = Math.max(0, Math.min((nowMs - atMs) / FORGOTTEN_MS, 1));
			return factor ** (1 - age);
		});
		const delayMs = factors.reduce((product, factor) => product * factor, DEBOUNCE_MS);
		return Math.max(DEBOUNCE_MS_MIN, Math.min(delayMs, DEBOUNCE_MS_MAX));
	}

	/** Whether the line of that offset is left alone, because something was just rejected there. */
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

/** Where something was rejected, in the document as it is now, and when. */
interface Rejection {
	readonly uri: string;
	readonly offset: number;
	readonly atMs: number;
}

function isRecent({ atMs }: Rejection, nowMs: number): boolean {
	return Math.abs(nowMs - atMs) < QUIET_MS; // a clock may be put back
}
