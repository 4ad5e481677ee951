export { withChat } from "./acp/chat/door.js";
export { type AcpOptions, type Authentication, type Sync, serveAcp } from "./acp/door.js";
export { EditorState, EditorStateError, type Question } from "./acp/editor-state.js";
export type { EcaBackend, EcaEngine } from "./eca/backend.js";
export { type EcaOptions, serveEca } from "./eca/door.js";
export type { Form } from "./eca/session.js";
export { type ServedThreads, serveThreads, type ThreadsOptions } from "./threads/door.js";
