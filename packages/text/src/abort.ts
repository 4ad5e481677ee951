/**
 * Settles like the promise. If the signal is aborted first, rejects immediately with the signal's reason, and ignores
 * the promise's later result.
 */
export function unlessCancelled<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
	return new Promise((resolve, reject) => {
		const cancel = () => reject(signal.reason);
		if (signal.aborted) cancel();
		else signal.addEventListener("abort", cancel, { once: true });
		promise.then(
			(value) => {
				signal.removeEventListener("abort", cancel);
				resolve(value);
			},
			(error) => {
				signal.removeEventListener("abort", cancel);
				reject(error);
			},
		);
	});
}

/** Yields the items of a stream until the signal is aborted, even if the stream ignores the signal. */
export async function* eachUnlessCancelled<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
	const iterator = items[Symbol.asyncIterator]();
	let isOver = false;
	try {
		for (;;) {
			const next = await unlessCancelled(iterator.next(), signal);
			if (next.done === true) {
				isOver = true;
				return;
			}
			yield next.value;
		}
	} finally {
		// Closing a stream that hangs could hang as well, so the result is not awaited and errors are ignored.
		if (!isOver) iterator.return?.().then(undefined, () => {});
	}
}

/** Resolves when the signal is aborted, or immediately if it already is. */
export function whenAborted(signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal.aborted) resolve();
		else signal.addEventListener("abort", () => resolve(), { once: true });
	});
}
