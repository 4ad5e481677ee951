// Re-exported for tests of packages that must not depend on the agent.
export { inProcessOutliner } from "@segue/agent/node/in-process-outliner";
