// Preloaded into a measured process, to report its heap size when the benchmark sends a message.

process.on("message", () => {
	globalThis.gc();
	process.send(process.memoryUsage().heapUsed);
});
