const INTERVAL_MS = 1000;
let lastAtMs = Number.NEGATIVE_INFINITY;

/** Says on standard error what is being done: on a terminal in one line that is written over, else once a second. */
export function progress(text: string): void {
	if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
	else if (performance.now() - lastAtMs >= INTERVAL_MS) {
		lastAtMs = performance.now();
		process.stderr.write(`${text}\n`);
	}
}

/** Takes the line away again, so that the report stands alone. */
export function progressDone(): void {
	if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
}
