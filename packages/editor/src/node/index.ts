export { agentProcess, type ProcessOptions } from "@segue/rpc/node";
export { diskFiles, resolvedFiles } from "./files.js";
export { FileVersions, type RangedFile } from "./ranged-file.js";
export { threadFiles } from "./thread-files.js";
export { startMatchWorker } from "./worker.js";
