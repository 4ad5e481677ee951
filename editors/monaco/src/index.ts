export { serverAgent, type WorkerAgentOptions, workerAgent } from "@segue/editor";
export { MonacoSegue, type MonacoSegueOptions } from "./monaco-segue.js";
export type { MonacoKeys } from "./suggestion-actions.js";
