export { agentProcess, type ProcessOptions } from "./process.js";
export { killGroup, spawnGroup } from "./process-group.js";
export { overStreams } from "./streams.js";
