export { type AcpOptions, type Authentication, type Sync, serveAcp } from "./acp.js";
export type { Chat, ChatEngine, Desk } from "./chat/chat.js";
export { EditorState, EditorStateError, type Question } from "./editor-state.js";
export { outlineHere } from "./outline/here.js";
export { Outliner, type Outlines, type OutlineWorker } from "./outline/outliner.js";
export { startOutlineWorker } from "./outline/worker.js";
export { type Predict, Session, type SessionOptions } from "./session.js";
