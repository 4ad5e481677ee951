// Re-exported for tests in packages that must not depend on the agent.
export { inProcessOutliner } from "@segue/agent/node/in-process-outliner";
