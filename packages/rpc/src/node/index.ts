export { agentProcess, type ProcessOptions } from "./process.js";
export { atProcessExit, killGroup, spawnGroup } from "./process-group.js";
export { overStreams } from "./streams.js";
