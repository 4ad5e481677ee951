export { type AcpOptions, type Authentication, type Sync, serveAcp } from "./acp.js";
export { EditorState, EditorStateError, type Question } from "./editor-state.js";
export type { Predict } from "./session.js";
