// Minimum time between redraws in a terminal.
const REDRAWN_MS = 100;
// Maximum number of lines if the output is not a terminal.
const LINES_MAX = 10;
const WIDTH = 30;

/** The output stream of a progress bar, usually standard error. */
export interface ProgressOutput {
	readonly isTTY?: boolean;
	write(text: string): unknown;
}

/** Shows the progress of a run: as a bar in a terminal, or as occasional lines elsewhere. */
export class ProgressBar {
	private done = 0;
	private drawnAt = Number.NEGATIVE_INFINITY;
	private readonly began: number;

	constructor(
		private readonly screen: ProgressOutput,
		private readonly total: number,
		private readonly now: () => number,
	) {
		this.began = now();
	}

	/** Counts another finished case. */
	advance(): void {
		this.done++;
		if (this.screen.isTTY !== true) {
			const parts = (done: number) => Math.floor((done * LINES_MAX) / this.total);
			if (parts(this.done) > parts(this.done - 1)) this.screen.write(`${this.text()}\n`);
			return;
		}
		if (this.done < this.total && this.now() - this.drawnAt < REDRAWN_MS) return;
		this.drawnAt = this.now();
		const filled = Math.round((WIDTH * this.done) / this.total);
		this.screen.write(`\r${"█".repeat(filled)}${"░".repeat(WIDTH - filled)} ${this.text()}\x1b[K`);
	}

	/** Ends the line that contains the bar. */
	end(): void {
		if (this.screen.isTTY === true && this.done > 0) this.screen.write("\n");
	}

	private text(): string {
		const seconds = (this.now() - this.began) / 1000;
		const left = (seconds / this.done) * (this.total - this.done);
		const rest = this.done < this.total ? `, about ${Math.ceil(left)} s left` : "";
		return `${this.done} of ${this.total} cases, ${Math.round(seconds)} s${rest}`;
	}
}

const INTERVAL_MS = 1000;
let lastAtMs = Number.NEGATIVE_INFINITY;

/**
 * Prints the current activity to standard error: as a single updated line in a terminal, or at most once a second
 * elsewhere.
 */
export function showProgress(text: string): void {
	if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
	else if (performance.now() - lastAtMs >= INTERVAL_MS) {
		lastAtMs = performance.now();
		process.stderr.write(`${text}\n`);
	}
}

/** Clears the progress line, so that only the report remains. */
export function clearProgress(): void {
	if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
}
