export { agentProcess, type ProcessOptions } from "@segue/rpc/node";
export { diskFiles } from "@segue/text/node";
export { startMatchWorker } from "./start-match-worker.js";
export { threadFiles } from "./thread-files.js";
