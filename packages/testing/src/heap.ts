import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Returns the heap size in bytes after repeated garbage collection. */
export async function heapUsed(): Promise<number> {
	setFlagsFromString("--expose-gc");
	const collect: () => void = runInNewContext("gc");
	let least = Number.POSITIVE_INFINITY;
	for (let i = 0; i < 8; i++) {
		await new Promise(setImmediate);
		collect();
		least = Math.min(least, getHeapStatistics().used_heap_size);
	}
	return least;
}
