export { diskFiles } from "./files.js";
export { agentProcess, type ProcessOptions } from "./process.js";
export { startMatchWorker } from "./worker.js";
