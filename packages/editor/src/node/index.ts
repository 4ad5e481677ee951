export { agentProcess, type ProcessOptions } from "@segue/rpc/node";
export { diskFiles } from "./files.js";
export { startMatchWorker } from "./worker.js";
