// Imported into a process before its own program: tells what its heap holds when the benchmark asks.

process.on("message", () => {
	globalThis.gc();
	process.send(process.memoryUsage().heapUsed);
});
