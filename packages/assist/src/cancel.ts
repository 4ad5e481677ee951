/**
 * What a promise comes to, unless the signal is aborted first: then the signal's reason is thrown at once, however long the
 * other side takes. What it comes to afterwards is nobody's business any more.
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

/** The items of a stream, until the signal is aborted, even if the stream does not listen to it. */
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
		// Nobody waits for a stream that was left: one that hangs would hang here as well, and what it throws now is of no use.
		if (!isOver) iterator.return?.().then(undefined, () => {});
	}
}
