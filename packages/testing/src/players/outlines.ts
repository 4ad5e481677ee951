/** For the tests of packages that may not know the agent. */
export { inProcessOutliner } from "@segue/agent/node/in-process-outliner";
