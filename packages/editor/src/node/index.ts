export { agentProcess, type ProcessOptions } from "@segue/rpc/node";
export { diskFiles } from "@segue/text/node";
export { threadFiles } from "./thread-files.js";
export { startMatchWorker } from "./worker.js";
