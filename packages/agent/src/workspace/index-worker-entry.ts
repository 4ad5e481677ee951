import { setTimeout } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { restWhile, serveIndexes } from "./index-tasks.js";

if (parentPort === null) throw new Error("this file must run in a worker");
const port = parentPort;
const rest = restWhile(workerData as Int32Array, setTimeout);

port.on(
	"message",
	serveIndexes((reply) => port.postMessage(reply), { rest, now: () => performance.now() }),
);
