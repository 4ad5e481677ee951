// What the engine throws, for servers that do not load the engine before they need it.
export { AgentFailure } from "./agents/agent-failure.js";
export { NoSuchThread, StoreError, ThreadBusy, ThreadExists } from "./store/failure.js";
export { ToolError, Unreachable } from "./tools/tool.js";
