import { parentPort } from "node:worker_threads";
import { serveMatches } from "../search/matcher.js";

if (parentPort === null) throw new Error("match-worker must run in a worker thread");
const port = parentPort;
serveMatches({
	post: (message) => port.postMessage(message),
	receive: (listener) => port.on("message", listener),
});
