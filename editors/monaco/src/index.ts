export { agentServer, agentWorker } from "./agent-channel.js";
export { MonacoSegue, type MonacoSegueOptions } from "./monaco-segue.js";
export type { MonacoKeys } from "./suggestion-actions.js";
