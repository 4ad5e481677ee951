// What the engine throws, for doors that must not load the engine before they need it.
export { NoSuchThread, StoreError, ThreadBusy, ThreadExists } from "./store/failure.js";
export { ToolError, Unreachable } from "./tool.js";
