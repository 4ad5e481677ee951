/**
 * What still runs when nobody is served any more may take this long to end. Who waits for this process is not kept any longer,
 * and the processes that it has started are killed, with all of theirs, when it exits.
 */
const PATIENCE_MS = 2_000;

/** Waits for something to end, but not for ever. Whether it has. */
export function withinPatience(
	ending: Promise<void>,
	after: (delayMs: number, run: () => void) => () => void = startTimer,
): Promise<boolean> {
	return new Promise((resolve, reject) => {
		const callOff = after(PATIENCE_MS, () => resolve(false));
		ending.then(() => resolve(true), reject).finally(callOff);
	});
}

function startTimer(delayMs: number, run: () => void): () => void {
	const timer = setTimeout(run, delayMs);
	return () => clearTimeout(timer);
}
